#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/lint/text_advice.h"
#include "rules/text/kernel_names.h"
#include "rules/text/text_hint.h"

namespace patchbay::rules {
namespace {

bool full_match(const std::string& text, const char* regex) {
  return re2::RE2::FullMatch(text, regex);
}

std::string write_quoted(std::string_view text) { return fmt::format("write \"{}\"", text); }

/// The condition that a text with an operator or a range means: "{ge: 0, le: 3}" for "0-3". Empty
/// if the text has neither.
std::string as_bounds(const std::string& text) {
  static const re2::RE2 range(R"(\s*(\d+)\s*(?:-|\.\.+|…)\s*(\d+)\s*)");
  static const re2::RE2 compared(R"(\s*(>=|<=|>|<)\s*([0-9.]+ ?(?:k|[KMGT]i?)?)[bB]?\s*)");
  std::string a;
  std::string b;
  if (re2::RE2::FullMatch(text, range, &a, &b)) return fmt::format("{{ge: {}, le: {}}}", a, b);
  if (!re2::RE2::FullMatch(text, compared, &a, &b)) return {};
  const std::string_view key = a == ">=" ? "ge" : a == "<=" ? "le" : a == ">" ? "gt" : "lt";
  return fmt::format("{{{}: {}}}", key, b);
}

std::string number_hint(const std::string& text) {
  const std::string bounds = as_bounds(text);
  if (!bounds.empty()) return fmt::format("write {}", bounds);
  std::string number;
  if (re2::RE2::FullMatch(text, R"([A-Za-z_/]*0*(\d+))", &number)) return write_quoted(number);
  return "write only the number, or bounds such as {ge: 100}";
}

std::string flag_hint(const std::string& text) {
  constexpr std::string_view kYes = "true yes on y enabled up";
  return write_quoted(contains_word(kYes, lower_case(std::string(text))) ? "1" : "0");
}

/// The digits of an id with this width, as it is compared.
std::string id_digits(const std::string& text, size_t width) {
  std::string digits = lower_case(std::string(text));
  if (digits.starts_with("0x")) digits = digits.substr(2);
  return fmt::format("{:0>{}}", digits, width);
}

std::string pci_id_hint(const std::string& text) {
  return fmt::format("write \"0x{}\"; pci: accepts ids in any notation", id_digits(text, 4));
}

std::string usb_id_hint(const std::string& text) {
  return fmt::format("write \"{}\"; usb: accepts ids in any notation", id_digits(text, 4));
}

std::string two_digits_hint(const std::string& text) {
  if (!full_match(text, "(?:0[xX])?[0-9a-fA-F]{1,2}")) return "write two hex digits: \"ff\"";
  return write_quoted(id_digits(text, 2));
}

/// The hint for an address without domain or function, with capitals, or in the form of udev's
/// ID_PATH.
std::string pci_address_hint(const std::string& text) {
  static const re2::RE2 parts(R"((?:pci-)?([0-9a-f]{4,}:)?([0-9a-f]{2}:[0-9a-f]{2})(\.[0-7])?)");
  std::string domain;
  std::string device;
  std::string function;
  if (!re2::RE2::FullMatch(lower_case(std::string(text)), parts, &domain, &device, &function)) {
    return "write domain, bus, device and function in lower case; lspci -D shows them";
  }
  return fmt::format("write \"{}{}{}\"{}", domain.empty() ? "0000:" : domain, device,
                     function.empty() ? ".*" : function,
                     domain.empty() ? "; lspci -D shows the domain, which lspci leaves out" : "");
}

std::string usb_port_hint(const std::string& text) {
  std::string ports;
  if (!re2::RE2::FullMatch(text, R"(\d+-([0-9.]+))", &ports)) {
    return "write the controller, the USB revision of its root hub, and the port numbers down to "
           "the device";
  }
  return fmt::format(
      "bus numbers change at each boot: write \"*-usbv*-{}\" to match this port on any controller",
      ports);
}

std::string numa_hint(const std::string& text) {
  if (text != "-1") return number_hint(text);
  return "-1 of the kernel means that the value is absent: write {exists: false}; for a device "
         "with a node write {exists: true}";
}

std::string node_hint(const std::string& text) {
  if (text.contains('/')) return "write a path that begins with /dev/";
  return fmt::format("write /dev/{}, or compare its name:", text);
}

std::string path_hint(const std::string& text) {
  return fmt::format("write the whole path, or \"*/{}\" for any directory", base_name(text));
}

/// The form of one value. It is compared with texts without wildcards.
struct ValueShape {
  std::string_view key;
  std::string_view names;       ///< Names separated by spaces; empty: any name.
  std::string_view subsystems;  ///< Subsystems in which the name has this meaning: empty: any;
                                ///< after a '!': any other.
  const char* written;          ///< Regex of texts that are meant as this value; null: any text.
  const char* right;            ///< Regex of all possible values.
  std::string_view what;        ///< Text after "X can never match: ".
  std::string (*hint)(const std::string& text);
};

constexpr std::string_view kWithUsbProperties = "tty usb input hidraw video4linux block usbmisc";
constexpr const char* kDecimal = "0|[1-9][0-9]*";
constexpr std::string_view kNumber = "the kernel writes a decimal number";

constexpr std::array kShapes{
    ValueShape{"pci", "address rootPort physfn", "", nullptr,
               R"([0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", "a PCI address is 0000:3b:00.0",
               pci_address_hint},
    ValueShape{"pci", "vf", "", nullptr, kDecimal, "the number of a virtual function is 0, 1, …",
               number_hint},
    ValueShape{"usb", "socket", "", nullptr, R"(.+-usbv\d+-[\d.]+)",
               "a USB socket is 0000:00:14.0-usbv2-2.4", usb_port_hint},
    ValueShape{"usb", "interface", "", nullptr, "[0-9a-f]{2}", "an interface is two digits, 00",
               two_digits_hint},
    ValueShape{"numaNode", "", "", nullptr, kDecimal, "a NUMA node is 0, 1, …", numa_hint},
    ValueShape{"iommuGroup", "", "", nullptr, kDecimal, "an IOMMU group is 0, 1, …", number_hint},
    ValueShape{"devnode", "", "", nullptr, "/dev/.+", "a device node is /dev/ttyUSB0", node_hint},
    ValueShape{"link", "", "", nullptr, "/dev/.+", "a link is a path, /dev/serial/by-id/…",
               path_hint},
    ValueShape{"path", "", "", nullptr, "/.+", "the whole path is compared, /run/vm/net.sock",
               path_hint},
    ValueShape{"attribute", "ro hidden rotational carrier boot_vga", "", nullptr, "[01]",
               "the kernel writes 0 or 1", flag_hint},
    ValueShape{"attribute", "vendor device subsystem_vendor subsystem_device", "!block scsi",
               "(?:0[xX])?[0-9a-fA-F]{3,4}", "0x[0-9a-f]{4}",
               "the kernel writes 0x and four lower-case hex digits", pci_id_hint},
    ValueShape{"attribute", "idVendor idProduct", "", "(?:0[xX])?[0-9a-fA-F]{1,4}", "[0-9a-f]{4}",
               "the kernel writes four lower-case hex digits without 0x", usb_id_hint},
    ValueShape{"attribute", "mtu ifindex sriov_numvfs sriov_totalvfs mem_info_vram_total", "",
               nullptr, kDecimal, kNumber, number_hint},
    ValueShape{"attribute", "size", "block", nullptr, kDecimal, kNumber, number_hint},
    ValueShape{"property", "ID_VENDOR_ID ID_MODEL_ID", kWithUsbProperties,
               "(?:0[xX])?[0-9a-fA-F]{1,4}", "[0-9a-f]{4}",
               "udev writes four lower-case hex digits without 0x for USB", usb_id_hint},
};

/// The name as in the table, without the directory of a parent or of a group of attributes.
std::string_view value_name(const ComparedValue& value) {
  for (const std::string_view directory : {"device/", "queue/"}) {
    if (value.name.starts_with(directory)) return value.name.substr(directory.size());
  }
  return value.name;
}

bool is_of(const ValueShape& shape, const ComparedValue& value) {
  if (shape.key != value.key) return false;
  if (!shape.names.empty() && !contains_word(shape.names, value_name(value))) return false;
  if (shape.subsystems.empty()) return true;
  const bool excluded = shape.subsystems.starts_with('!');
  return contains_word(shape.subsystems.substr(excluded ? 1 : 0), value.device.subsystem) !=
         excluded;
}

/// `>= 100` for a value of unknown form.
std::optional<Advice> operator_in_text(const std::string& written) {
  const std::string bounds =
      written.find_first_of("<>") == std::string::npos ? "" : as_bounds(written);
  if (bounds.empty()) return std::nullopt;
  return Advice{
      .message = fmt::format("'{}' is compared as text: operators have no effect", written),
      .hint = fmt::format("write {}", bounds)};
}

}  // namespace

std::optional<Advice> value_shape_advice(const ComparedValue& value, const ComparedText& text) {
  const std::string& written = text.text.value;
  if (written.find("$(") != std::string::npos) return std::nullopt;
  const bool plain =
      text.form == ComparedText::Form::glob && written.find_first_of("*?[\\") == std::string::npos;
  if (!plain) return std::nullopt;
  for (const ValueShape& shape : kShapes) {
    if (!is_of(shape, value)) continue;
    if (shape.written != nullptr && !full_match(written, shape.written)) continue;
    if (full_match(written, shape.right)) return std::nullopt;
    std::string presence = presence_hint(written);
    return Advice{.message = fmt::format("'{}' can never match: {}", written, shape.what),
                  .hint = presence.empty() ? shape.hint(written) : std::move(presence),
                  .mistake = shape.key != "attribute" && shape.key != "property"};
  }
  return operator_in_text(written);
}

}  // namespace patchbay::rules
