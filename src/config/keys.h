#pragma once

#include <span>
#include <string_view>
#include <vector>

/// The tables of the configuration language: its blocks (the kinds of mappings, such as `resource`
/// and `match`) and their keys. The readers, the JSON Schema and the reference use these tables.
namespace patchbay::config {

/// The type of a key's value.
enum class ValueType {
  text,
  number,  ///< Text that is a number, or a template that gives one.
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
  fields,            ///< A block with the key's name, as each type below that has no comment.
  blocks,            ///< A block with the key's name, or a list of such blocks.
  node_conditions,   ///< A block `when`, or a list of such blocks.
  match,
  when,
  share,
  defaults,
  write,
  wait,
  open,         ///< Text, or a block `open`.
  cdi,          ///< The word `write`, or a list of texts.
  resources,    ///< A list of blocks `resource`.
  groups,       ///< A list of blocks `group`.
  devices,      ///< A list of texts and blocks `device`.
  mounts,       ///< A list of blocks `mount`.
  health,       ///< A list of blocks `health`.
  steps,        ///< A list of blocks `step`.
  envs,         ///< {name: text or block `env`}
  annotations,  ///< {name: text}
  members,      ///< {name: block `member`}
  group_dra,    ///< A block `resource.dra`.
  attributes,   ///< {name: text or block `dra.attribute`}
};

/// One key of a block.
struct KeyInfo {
  std::string_view name;
  std::string_view about;                     ///< Its description in one line.
  std::string_view example{};                 ///< A valid value, as YAML in one line.
  std::string_view default_value{};           ///< As YAML; empty if there is no default.
  std::span<const std::string_view> words{};  ///< All valid words, for ValueType::word and words.
  ValueType type = ValueType::text;
  bool required = false;
  bool may_be_empty = false;  ///< Whether "" is a valid value.
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
