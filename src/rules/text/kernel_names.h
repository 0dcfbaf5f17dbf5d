#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Tables of Linux names that configurations are checked against. A new name is a new row. The
/// tables are not used for matching, and an unknown name causes no warning.
namespace patchbay::rules {

/// Names of one kind of devices: a stem and a number or a letter, as in ttyUSB0 and sda.
struct NumberedName {
  std::string_view stem;
  std::string_view subsystems;  ///< Subsystems of devices with such names, separated by spaces.
  std::string_view first = "0";
  std::string_view directory = "/dev/";  ///< Directory of their nodes; empty: no nodes.
};
[[nodiscard]] std::span<const NumberedName> numbered_names();

/// A driver and the subsystem of its devices.
struct DriverName {
  std::string_view name;       ///< Name in /sys/bus/*/drivers.
  std::string_view subsystem;  ///< Subsystem of the devices with nodes.
  std::string_view module{};   ///< Module name, if different.
};
/// The driver with this name or module name, in any notation. Null if none is known.
[[nodiscard]] const DriverName* find_driver(std::string_view word);

/// Words that people write in place of the name of a subsystem.
struct SubsystemWord {
  std::string_view words;        ///< Words separated by spaces.
  std::string_view replacement;  ///< Replacement as written in a match.
};
/// Null for an unknown word.
[[nodiscard]] const SubsystemWord* find_subsystem_word(std::string_view word);

/// Whether the tables have the device names of this subsystem.
[[nodiscard]] bool is_known_subsystem(std::string_view subsystem);

/// The subsystem of the nodes of devices that have none themselves: hidraw for hid. Empty: not
/// known.
[[nodiscard]] std::string_view subsystem_of_nodes(std::string_view subsystem);

/// Whether the path is a directory on every host that has it: /dev/dri.
[[nodiscard]] bool is_known_directory(std::string_view path);

/// Whether a list separated by spaces contains the word.
[[nodiscard]] bool contains_word(std::string_view words, std::string_view word);

}  // namespace patchbay::rules
