#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Names of Linux that configurations are checked against: tables, to which a name is added by a
/// row. Nothing is matched by them; what they lack is not warned of.
namespace patchbay::rules {

/// Devices of one kind are named by a stem and a number or a letter: ttyUSB0, sda.
struct NumberedName {
  std::string_view stem;
  std::string_view subsystems;  ///< Of devices with such names, blanks between.
  std::string_view first = "0";
  std::string_view directory = "/dev/";  ///< Of their nodes; empty: they have none.
};
[[nodiscard]] std::span<const NumberedName> numbered_names();

/// A driver, and where the devices are that it makes.
struct DriverName {
  std::string_view name;       ///< As in /sys/bus/*/drivers.
  std::string_view subsystem;  ///< Of the devices that have nodes.
  bool of_usb_interface = false;
  std::string_view module{};  ///< Where it has another name.
};
/// The driver of that name or module, however it is written; null if none is known.
[[nodiscard]] const DriverName* find_driver(std::string_view word);

/// Words that people write in place of the name of a subsystem.
struct SubsystemWord {
  std::string_view words;        ///< Blanks between.
  std::string_view replacement;  ///< As it is written in a match.
};
/// Null if nothing is known of the word.
[[nodiscard]] const SubsystemWord* find_subsystem_word(std::string_view word);

/// Whether it is a subsystem of which these tables know what devices are named.
[[nodiscard]] bool is_known_subsystem(std::string_view subsystem);

/// The DEVTYPEs that devices of the subsystem have, blanks between; "-": they have none. Empty: not
/// known.
[[nodiscard]] std::string_view devtypes_of(std::string_view subsystem);

/// Whether devices of the subsystem have no device node.
[[nodiscard]] bool is_without_nodes(std::string_view subsystem);
/// The subsystem of the nodes of these devices; empty: not known.
[[nodiscard]] std::string_view subsystem_of_nodes(std::string_view subsystem);

/// Whether the path is a directory on every host that has it: /dev/dri.
[[nodiscard]] bool is_known_directory(std::string_view path);

/// Whether a list with blanks between holds the word.
[[nodiscard]] bool contains_word(std::string_view words, std::string_view word);

/// A word in small letters, without `-` and `_`, as such tables are searched.
[[nodiscard]] std::string fold_word(std::string_view text);

}  // namespace patchbay::rules
