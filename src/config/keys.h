#pragma once

#include <span>
#include <string_view>
#include <vector>

/// The language as data: which blocks there are and which keys they have. The readers are made of
/// these tables, and so can be the schema and the reference.
namespace patchbay::config {

/// What may be written as the value of a key.
enum class ValueType {
  text,
  number,  ///< Text that is a number, or a template of one.
  boolean,
  duration,
  word,              ///< One of KeyInfo::words.
  words,             ///< One of them, or a list of them.
  count,             ///< Text: 2, 0-4 or 1+.
  file_mode,         ///< Text: four octal digits.
  patterns,          ///< Text, or a list of texts.
  arguments,         ///< A list of texts: a program and what it is given.
  condition,         ///< Text, a list of conditions, or a block `condition`.
  named_conditions,  ///< {name: condition}
  fields,            ///< Here and below: a block named as its key, …
  blocks,            ///< A block named as its key, or a list of such blocks.
  node_conditions,   ///< A block `when`, or a list of such blocks.
  match,
  when,
  share,
  defaults,
  probe,
  flap,
  write,
  wait,
  open,       ///< Text, or a block `open`.
  cdi,        ///< The word `write`, or a list of texts.
  resources,  ///< … a list of such blocks, …
  groups,
  devices,  ///< … each a text or a block `device`, …
  mounts,   ///< … a list of blocks, …
  health,
  pre_start,
  envs,         ///< … {name: text or block `env`}
  annotations,  ///< {name: text}
  members,      ///< {name: block `member`}
};

/// One key of a block.
struct KeyInfo {
  std::string_view name;
  std::string_view about;      ///< One line.
  std::string_view example{};  ///< A value of it, as YAML in one line.
  std::string_view
      default_value{};  ///< What leaving it out means, as YAML; empty: no value says that.
  std::span<const std::string_view> words{};  ///< All that it can be, of a ValueType that asks.
  ValueType type = ValueType::text;
  bool required = false;
  bool may_be_empty = false;  ///< An empty text in quotes has a meaning.
};

struct BlockInfo {
  std::string_view name;
  std::vector<KeyInfo> keys;  ///< In the order of the reference.
};

/// Every block of the language, the whole file ("config") first. Any thread.
[[nodiscard]] std::span<const BlockInfo> language();

/// The names of the keys of one of its blocks.
[[nodiscard]] std::vector<std::string_view> key_names(std::string_view block);

}  // namespace patchbay::config
