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

/// How one value is read. Each read_value() reports what it cannot take and returns false; `out`
/// then holds what could be read. Texts arrive as written: 0403 stays four characters.
namespace patchbay::config {

/// The ValueType of a key that is read into a field of type T.
template <typename T>
inline constexpr ValueType kValueType = kValueType<typename T::value_type>;  // Of an optional.
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

/// The words that a field of type T knows; empty if it knows any.
template <typename T>
inline constexpr std::span<const std::string_view> kWordsOf{};
template <typename T>
inline constexpr std::span<const std::string_view> kWordsOf<std::optional<T>> = kWordsOf<T>;
template <typename T>
inline constexpr std::span<const std::string_view> kWordsOf<std::vector<T>> = kWordsOf<T>;
template <typename Enum>
requires std::is_enum_v<Enum>
inline constexpr std::span<const std::string_view> kWordsOf<Located<Enum>> = kWords<Enum>;

/// Text; where `info` says so, only certain words.
bool read_value(const YamlNode& node, const KeyInfo& info, Located<std::string>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::string& out,
                Diagnostics& diagnostics);
/// Only true and false, as YAML 1.2 spells them, and without quotes.
bool read_value(const YamlNode& node, const KeyInfo& info, Located<bool>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, bool& out, Diagnostics& diagnostics);
/// "100ms", "2s", "1h30m": whole numbers, larger units first.
bool read_value(const YamlNode& node, const KeyInfo& info, Located<Milliseconds>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<Located<std::string>>& out,
                Diagnostics& diagnostics);

/// One of the words of KeyInfo.
template <typename Enum>
requires std::is_enum_v<Enum>
bool read_value(const YamlNode& node, const KeyInfo& info, Located<Enum>& out,
                Diagnostics& diagnostics) {
  Located<std::string> text;
  if (!read_value(node, info, text, diagnostics)) return false;
  out = {*from_word<Enum>(text.value), text.at};
  return true;
}

/// An optional field stays empty unless the whole value was fine.
template <typename T>
bool read_value(const YamlNode& node, const KeyInfo& info, std::optional<T>& out,
                Diagnostics& diagnostics) {
  T value{};
  if (!read_value(node, info, value, diagnostics)) return false;
  out = std::move(value);
  return true;
}

/// Reports a text that is none of the words. False, for use in a return.
bool report_word(const YamlNode& node, std::string_view name,
                 std::span<const std::string_view> words, Diagnostics& diagnostics);

/// Reports "expected WHAT for 'NAME', got …". False, for use in a return.
bool report_type(const YamlNode& node, std::string_view expected, std::string_view name,
                 Diagnostics& diagnostics, std::string hint = {});

/// The same of what is no mapping, where only one will do: shows the key's example.
bool report_no_mapping(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics);

/// Reports a value that is left out, null, or an empty text where that means nothing. True if so.
bool report_empty(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics);

/// Reports an entry of the mapping `info` whose name is an empty text. True if it is.
bool report_empty_name(const YamlEntry& entry, const KeyInfo& info, Diagnostics& diagnostics);

/// The values of "one or a list of them"; reports an empty list and empty items. The values are
/// good for use also when false is returned.
struct ValueNodes {
  std::vector<const YamlNode*> nodes;
  bool ok = true;
};
[[nodiscard]] ValueNodes one_or_list(const YamlNode& node, const KeyInfo& info,
                                     Diagnostics& diagnostics);
/// The items of a list, of which there may be none; reports what is no list, and empty items.
[[nodiscard]] ValueNodes list_items(const YamlNode& node, const KeyInfo& info,
                                    Diagnostics& diagnostics);

/// The same for a list that must not be empty.
[[nodiscard]] ValueNodes filled_list(const YamlNode& node, const KeyInfo& info,
                                     Diagnostics& diagnostics);

/// Reads each with `read(node, item)`; those that could not be read are left out. False if there
/// were any.
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

/// One word, or a list of them.
template <typename Enum>
requires std::is_enum_v<Enum>
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<Located<Enum>>& out,
                Diagnostics& diagnostics) {
  return read_items(one_or_list(node, info, diagnostics), out,
                    [&](const YamlNode& item, Located<Enum>& word) {
                      return read_value(item, info, word, diagnostics);
                    });
}

/// The blocks under a key: one or a list of them; under `any` and `all` always a list.
[[nodiscard]] ValueNodes block_items(const YamlNode& node, const KeyInfo& info,
                                     Diagnostics& diagnostics);

}  // namespace patchbay::config
