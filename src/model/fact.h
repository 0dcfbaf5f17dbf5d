#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The table of all facts, for matching, templates, readers of facts and the reference pages.
/// `config` reads conditions on facts, `rules` compiles them, and `host` reads the facts that a
/// plan needs.
///
/// A fact is also a key of `match` or `when`, and a variable. To add a fact, add:
/// - its name in Fact. A field of `usb` or `pci` needs no name there;
/// - its row in fact.cpp, with help and example. The key, the variable, the schema and the reads
///   follow from the row;
/// - its read in host/facts: fact_reader.cpp, device_ancestry.cpp or udev_record.cpp. A value that
///   needs no read is in values_of() (model/facts.cpp);
/// - tests: the read, a rule that compares the fact, no value, and a hostile value in an id, a path
///   and a text;
/// - its rows in docs/configuration.md (keys and variables), and the schema.
namespace patchbay {

/// All facts of entities. Facts without a cost are fields of DeviceFacts.
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

/// The source of a fact, the cheapest first.
enum class Cost : uint8_t {
  none,      ///< Known with the entity itself.
  sysfs,     ///< Files in /sys.
  database,  ///< udev's database.
  file,      ///< Other host files. Their paths can depend on all other facts.
};

/// The kind of a match, named by its key. A `when` is a match of the node.
enum class RuleKind : uint8_t { subsystem, sysfs, glob, static_name, node };

/// The key: "subsystem", "sysfs", "glob", "static" or "when".
[[nodiscard]] std::string_view rule_word(RuleKind kind);

/// A set of rule kinds.
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
/// The kinds of rules that select devices of units.
inline constexpr RuleKinds kUnitRules(RuleKind::subsystem, RuleKind::sysfs, RuleKind::glob,
                                      RuleKind::static_name);

/// One of several facts with a common word, such as `vendor` of `usb`.
struct FactField {
  std::string_view name;
  std::string_view about{};    ///< One line of the reference. Empty: for internal use, not a key.
  std::string_view example{};  ///< A condition on the field, as YAML in one line.
  bool is_id = false;          ///< A hexadecimal id, which has several spellings.
};

/// A row of the table of facts.
struct FactInfo {
  Fact fact = Fact::name;
  std::string_view word;  ///< The key in `match` or `when`, and in $(…).
  Cost cost = Cost::none;
  RuleKinds compared_in{};              ///< The kinds of rules that can have the key.
  RuleKinds variable_in{};              ///< The kinds of rules whose texts can contain $(word).
  bool has_argument = false;            ///< Several facts have this word, each with a NAME.
  bool variable_by_name = false;        ///< The variable is $(word.NAME).
  bool begins_path = false;             ///< The value is a path: $(word) can only begin a path.
  std::span<const FactField> fields{};  ///< All allowed names. Empty: any name.
  std::string_view about{};             ///< One line of the reference. Empty: not a key.
  std::string_view example{};           ///< A value of the key, as YAML in one line.
  std::string_view example_name{};      ///< A NAME for the variable.
};

/// The table, in the order of Fact. The reference has the same order.
[[nodiscard]] std::span<const FactInfo> all_facts();
[[nodiscard]] const FactInfo& info(Fact fact);
/// Null if no fact has that word.
[[nodiscard]] const FactInfo* find_fact(std::string_view word);
/// Null if the fact has no such field.
[[nodiscard]] const FactField* find_field(const FactInfo& fact, std::string_view name);

/// The type of the target of a path; symbolic links are followed.
enum class PathType : uint8_t { character_device, block_device, file, directory, socket, other };

/// The written form in `type:`. "other" for types that `type:` cannot name.
[[nodiscard]] std::string_view path_type_word(PathType type);
/// All types that `type:` can name.
[[nodiscard]] std::span<const std::string_view> path_type_words();

}  // namespace patchbay
