#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/diagnostics.h"
#include "config/keys.h"
#include "config/spec.h"
#include "config/yaml_tree.h"

/// Readers of single values. Each read_value() reports an invalid value and returns false; `out`
/// then has the readable part. Texts are kept as written: 0403 has four characters.
namespace patchbay::config {

/// The ValueType of a key that is read into a field of type T.
template <typename T>
inline constexpr ValueType kValueType = kValueType<typename T::value_type>;  // For an optional.
template <>
inline constexpr ValueType kValueType<std::string> = ValueType::text;
template <>
inline constexpr ValueType kValueType<Located<std::string>> = ValueType::text;
template <>
inline constexpr ValueType kValueType<bool> = ValueType::boolean;
template <>
inline constexpr ValueType kValueType<Located<bool>> = ValueType::boolean;
template <>
inline constexpr ValueType kValueType<Located<Milliseconds>> = ValueType::duration;
template <>
inline constexpr ValueType kValueType<std::vector<Located<std::string>>> = ValueType::patterns;
template <typename Enum>
requires std::is_enum_v<Enum>
inline constexpr ValueType kValueType<Located<Enum>> = ValueType::word;
template <typename Enum>
requires std::is_enum_v<Enum>
inline constexpr ValueType kValueType<std::vector<Located<Enum>>> = ValueType::words;

/// The valid words of a field of type T; empty if all are valid.
template <typename T>
inline constexpr std::span<const std::string_view> kWordsOf{};
template <typename T>
inline constexpr std::span<const std::string_view> kWordsOf<std::optional<T>> = kWordsOf<T>;
template <typename T>
inline constexpr std::span<const std::string_view> kWordsOf<std::vector<T>> = kWordsOf<T>;
template <typename Enum>
requires std::is_enum_v<Enum>
inline constexpr std::span<const std::string_view> kWordsOf<Located<Enum>> = kWords<Enum>;

/// Reads text; if `info` has words, only these.
bool read_value(const YamlNode& node, const KeyInfo& info, Located<std::string>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::string& out,
                Diagnostics& diagnostics);
/// Reads true and false in the spelling of YAML 1.2, without quotes.
bool read_value(const YamlNode& node, const KeyInfo& info, Located<bool>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, bool& out, Diagnostics& diagnostics);
/// Reads "100ms", "2s", "1h30m": whole numbers, larger units first.
bool read_value(const YamlNode& node, const KeyInfo& info, Located<Milliseconds>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<Located<std::string>>& out,
                Diagnostics& diagnostics);

/// Reads one of the words of KeyInfo.
template <typename Enum>
requires std::is_enum_v<Enum>
bool read_value(const YamlNode& node, const KeyInfo& info, Located<Enum>& out,
                Diagnostics& diagnostics) {
  Located<std::string> text;
  if (!read_value(node, info, text, diagnostics)) return false;
  out = {*from_word<Enum>(text.value), text.at};
  return true;
}

/// An optional field stays empty unless the whole value is valid.
template <typename T>
bool read_value(const YamlNode& node, const KeyInfo& info, std::optional<T>& out,
                Diagnostics& diagnostics) {
  T value{};
  if (!read_value(node, info, value, diagnostics)) return false;
  out = std::move(value);
  return true;
}

/// Reports a text that is not one of the words. Returns false, for a return statement.
bool report_word(const YamlNode& node, std::string_view name,
                 std::span<const std::string_view> words, Diagnostics& diagnostics);

/// Reports "expected WHAT for 'NAME', got …", without a hint with an example. Returns false, for a
/// return statement.
bool report_type(const YamlNode& node, std::string_view expected, std::string_view name,
                 Diagnostics& diagnostics, std::string hint = {});

/// A valid value of the block, as YAML in one line. Empty for a name of the user.
[[nodiscard]] std::string example_of(std::string_view block);

/// Reports a value that must be a mapping, with the key's example. Returns false.
bool report_no_mapping(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics);

/// Reports a value that is absent, null, or an empty text that has no meaning. Returns true if so.
bool report_empty(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics);
/// Reports a mapping without entries.
bool report_empty_mapping(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics);

/// Reports an entry of the mapping `info` with an empty name. Returns true if so.
bool report_empty_name(const YamlEntry& entry, const KeyInfo& info, Diagnostics& diagnostics);

/// The values of "one or a list of them". An empty list and empty items are reported. The values
/// are usable even if `ok` is false.
struct ValueNodes {
  std::vector<const YamlNode*> nodes;
  bool ok = true;
};
[[nodiscard]] ValueNodes one_or_list(const YamlNode& node, const KeyInfo& info,
                                     Diagnostics& diagnostics);
/// The items of a list, which can be empty. Reports other values, and empty items.
[[nodiscard]] ValueNodes list_items(const YamlNode& node, const KeyInfo& info,
                                    Diagnostics& diagnostics);

/// The same for a list that must not be empty.
[[nodiscard]] ValueNodes filled_list(const YamlNode& node, const KeyInfo& info,
                                     Diagnostics& diagnostics);

/// Reads each item with `read(node, item)` and drops unreadable items. Returns false if there were
/// any.
template <typename Item, typename Read>
bool read_items(const ValueNodes& values, std::vector<Item>& out, Read read) {
  bool ok = values.ok;
  for (const YamlNode* node : values.nodes) {
    Item item;
    if (read(*node, item)) {
      out.push_back(std::move(item));
    } else {
      ok = false;
    }
  }
  return ok;
}

/// Reads one word or a list of words.
template <typename Enum>
requires std::is_enum_v<Enum>
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<Located<Enum>>& out,
                Diagnostics& diagnostics) {
  return read_items(one_or_list(node, info, diagnostics), out,
                    [&](const YamlNode& item, Located<Enum>& word) {
                      return read_value(item, info, word, diagnostics);
                    });
}

/// The blocks of a key: one block or a list; for `any` and `all` always a list.
[[nodiscard]] ValueNodes block_items(const YamlNode& node, const KeyInfo& info,
                                     Diagnostics& diagnostics);

}  // namespace patchbay::config
