#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/keys.h"
#include "config/value_reader.h"
#include "config/yaml_tree.h"

namespace patchbay::config {

/// One key of a block, and the function that reads its value into the struct `Block`: see key().
template <typename Block>
struct KeyReader {
  KeyInfo info;
  bool (*read)(const YamlNode&, const KeyInfo&, Block&, Diagnostics&);
  void (*copy)(const Block& from, Block& to);
};

enum class Requirement { optional, required };
enum class Empty { refused, allowed };

template <auto Member>
struct MemberOf;
template <typename B, typename F, F B::*Member>
struct MemberOf<Member> {
  using Block = B;
  using Field = F;
};

/// Optional properties of a key: see KeyInfo.
struct KeyOptions {
  std::string_view example;
  std::string_view default_value{};
  Requirement requirement = Requirement::optional;
  Empty empty = Empty::refused;
  std::optional<ValueType> type{};  ///< Needed if the field's type does not determine it.
};

/// Declares the key whose value is read into the field `Member`. The field's type determines the
/// ValueType and the read_value(). For a new type, add its kValueType and read_value() to
/// value_reader.h or part_readers.h.
template <auto Member>
constexpr auto key(std::string_view name, std::string_view about, const KeyOptions& options) {
  using Block = typename MemberOf<Member>::Block;
  using Field = typename MemberOf<Member>::Field;
  return KeyReader<Block>{
      .info = {.name = name,
               .about = about,
               .example = options.example,
               .default_value = options.default_value,
               .words = kWordsOf<Field>,
               .type = options.type.value_or(kValueType<Field>),
               .required = options.requirement == Requirement::required,
               .may_be_empty = options.empty == Empty::allowed},
      .read =
          [](const YamlNode& node, const KeyInfo& info, Block& block, Diagnostics& diagnostics) {
            return read_value(node, info, block.*Member, diagnostics);
          },
      .copy = [](const Block& from, Block& to) { to.*Member = from.*Member; }};
}

/// Returns the KeyInfo of all keys of the tables.
template <typename... Tables>
std::vector<KeyInfo> key_infos(const Tables&... tables) {
  std::vector<KeyInfo> infos;
  (std::ranges::transform(tables, std::back_inserter(infos), [](const auto& k) { return k.info; }),
   ...);
  return infos;
}

/// Reads a mapping whose keys are in one or more tables. Reports a value that is not a mapping,
/// empty values and, in finish(), missing and unknown keys.
///
///     MapReader map(node, "mount", diagnostics);
///     map.read(kMountKeys, mount);
///     return map.finish();
class MapReader {
 public:
  /// `block` is the block's name in language() and in messages. `instead_of_text` is the hint if
  /// the value is a text, not a mapping.
  MapReader(const YamlNode& node, std::string_view block, Diagnostics& diagnostics,
            std::string_view instead_of_text = {});

  template <typename Keys, typename Block>
  void read(const Keys& keys, Block& block) {
    for (const auto& k : keys) {
      const YamlNode* value = take(k.info);
      if (value != nullptr && !k.read(*value, k.info, block, *diagnostics_)) failed_ = true;
    }
  }

  /// Marks a key as known, and returns its value for another reader. Null if the key is absent or
  /// has no value.
  const YamlNode* take(const KeyInfo& info);

  /// Lets finish() report each required key of the table that is absent.
  template <typename Keys>
  void require(const Keys& keys) {
    for (const auto& k : keys) {
      if (k.info.required) require(k.info);
    }
  }

  /// Lets finish() report this key if it is absent.
  void require(const KeyInfo& info) { required_.push_back(info); }

  /// Reads a table of keys, exactly one of which must be present. Sets the block's `kind` to the
  /// enumerator with the key's name. `what` is the noun in messages, such as "probe".
  template <typename Keys, typename Block>
  void read_one(const Keys& keys, Block& block, std::string_view what) {
    read(keys, block);
    for (const auto& k : keys) {
      choices_.push_back(k.info.name);
      if (!has(k.info.name)) continue;
      block.kind = {*from_word<decltype(block.kind.value)>(k.info.name), at(k.info.name)};
    }
    what_ = what;
  }

  /// Whether the value is a mapping that is not empty.
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The position of the key, or of the mapping if the key is absent.
  [[nodiscard]] Position at(std::string_view key) const;
  /// Reports missing and unknown keys. Returns true if the mapping and all its values are valid.
  [[nodiscard]] bool finish();

 private:
  [[nodiscard]] const YamlEntry* find(std::string_view key) const;
  [[nodiscard]] bool is_known(std::string_view key) const;
  [[nodiscard]] bool is_misspelt(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> suggestion_for(std::string_view unknown) const;
  void report_missing(const KeyInfo& info);
  void report_choice();
  [[nodiscard]] std::string hint_for(std::string_view unknown) const;

  const YamlNode* node_;
  std::string_view block_;
  Diagnostics* diagnostics_;
  std::vector<std::string_view> known_;
  std::vector<KeyInfo> required_;
  std::vector<std::string_view> choices_;  ///< For read_one().
  std::string_view what_;
  bool usable_ = true;
  bool failed_ = false;
};

}  // namespace patchbay::config
