#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/ascii.h"
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

std::string number_hint(const std::string& text, std::string_view /*form*/) {
  const std::string bounds = as_bounds(text);
  if (!bounds.empty()) return fmt::format("write {}", bounds);
  std::string number;
  if (re2::RE2::FullMatch(text, R"([A-Za-z_/]*0*(\d+))", &number)) return write_quoted(number);
  return "write only the number, or bounds such as {ge: 100}";
}

std::string flag_hint(const std::string& text, std::string_view /*form*/) {
  constexpr std::string_view kYes = "true yes on y enabled up 1.0 active";
  return write_quoted(contains_word(kYes, lower_case(std::string(text))) ? "1" : "0");
}

std::string udev_flag_hint(const std::string& text, std::string_view form) {
  return flag_hint(text, form) == write_quoted("1") ? write_quoted("1")
                                                    : "write {not: \"1\"} or {exists: false}";
}

/// The digits of an id with this width, as it is compared.
std::string id_digits(const std::string& text, size_t width) {
  std::string digits = lower_case(std::string(text));
  if (digits.starts_with("0x")) digits = digits.substr(2);
  return fmt::format("{:0>{}}", digits, width);
}

std::string pci_id_hint(const std::string& text, std::string_view /*form*/) {
  return fmt::format("write \"0x{}\"; pci: accepts ids in any notation", id_digits(text, 4));
}

std::string pci_class_hint(const std::string& text, std::string_view /*form*/) {
  std::string digits = lower_case(std::string(text));
  if (digits.starts_with("0x")) digits = digits.substr(2);
  return digits.size() == 6 ? fmt::format("write \"0x{}\"", digits)
                            : fmt::format("write \"0x{}*\", or pci: {{class: …}}", digits);
}

std::string usb_id_hint(const std::string& text, std::string_view /*form*/) {
  return fmt::format("write \"{}\"; usb: accepts ids in any notation", id_digits(text, 4));
}

std::string two_digits_hint(const std::string& text, std::string_view /*form*/) {
  if (!full_match(text, "(?:0[xX])?[0-9a-fA-F]{1,2}")) return "write two hex digits: \"ff\"";
  return write_quoted(id_digits(text, 2));
}

std::string small_hint(const std::string& text, std::string_view /*form*/) {
  return write_quoted(lower_case(std::string(text)));
}

/// The hint for a value that is one of a few words. `form` lists them as `a|b`.
std::string words_hint(const std::string& text, std::string_view form) {
  const auto words = split(form, '|');
  const std::string small = lower_case(std::string(text));
  if (std::ranges::find(words, small) != words.end()) return write_quoted(small);
  return fmt::format("write one of: {}", fmt::join(words, ", "));
}

std::string colons_hint(const std::string& text, std::string_view /*form*/) {
  return fmt::format("write \"*:{}:*\"", text);
}

std::string path_id_hint(const std::string& text, std::string_view /*form*/) {
  return fmt::format(R"(write "pci-{}*", or pci: {{address: "{}"}})", text, text.substr(0, 12));
}

std::string devname_hint(const std::string& text, std::string_view /*form*/) {
  return fmt::format("write devnode: /dev/{}", text);
}

std::string devpath_hint(const std::string& text, std::string_view /*form*/) {
  return write_quoted(text.substr(std::string_view("/sys").size()));
}

std::string devlinks_hint(const std::string& text, std::string_view /*form*/) {
  return fmt::format("write link: {}", text);
}

std::string line_hint(const std::string& text, std::string_view /*form*/) {
  return fmt::format("write property: {{{}: …}}", text.substr(0, text.find('=')));
}

std::string wwn_hint(const std::string& text, std::string_view /*form*/) {
  return write_quoted("0x" + id_digits(text, 16));
}

/// The hint for an address without domain or function, with capitals, or in the form of udev's
/// ID_PATH.
std::string pci_address_hint(const std::string& text, std::string_view /*form*/) {
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

std::string usb_port_hint(const std::string& text, std::string_view /*form*/) {
  std::string ports;
  if (!re2::RE2::FullMatch(text, R"(\d+-([0-9.]+))", &ports)) {
    return "write the controller, the USB revision of its root hub, and the port numbers down to "
           "the device";
  }
  return fmt::format(
      "bus numbers change at each boot: write \"*-usbv*-{}\" to match this port on any controller",
      ports);
}

std::string numa_hint(const std::string& text, std::string_view form) {
  if (text != "-1") return number_hint(text, form);
  return "-1 of the kernel means that the value is absent: write {exists: false}; for a device "
         "with a node write {exists: true}";
}

std::string node_hint(const std::string& text, std::string_view /*form*/) {
  if (text.contains('/')) return "write a path that begins with /dev/";
  return fmt::format("write /dev/{}, or compare its name:", text);
}

std::string path_hint(const std::string& text, std::string_view /*form*/) {
  return fmt::format("write the whole path, or \"*/{}\" for any directory", base_name(text));
}

/// The form of one value. It is compared with texts without wildcards.
struct ValueShape {
  std::string_view key;
  std::string_view names;  ///< Names separated by spaces, or their prefix up to a '_'; empty: any
                           ///< name.
  std::string_view subsystems;  ///< Subsystems in which the name has this meaning: empty: any;
                                ///< after a '!': any other.
  const char* written;          ///< Regex of texts that are meant as this value; null: any text.
  const char* right;            ///< Regex of all possible values.
  std::string_view what;        ///< Text after "X can never match: ".
  std::string (*hint)(const std::string& text, std::string_view form);
};

constexpr std::string_view kWithUsbProperties = "tty usb input hidraw video4linux block usbmisc";
constexpr const char* kDecimal = "0|[1-9][0-9]*";
constexpr std::string_view kNumber = "the kernel writes a decimal number";
constexpr std::string_view kFlag = "the kernel writes 0 or 1";
constexpr std::string_view kWord = "the kernel writes one of a few words";

constexpr std::array kShapes{
    ValueShape{"pci", "address rootPort physfn", "", nullptr,
               R"([0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", "a PCI address is 0000:3b:00.0",
               pci_address_hint},
    ValueShape{"pci", "vf", "", nullptr, kDecimal, "the number of a virtual function is 0, 1, …",
               number_hint},
    ValueShape{"usb", "port socket", "", nullptr, R"(.+-usbv\d+-[\d.]+)",
               "a USB port is 0000:00:14.0-usbv2-2.4", usb_port_hint},
    ValueShape{"usb", "interface", "", nullptr, "[0-9a-f]{2}", "an interface is two digits, 00",
               two_digits_hint},
    ValueShape{"numaNode", "", "", nullptr, kDecimal, "a NUMA node is 0, 1, …", numa_hint},
    ValueShape{"iommuGroup", "", "", nullptr, kDecimal, "an IOMMU group is 0, 1, …", number_hint},
    ValueShape{"devnode", "", "", nullptr, "/dev/.+", "a device node is /dev/ttyUSB0", node_hint},
    ValueShape{"link", "", "", nullptr, "/dev/.+", "a link is a path, /dev/serial/by-id/…",
               path_hint},
    ValueShape{"path", "", "", nullptr, "/.+", "the whole path is compared, /run/vm/net.sock",
               path_hint},
    ValueShape{"attribute",
               "ro hidden rotational carrier boot_vga sriov_drivers_autoprobe autoclear partscan",
               "", nullptr, "[01]", kFlag, flag_hint},
    ValueShape{"attribute", "removable", "block", nullptr, "[01]", kFlag, flag_hint},
    ValueShape{"attribute", "authorized", "", nullptr, "[0-2]", kFlag, flag_hint},
    ValueShape{"attribute", "removable", "usb", nullptr, "fixed|removable|unknown", kWord,
               words_hint},
    ValueShape{"attribute", "vendor device subsystem_vendor subsystem_device", "!block scsi",
               "(?:0[xX])?[0-9a-fA-F]{3,4}", "0x[0-9a-f]{4}",
               "the kernel writes 0x and four lower-case hex digits", pci_id_hint},
    ValueShape{"attribute", "class", "", "(?:0[xX])?[0-9a-fA-F]{2,6}", "0x[0-9a-f]{6}",
               "the kernel writes 0x and six hex digits", pci_class_hint},
    ValueShape{"attribute", "idVendor idProduct", "", "(?:0[xX])?[0-9a-fA-F]{1,4}", "[0-9a-f]{4}",
               "the kernel writes four lower-case hex digits without 0x", usb_id_hint},
    ValueShape{"attribute",
               "bDeviceClass bDeviceSubClass bDeviceProtocol bInterfaceClass bInterfaceSubClass "
               "bInterfaceProtocol bInterfaceNumber",
               "", nullptr, "[0-9a-f]{2}", "the kernel writes two lower-case hex digits",
               two_digits_hint},
    ValueShape{"attribute",
               "mtu ifindex busnum devnum partition sriov_numvfs sriov_totalvfs logical_block_size "
               "physical_block_size nr_requests max_brightness "
               "mem_info_vram_total mem_info_vram_used",
               "", nullptr, kDecimal, kNumber, number_hint},
    ValueShape{"attribute", "size start", "block", nullptr, kDecimal, kNumber, number_hint},
    ValueShape{"attribute", "speed", "net usb", nullptr, R"(-?\d+(?:\.\d+)?)",
               "the kernel writes a number of Mbit/s", number_hint},
    ValueShape{"attribute", "operstate", "", nullptr,
               "unknown|notpresent|down|lowerlayerdown|testing|dormant|up", kWord, words_hint},
    ValueShape{"attribute", "duplex", "net", nullptr, "half|full|unknown", kWord, words_hint},
    ValueShape{"attribute", "control", "", "(?i)on|off|auto|true|false|yes|no|enabled|disabled",
               "on|auto", kWord, words_hint},
    ValueShape{"attribute", "runtime_status", "", nullptr,
               "active|suspended|suspending|resuming|error|unsupported", kWord, words_hint},
    ValueShape{"attribute", "status", "drm", nullptr, "connected|disconnected|unknown", kWord,
               words_hint},
    ValueShape{"attribute", "", "", "(?i)true|false", "Y", "the kernel writes 1 and 0, or Y and N",
               flag_hint},
    ValueShape{"property", "ID_VENDOR_ID ID_MODEL_ID", kWithUsbProperties,
               "(?:0[xX])?[0-9a-fA-F]{1,4}", "[0-9a-f]{4}",
               "udev writes four lower-case hex digits without 0x for USB", usb_id_hint},
    ValueShape{"property", "ID_VENDOR_ID ID_MODEL_ID", "", ".*[A-F].*", "",
               "udev writes ids in lower case", small_hint},
    ValueShape{"property", "ID_BUS ID_TYPE ID_PART_TABLE_TYPE ID_FS_USAGE", "", ".*[A-Z].*", "",
               "udev writes it in lower case", small_hint},
    ValueShape{"property", "ID_FS_TYPE", "", "[A-Z0-9]+", "", "udev writes it in lower case",
               small_hint},
    ValueShape{"property", "ID_PART_ENTRY_TYPE ID_PART_ENTRY_UUID ID_PART_TABLE_UUID", "",
               ".*[A-F].*", "", "udev writes it in lower case", small_hint},
    ValueShape{"property", "ID_USB_INTERFACE_NUM", "", nullptr, "[0-9a-f]{2}",
               "udev writes two hex digits", two_digits_hint},
    ValueShape{"property", "ID_V4L_CAPABILITIES ID_USB_INTERFACES TAGS CURRENT_TAGS", "", "[^:*]+",
               "", "udev writes a list, with a colon before and after each word", colons_hint},
    ValueShape{"property", "ID_PATH", "", R"([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:.*)", "",
               "udev writes the bus before the address", path_id_hint},
    ValueShape{"property", "DEVNAME", "", "[^/].*", "", "it is a path", devname_hint},
    ValueShape{"property", "DEVPATH", "", "/sys/.*", "", "it is a path below /sys", devpath_hint},
    ValueShape{"property", "DEVLINKS", "", R"(/\S+)", "",
               "it is the list of all links of the device", devlinks_hint},
    ValueShape{"property", "ID_WWN ID_WWN_WITH_EXTENSION", "", "[0-9a-fA-F]{16,32}", "",
               "udev writes 0x before it", wwn_hint},
    ValueShape{"property", "MAJOR MINOR ID_PART_ENTRY_NUMBER ID_PART_ENTRY_SIZE", "", nullptr,
               kDecimal, "udev writes a decimal number", number_hint},
    ValueShape{"property", "E S N P U M D L", "", R"([A-Z][A-Z0-9_]*_[A-Z0-9_]*(?:=.*)?)", "",
               "the letter at the start of a udevadm line is not a property", line_hint},
    ValueShape{"property", "ID_", "", "(?i)true|false", "", "udev writes 1, or omits the property",
               udev_flag_hint},
};

/// The name as in the table, without the directory of a parent or of a group of attributes.
std::string_view value_name(const ComparedValue& value) {
  for (const std::string_view directory : {"device/", "queue/", "power/"}) {
    if (value.name.starts_with(directory)) return value.name.substr(directory.size());
  }
  return value.name;
}

bool is_of(const ValueShape& shape, const ComparedValue& value) {
  if (shape.key != value.key) return false;
  const bool prefix = shape.names.ends_with('_');
  if (prefix ? !value.name.starts_with(shape.names)
             : !shape.names.empty() && !contains_word(shape.names, value_name(value))) {
    return false;
  }
  if (shape.subsystems.empty()) return true;
  const bool excluded = shape.subsystems.starts_with('!');
  return contains_word(shape.subsystems.substr(excluded ? 1 : 0), value.device.subsystem) !=
         excluded;
}

/// `>= 100` for a value of unknown form.
std::optional<Advice> operator_in_text(const std::string& written) {
  static const re2::RE2 begins(
      R"(\s*(?:(?:>=|<=|>|<)\s*[0-9.]+ ?[kKMGT]?i?|(?:==|!=|=~|!~)\s*.+))");
  if (!re2::RE2::FullMatch(written, begins)) return std::nullopt;
  return Advice{
      .message = fmt::format("'{}' is compared as text: operators have no effect", written),
      .hint = fmt::format("write {}", as_bounds(written))};
}

}  // namespace

std::string as_bounds(const std::string& text) {
  static const re2::RE2 range(R"(\s*(\d+)\s*(?:-|\.\.+|…)\s*(\d+)\s*)");
  static const re2::RE2 compared(R"(\s*(>=|<=|>|<)\s*([0-9.]+ ?(?:k|[KMGT]i?)?)[bB]?\s*)");
  static const re2::RE2 equal(R"(\s*==?\s*(.*))");
  static const re2::RE2 alike(R"(\s*=~\s*(.*))");
  static const re2::RE2 unequal(R"(\s*(?:!=|<>|!~)\s*(.*))");
  static const re2::RE2 sized(R"(([0-9.]+) ?([kKMGT]i?)[bB]?(?:it/s|ps)?)");
  std::string a;
  std::string b;
  if (re2::RE2::FullMatch(text, range, &a, &b)) return fmt::format("{{ge: {}, le: {}}}", a, b);
  if (re2::RE2::FullMatch(text, compared, &a, &b)) {
    const std::string_view key = a == ">=" ? "ge" : a == "<=" ? "le" : a == ">" ? "gt" : "lt";
    return fmt::format("{{{}: {}}}", key, b);
  }
  if (re2::RE2::FullMatch(text, equal, &a)) return fmt::format("\"{}\"", a);
  if (re2::RE2::FullMatch(text, alike, &a)) return fmt::format("{{regex: '{}'}}", a);
  if (re2::RE2::FullMatch(text, unequal, &a)) return fmt::format("{{not: \"{}\"}}", a);
  return {};
}

std::optional<Advice> value_shape_advice(const ComparedValue& value, const ComparedText& text) {
  const std::string& written = text.text.value;
  if (written.find("$(") != std::string::npos) return std::nullopt;
  const bool plain = text.form == ComparedText::Form::exact ||
                     (text.form == ComparedText::Form::glob &&
                      written.find_first_of("*?[\\") == std::string::npos);
  if (!plain) return std::nullopt;
  for (const ValueShape& shape : kShapes) {
    if (!is_of(shape, value)) continue;
    if (shape.written != nullptr && !full_match(written, shape.written)) continue;
    if (full_match(written, shape.right)) return std::nullopt;
    std::string presence = presence_hint(written);
    return Advice{.message = fmt::format("'{}' can never match: {}", written, shape.what),
                  .hint = presence.empty() ? shape.hint(written, shape.right) : std::move(presence),
                  .mistake = shape.key != "attribute" && shape.key != "property"};
  }
  return operator_in_text(written);
}

}  // namespace patchbay::rules
