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

/// One key of a block that is read into a struct `Block`: see key().
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

/// What the line of a key may say besides its name and what it is about: see KeyInfo.
struct KeyOptions {
  std::string_view example;
  std::string_view default_value{};
  Requirement requirement = Requirement::optional;
  Empty empty = Empty::refused;
  std::optional<ValueType> type{};  ///< Where the field's type does not tell.
};

/// The key that is read into a field. How, and its ValueType, follow from the field's type; for
/// another type, add a value_type and a read_value() to value_reader.h or beside its block.
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

/// The same keys where what is left out is said elsewhere.
template <typename Keys>
constexpr Keys without_defaults(Keys keys) {
  for (auto& k : keys) k.info.default_value = {};
  return keys;
}

/// The tables' data without how they are read.
template <typename... Tables>
std::vector<KeyInfo> key_infos(const Tables&... tables) {
  std::vector<KeyInfo> infos;
  (std::ranges::transform(tables, std::back_inserter(infos), [](const auto& k) { return k.info; }),
   ...);
  return infos;
}

/// Reads one mapping by one or more tables of keys, and reports what is wrong with it: no mapping,
/// empty values, missing keys, and, at the end, keys that no table has.
///
///     MapReader map(node, "mount", diagnostics);
///     map.read(kMountKeys, mount);
///     return map.finish();
class MapReader {
 public:
  /// `block` is the block's name in language(), and names it in messages. `instead_of_text`: what
  /// to write where text was written.
  MapReader(const YamlNode& node, std::string_view block, Diagnostics& diagnostics,
            std::string_view instead_of_text = {});

  template <typename Keys, typename Block>
  void read(const Keys& keys, Block& block) {
    for (const auto& k : keys) {
      const YamlNode* value = take(k.info);
      if (value != nullptr && !k.read(*value, k.info, block, *diagnostics_)) failed_ = true;
    }
  }

  /// For a key that is read by hand: its value; null if it is not given or empty.
  const YamlNode* take(const KeyInfo& info);

  /// finish() reports those of the keys that are required and were not given.
  template <typename Keys>
  void require(const Keys& keys) {
    for (const auto& k : keys) {
      if (k.info.required) require(k.info);
    }
  }

  /// The same of one key that what else is given requires.
  void require(const KeyInfo& info) { required_.push_back(info); }

  /// Reads the keys of a table of which exactly one must be given, which is then the block's
  /// `kind`, a word of which is its name. Each is a `what`, such as "probe".
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

  /// It is a mapping that is not empty.
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Where a key stands; where the mapping stands if it has no such key.
  [[nodiscard]] Position at(std::string_view key) const;
  /// Reports missing and unknown keys. True if nothing was wrong with the mapping and all that is
  /// in it.
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
  std::vector<std::string_view> choices_;  ///< Of read_one().
  std::string_view what_;
  bool usable_ = true;
  bool failed_ = false;
};

}  // namespace patchbay::config
