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

/// Readers of single values. Each read_value() reads the value of the key `info` into `out`. If the
/// value is invalid, it is reported, and read_value() returns false; `out` then has the readable
/// part. Scalars are texts as written: the value 0403 has four characters.
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

/// Reads a text. If `info` has words, the text must be one of them.
bool read_value(const YamlNode& node, const KeyInfo& info, Located<std::string>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::string& out,
                Diagnostics& diagnostics);
/// Reads a boolean of YAML 1.2, such as `true`, without quotes.
bool read_value(const YamlNode& node, const KeyInfo& info, Located<bool>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, bool& out, Diagnostics& diagnostics);
/// Reads a duration such as "100ms" or "1h30m": whole numbers with units, larger units first.
bool read_value(const YamlNode& node, const KeyInfo& info, Located<Milliseconds>& out,
                Diagnostics& diagnostics);
bool read_value(const YamlNode& node, const KeyInfo& info, std::vector<Located<std::string>>& out,
                Diagnostics& diagnostics);

/// Reads one of KeyInfo::words.
template <typename Enum>
requires std::is_enum_v<Enum>
bool read_value(const YamlNode& node, const KeyInfo& info, Located<Enum>& out,
                Diagnostics& diagnostics) {
  Located<std::string> text;
  if (!read_value(node, info, text, diagnostics)) return false;
  out = {*from_word<Enum>(text.value), text.at};
  return true;
}

/// Reads an optional field. It stays empty unless the whole value is valid.
template <typename T>
bool read_value(const YamlNode& node, const KeyInfo& info, std::optional<T>& out,
                Diagnostics& diagnostics) {
  T value{};
  if (!read_value(node, info, value, diagnostics)) return false;
  out = std::move(value);
  return true;
}

/// Reports a text that is not one of the words. Always returns false.
bool report_word(const YamlNode& node, std::string_view name,
                 std::span<const std::string_view> words, Diagnostics& diagnostics);

/// Reports "expected EXPECTED for 'NAME', got …". Without `hint`, the hint is an example of the
/// block `name`, if there is one. Always returns false.
bool report_type(const YamlNode& node, std::string_view expected, std::string_view name,
                 Diagnostics& diagnostics, std::string hint = {});

/// Returns a valid value of the block or key, as YAML in one line; empty for unknown names.
[[nodiscard]] std::string example_of(std::string_view block);

/// Reports that a value must be a mapping, and shows the key's example. Always returns false.
bool report_no_mapping(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics);

/// Reports a null, or an empty text that the key does not allow. Returns whether there was a
/// mistake.
bool report_empty(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics);
/// Reports a mapping without entries. Returns whether there was a mistake.
bool report_empty_mapping(const YamlNode& node, const KeyInfo& info, Diagnostics& diagnostics);

/// Reports an entry with an empty name in the mapping `info`. Returns whether there was a mistake.
bool report_empty_name(const YamlEntry& entry, const KeyInfo& info, Diagnostics& diagnostics);

/// The valid values of a key that takes several values.
struct ValueNodes {
  std::vector<const YamlNode*> nodes;
  bool ok = true;  ///< False if `nodes` lacks an invalid value, which was reported.
};
/// Returns the items of a list, or the value itself. Reports an empty list, and empty items.
[[nodiscard]] ValueNodes one_or_list(const YamlNode& node, const KeyInfo& info,
                                     Diagnostics& diagnostics);
/// Returns the items of a list, which can be empty. Reports a value that is not a list, and empty
/// items.
[[nodiscard]] ValueNodes list_items(const YamlNode& node, const KeyInfo& info,
                                    Diagnostics& diagnostics);

/// Returns the items of a list. Reports a value that is not a list, an empty list, and empty items.
[[nodiscard]] ValueNodes filled_list(const YamlNode& node, const KeyInfo& info,
                                     Diagnostics& diagnostics);

/// Reads each item with `read(node, item)`, and drops unreadable items. Returns false if it dropped
/// an item, or if `values` are not ok.
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

/// Returns the blocks of a key: one block or a list. The value of `any` and `all` must be a list.
[[nodiscard]] ValueNodes block_items(const YamlNode& node, const KeyInfo& info,
                                     Diagnostics& diagnostics);

}  // namespace patchbay::config
