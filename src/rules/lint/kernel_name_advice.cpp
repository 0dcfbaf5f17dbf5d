#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "config/foreign_words.h"
#include "rules/lint/text_advice.h"
#include "rules/match/hardware_id.h"
#include "rules/text/kernel_names.h"
#include "rules/text/text_hint.h"

namespace patchbay::rules {
namespace {

using WordCheck = std::optional<Advice> (*)(const ComparedValue& value, const std::string& written);

/// The row with this name, or with names that this pattern matches.
const NumberedName* find_numbered_name(std::string_view text) {
  const auto names = numbered_names();
  const auto found = std::ranges::find_if(names, [&](const NumberedName& name) {
    if (!text.starts_with(name.stem)) return false;
    const std::string_view rest = text.substr(name.stem.size());
    const bool numbered = name.first != "a";
    return rest.empty() || rest == "*" || (numbered && rest.find_first_of(kDigits) == 0);
  });
  return found == names.end() ? nullptr : &*found;
}

std::optional<Advice> subsystem_word(const ComparedValue& value, const std::string& written) {
  if (value.key != "subsystem") return std::nullopt;
  const auto advise = [&](std::string_view what, std::string hint) {
    return Advice{.message = fmt::format("'{}' is {}", written, what), .hint = std::move(hint)};
  };
  if (is_known_subsystem(written)) return std::nullopt;
  if (const SubsystemWord* const word = find_subsystem_word(written)) {
    // The kernel has this subsystem: it is used without a tty by drivers of the kernel.
    const bool real = written == "serial";
    return advise(real ? "the subsystem of devices without a node: serial ports are in another one"
                       : "not a subsystem of the kernel",
                  fmt::format("write {}", word->replacement));
  }
  if (const DriverName* const driver = find_driver(written); driver != nullptr) {
    return advise("a driver, not a subsystem",
                  fmt::format("write subsystem: {}, driver: {}", driver->subsystem, driver->name));
  }
  if (const NumberedName* const name = find_numbered_name(written);
      name != nullptr && !contains_word(name->subsystems, written)) {
    return advise("a device name, not a subsystem",
                  fmt::format("write subsystem: {}, name: \"{}{}\"",
                              name->subsystems.substr(0, name->subsystems.find(' ')), written,
                              written == name->stem ? "*" : ""));
  }
  const std::string small = lower_case(std::string(written));
  if (small != written && is_known_subsystem(small)) {
    return advise("not a subsystem of the kernel: its names are lower case",
                  fmt::format("write subsystem: {}", small));
  }
  return std::nullopt;
}

std::string_view first_subsystem(const NumberedName& name) {
  return name.subsystems.substr(0, name.subsystems.find(' '));
}

/// `name: ttyUSB`, and `devnode: /dev/ttyUSB`.
std::optional<Advice> name_without_number(const ComparedValue& value, const std::string& written) {
  const bool node = value.key == "devnode" && written.starts_with("/dev/");
  if ((value.key != "name" && !node) || value.kind == RuleKind::static_name ||
      value.device.subsystem == "misc") {
    return std::nullopt;
  }
  const std::string_view name = node ? base_name(written) : std::string_view(written);
  const auto names = numbered_names();
  const auto row = std::ranges::find(names, name, &NumberedName::stem);
  if (row == names.end()) return std::nullopt;
  return Advice{
      .message = fmt::format("'{}' is not a whole name: the kernel adds a {}, as in '{}{}'",
                             written, row->first == "a" ? "letter" : "number", written, row->first),
      .hint = fmt::format("to match any of them write {}: \"{}*\"", value.key, written)};
}

/// `subsystem: usb` beside `name: "ttyUSB*"`.
std::optional<Advice> foreign_name(const ComparedValue& value, const std::string& written) {
  const std::string_view subsystem = value.device.subsystem;
  const bool node = value.key == "devnode";
  // Administrators can rename network interfaces to any name.
  const bool named = value.key == "name" && subsystem != "net";
  if ((!named && !node) || !is_known_subsystem(subsystem)) return std::nullopt;
  const NumberedName* const row =
      find_numbered_name(node ? base_name(written) : std::string_view(written));
  if (row == nullptr || contains_word(row->subsystems, subsystem)) return std::nullopt;
  if (node && !written.starts_with(row->directory)) return std::nullopt;
  return Advice{.message = fmt::format("no device of subsystem '{}' has the {} '{}'", subsystem,
                                       node ? "node" : "name", written),
                .hint = fmt::format(
                    "write subsystem: {}; for conditions on the {} device write usb: or ancestor:",
                    first_subsystem(*row), subsystem)};
}

std::optional<Advice> driver_name(const ComparedValue& value, const std::string& written) {
  const bool of_function = value.key == "pci" && value.name == "driver";
  const bool attribute = value.key == "attribute" && base_name(value.name) == "driver";
  if (value.key != "driver" && !of_function && !attribute) return std::nullopt;
  const DriverName* const driver = find_driver(written);
  if (driver == nullptr) return std::nullopt;
  // The interface of such an adapter has a driver with the name of the module.
  const bool module = written == driver->module;
  if (written == driver->name || (module && value.device.subsystem != driver->subsystem)) {
    return std::nullopt;
  }
  return Advice{
      .message = fmt::format(
          "no driver is named '{}'{}", written,
          module ? ": it is a module, and its driver for serial ports has another name" : ""),
      .hint =
          fmt::format("write {}: {}", value.name.empty() ? value.key : value.name, driver->name)};
}

/// vf: selects a virtual function.
std::optional<Advice> function_of_interface(const ComparedValue& value,
                                            const std::string& written) {
  static const re2::RE2 selector(R"(([^#]+)#(\d+)(?:-(\d+))?)");
  if (value.key != "pci" || value.name != "pfName") return std::nullopt;
  const size_t hash = written.find('#');
  if (hash == std::string::npos) return std::nullopt;
  std::string name;
  std::string first;
  std::string last;
  const bool plain = re2::RE2::FullMatch(written, selector, &name, &first, &last);
  return Advice{
      .offset = hash,
      .message =
          fmt::format("no interface is named '{}': '#' does not select functions here", written),
      .hint = plain ? fmt::format("write pci: {{pfName: {}, vf: {}}}", name,
                                  last.empty() ? fmt::format("\"{}\"", first)
                                               : fmt::format("{{ge: {}, le: {}}}", first, last))
                    : "write pci: {pfName: ens1f0, vf: [\"0\", {ge: 4, le: 7}]}"};
}

}  // namespace

std::optional<Advice> kernel_name_advice(const ComparedValue& value, const ComparedText& text) {
  const std::string& written = text.text.value;
  if (text.form == ComparedText::Form::regex || written.find("$(") != std::string::npos) {
    return std::nullopt;
  }
  constexpr std::array<WordCheck, 5> kChecks{subsystem_word, name_without_number, foreign_name,
                                             driver_name, function_of_interface};
  for (const WordCheck check : kChecks) {
    if (auto advice = check(value, written)) return advice;
  }
  return std::nullopt;
}

}  // namespace patchbay::rules
