#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The facts there are of things: one table, of which matching, texts, reading and the reference
/// are made. To add one: its name in Fact, its row in fact.cpp, and how the host reads it.
namespace patchbay {

/// What can be known of a thing. Those that cost nothing stand in DeviceFacts itself.
enum class Fact : uint8_t {
  name,
  subsystem,
  devtype,
  devnode,
  driver,
  numa_node,
  iommu_group,
  usb,
  pci,
  identity,
  attribute,
  property,
  syspath,
  path,
  tag,
  link,
  type,
  node,
  glob,
  file,
  env,
};

/// How a fact is known, the cheapest first.
enum class Cost : uint8_t {
  none,      ///< With the thing itself.
  sysfs,     ///< Files in /sys.
  database,  ///< udev's database.
  file,      ///< Other files of the host, of which only the whole thing tells which.
};

/// What a match looks at: the key that it has. A `when` is the match of the node.
enum class RuleKind : uint8_t { subsystem, sysfs, glob, static_name, node };

/// "subsystem", "sysfs", "glob", "static" or "when", as it is written.
[[nodiscard]] std::string_view rule_word(RuleKind kind);

/// Some kinds of rules.
class RuleKinds {
 public:
  constexpr RuleKinds() = default;
  template <typename... Kinds>
  constexpr explicit RuleKinds(Kinds... kinds) : bits_((0U | ... | bit(kinds))) {}
  [[nodiscard]] constexpr bool contains(RuleKind kind) const { return (bits_ & bit(kind)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr unsigned bit(RuleKind kind) { return 1U << static_cast<unsigned>(kind); }
  unsigned bits_ = 0;
};

inline constexpr RuleKinds kDeviceRules(RuleKind::subsystem, RuleKind::sysfs);
/// Of whatever can be a unit's.
inline constexpr RuleKinds kUnitRules(RuleKind::subsystem, RuleKind::sysfs, RuleKind::glob,
                                      RuleKind::static_name);

/// One of the facts that have a first name in common: `vendor` of `usb`.
struct FactField {
  std::string_view name;
  std::string_view about{};    ///< One line of the reference; empty: no key, read by ourselves.
  std::string_view example{};  ///< A condition on it, as YAML in one line.
  bool is_id = false;          ///< Hex digits, which anybody may write otherwise.
};

/// A row of the table.
struct FactInfo {
  Fact fact = Fact::name;
  std::string_view word;  ///< The key of `match` or `when`, and of $(…).
  Cost cost = Cost::none;
  RuleKinds compared_in{};              ///< The rules that may have the key,
  RuleKinds variable_in{};              ///< and those whose texts may hold $(word).
  bool has_argument = false;            ///< There are many of that word, each with a name.
  bool variable_by_name = false;        ///< So in texts: $(word.NAME).
  bool begins_path = false;             ///< Is a whole path: in one, it can only be the beginning.
  std::span<const FactField> fields{};  ///< All the names there are; none: any.
  std::string_view about{};             ///< One line of the reference; empty: it is no key.
  std::string_view example{};           ///< A value of the key, as YAML in one line.
  std::string_view example_name{};      ///< Of NAME in texts.
};

/// The table, in the order in which people read it: that of Fact.
[[nodiscard]] std::span<const FactInfo> all_facts();
[[nodiscard]] const FactInfo& info(Fact fact);
/// Null if there is none of that word.
[[nodiscard]] const FactInfo* find_fact(std::string_view word);
/// Null if the fact has no such part.
[[nodiscard]] const FactField* find_field(const FactInfo& fact, std::string_view name);

/// The type of what a path leads to; symbolic links are followed.
enum class PathType : uint8_t { character_device, block_device, file, directory, socket, other };

/// As `type:` has it; "other" for what it cannot say.
[[nodiscard]] std::string_view path_type_word(PathType type);
/// All that `type:` can say.
[[nodiscard]] std::span<const std::string_view> path_type_words();

}  // namespace patchbay
