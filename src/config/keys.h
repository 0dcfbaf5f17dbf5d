#pragma once

#include <span>
#include <string_view>
#include <vector>

/// The configuration language as data: its blocks and their keys. The readers, the JSON Schema and
/// the reference are made from these tables.
namespace patchbay::config {

/// The type of a key's value.
enum class ValueType {
  text,
  number,  ///< Text that is a number, or a template of one.
  boolean,
  duration,
  word,              ///< One of KeyInfo::words.
  words,             ///< One of KeyInfo::words, or a list of them.
  size,              ///< Text: 2, 0-4 or 1+.
  file_mode,         ///< Text: four octal digits.
  patterns,          ///< Text, or a list of texts.
  arguments,         ///< A list of texts: a program and its arguments.
  condition,         ///< Text, a list of conditions, or a block `condition`.
  named_conditions,  ///< {name: condition}
  fields,            ///< From here on: a block with the key's name, …
  blocks,            ///< A block with the key's name, or a list of such blocks.
  node_conditions,   ///< A block `when`, or a list of such blocks.
  match,
  when,
  share,
  defaults,
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
  std::string_view about;            ///< One line.
  std::string_view example{};        ///< A valid value, as YAML in one line.
  std::string_view default_value{};  ///< The default, as YAML; empty if no value is equivalent.
  std::span<const std::string_view> words{};  ///< All valid words, for a ValueType that needs them.
  ValueType type = ValueType::text;
  bool required = false;
  bool may_be_empty = false;  ///< A quoted empty text is valid.
};

struct BlockInfo {
  std::string_view name;
  std::vector<KeyInfo> keys;  ///< In the order of the reference.
};

/// All blocks of the language; the first is the whole file ("config"). Any thread.
[[nodiscard]] std::span<const BlockInfo> language();

/// The names of the keys of a block.
[[nodiscard]] std::vector<std::string_view> key_names(std::string_view block);

}  // namespace patchbay::config
