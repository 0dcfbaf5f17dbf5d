#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/lint/spec_texts.h"
#include "rules/lint/warnings.h"
#include "rules/match/hardware_id.h"
#include "rules/text/pattern_text.h"
#include "rules/text/position.h"

namespace patchbay::rules {
namespace {

using TextForm = SpecText::Form;

/// Longer texts are not written by hand, and checking them would take long.
constexpr size_t kMaxTextBytes = 1024;

/// The form of the texts that a rule is for.
enum class Scope {
  plain,      ///< Patterns without wildcards and variables.
  glob,       ///< Patterns; variables, characters in quotes and in [ ] are hidden.
  escaped,    ///< Patterns as written.
  regex,      ///< Regular expressions without variables.
  text,       ///< Texts with variables.
  path,       ///< The same; variables are hidden.
  name,       ///< Texts without variables.
  unreplaced  ///< Each of these in which `${` has no meaning.
};

/// Texts that match nothing, or that give a container nothing.
struct TextRule {
  Scope scope;
  std::string_view keys;        ///< Words of SpecText::key; empty: any.
  std::string_view names;       ///< The same of SpecText::name, without a directory.
  std::string_view subsystems;  ///< The same of its subsystem; after a '!': any other.
  re2::RE2 written;             ///< Found in the texts, from its group on if it has one.
  const char* right;            ///< Regex of texts that are right nevertheless; null: none.
  std::string_view message;     ///< Text after "'X' ".
  std::string_view hint;
  bool mistake = false;  ///< An error: all values of the key have another form.
};

constexpr const char* kAnything = "";
constexpr const char* kDecimal = "0|[1-9][0-9]*";
constexpr const char* kId = "^(?:0[xX])?[0-9a-fA-F]{1,4}$";
constexpr std::string_view kUsbClasses = "tty video4linux input hidraw sound net block usbmisc";
constexpr std::string_view kPciClasses = "net drm sound infiniband infiniband_verbs block accel";
constexpr std::string_view kPaths = "devices mounts containerPath hostPath";
constexpr std::string_view kNumber = "write only the number, or bounds such as {ge: 100}";
constexpr std::string_view kWholePath = "write the whole path, or \"*/NAME\" for any directory";

/// To add a rule, add a row. The first row that applies reports.
const auto& text_rules() {
  static const std::array<TextRule, 39> rules{{
      {Scope::plain, "pci", "address rootPort physfn", "", kAnything,
       R"([0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])",
       "can never match: a PCI address is 0000:3b:00.0",
       "write domain, bus, device and function in lower case; lspci -D shows them", true},
      {Scope::plain, "pci", "vf", "", kAnything, kDecimal,
       "can never match: the number of a virtual function is 0, 1, …",
       "write only the number, or bounds such as {ge: 0, le: 3}", true},
      {Scope::plain, "usb", "socket", "", kAnything, R"(.+-usbv\d+-[\d.]+)",
       "can never match: a USB socket is 0000:00:14.0-usbv2-2.4",
       "write the controller, the USB revision and the ports; for these ports of any controller "
       "write \"*-usbv*-2.4\" (bus numbers change at each boot)",
       true},
      {Scope::plain, "usb", "interface", "", kAnything, "[0-9a-f]{2}",
       "can never match: an interface is two digits, 00", "write two lower-case hex digits: \"ff\"",
       true},
      {Scope::plain, "numaNode", "", "", kAnything, kDecimal,
       "can never match: a NUMA node is 0, 1, …",
       "write only the number; for a device without a NUMA node write {exists: false}", true},
      {Scope::plain, "iommuGroup", "", "", kAnything, kDecimal,
       "can never match: an IOMMU group is 0, 1, …",
       "write only the number; for any group write {exists: true}", true},
      {Scope::plain, "devnode", "", "", kAnything, "/dev/.+",
       "can never match: a device node is /dev/ttyUSB0",
       "write a path that begins with /dev/, or compare its name:", true},
      {Scope::plain, "link", "", "", kAnything, "/dev/.+",
       "can never match: a link is a path, /dev/serial/by-id/…", kWholePath, true},
      {Scope::plain, "path", "", "", kAnything, "/.+",
       "can never match: the whole path is compared, /run/vm/net.sock", kWholePath, true},
      {Scope::plain, "attribute", "ro hidden rotational carrier boot_vga", "", kAnything, "[01]",
       "can never match: the kernel writes 0 or 1", R"(write "0" or "1")"},
      {Scope::plain, "attribute", "vendor device subsystem_vendor subsystem_device", "!block scsi",
       "^(?:0[xX])?[0-9a-fA-F]{3,4}$", "0x[0-9a-f]{4}",
       "can never match: the kernel writes 0x and four lower-case hex digits",
       "write it as in \"0x10de\"; pci: accepts ids in any notation"},
      {Scope::plain, "attribute", "idVendor idProduct", "", kId, "[0-9a-f]{4}",
       "can never match: the kernel writes four lower-case hex digits without 0x",
       "write it as in \"10c4\"; usb: accepts ids in any notation"},
      {Scope::plain, "property", "ID_VENDOR_ID ID_MODEL_ID",
       "tty usb input hidraw video4linux block usbmisc", kId, "[0-9a-f]{4}",
       "can never match: udev writes four lower-case hex digits without 0x for USB",
       "write it as in \"10c4\"; usb: accepts ids in any notation"},
      {Scope::plain, "attribute", "mtu ifindex sriov_numvfs sriov_totalvfs mem_info_vram_total", "",
       kAnything, kDecimal, "can never match: the kernel writes a decimal number", kNumber},
      {Scope::plain, "attribute", "size", "block", kAnything, kDecimal,
       "can never match: the kernel writes a decimal number", kNumber},
      {Scope::plain, "attribute", "address", "",
       "^(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$|^(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}$",
       "[0-9a-f:]+", "can never match: the kernel writes addresses in lower case, with colons",
       "write it as in \"3c:ec:ef:00:11:22\""},
      {Scope::plain, "", "", "", "^ *[<>]=? *[0-9]", nullptr,
       "is compared as text: operators have no effect", "write bounds, such as {ge: 100}"},
      {Scope::unreplaced, "", "", "", R"((?:^|[^$])(\$\{[A-Za-z_][^}]*\}))", nullptr,
       "has a variable of another program, which is not replaced",
       "write variables as $(name); replace others before Patchbay reads the file: envsubst < "
       "FILE | patchbay validate -"},
      {Scope::text, "", "", "", R"((?:^|[^%])(%(?:k\b|E\{|s\{)))", nullptr,
       "has a substitution of udev, which is not replaced",
       "%k is $(name), %E{NAME} is $(property.NAME), %s{NAME} is $(attribute.NAME)"},
      {Scope::glob, "name", "", "", "^/", nullptr, "never matches: a name has no directories",
       "write the last component of the path, or compare devnode: or path:"},
      {Scope::plain, "subsystem", "", "",
       "^(?:serial|uart|video|v4l2?|camera|gpu|dri|network|ethernet|nic|wifi|disk|storage|audio|"
       "alsa|kvm|fuse)$",
       nullptr, "is not a subsystem with device nodes",
       "/sys/class lists them, such as tty, video4linux, drm, net, block, sound and misc"},
      {Scope::plain, "name devnode", "", "!misc",
       "^(?:/dev/(?:input/|dri/|snd/)?)?(?:ttyUSB|ttyACM|ttyAMA|ttyS|video|media|hidraw|event|js|"
       "i2c-|spidev|gpiochip|renderD|card|eth|can|sd|nvme|mmcblk|iio:device|uverbs)$",
       nullptr, "is not a whole name: the kernel adds a number or a letter",
       "write a '*' after it to match any of them"},
      {Scope::glob, "name devnode", "", "usb pci",
       "^(?:/dev/)?(?:tty(?:USB|ACM)|video|hidraw|sd|nvme\\d)", nullptr,
       "is not the name of a device of this subsystem, but of one below",
       "write the subsystem of the named device, such as tty; for conditions on the USB or PCI "
       "device write usb:, pci: or ancestor:"},
      {Scope::plain, "pci", "pfName", "", "#", nullptr,
       "is not the name of an interface: '#' does not select functions here",
       "write pci: {pfName: ens1f0, vf: [\"0\", {ge: 4, le: 7}]}"},
      {Scope::regex, "", "", "", R"(^[A-Za-z0-9_:/-]+(\*)[A-Za-z0-9_:/*-]*$)", nullptr,
       "is a regular expression: its '*' repeats the character before it",
       "write '.*' for any text, or the pattern without regex:"},
      {Scope::glob, "", "", "", R"re((\{[^{}\s":]*(?:,|\.\.)[^{}\s":]*\}))re", nullptr,
       "matches only text that contains these braces: they do not list alternatives",
       "write a list; '\\{' is the character itself"},
      {Scope::glob, "", "", "", R"((\|)\S)", nullptr,
       "matches only text that contains '|': it does not separate alternatives",
       "write a list; '\\|' is the character itself"},
      {Scope::escaped, "", "", "", R"((?:^|[^\\])(?:\\\\)*(\\[dDwWsSb]))", nullptr,
       "has a '\\' before a letter, which stands for the letter here",
       "write [0-9] for a digit, '?' for any character, '*' for any text; regular expressions "
       "need regex:"},
      {Scope::path, kPaths, "", "", R"((\*|\?|\[[^\]/]+-[^\]/]+\]|\{[^{}/]*,[^{}]*\}))", nullptr,
       "is one path: wildcards are not expanded",
       "to find paths write match: {glob: …} and $(path); to find device nodes write match: "
       "{subsystem: …} and $(devnode)"},
      {Scope::text, "mounts", "", "", R"(^\$\((?:usb\.)?devnode\)$|^\$\(link\.[^):]+\)$)", nullptr,
       "is a device node, which a container cannot open through a mount",
       "write it in devices: instead of mounts:"},
      {Scope::text, "mounts", "", "", "^/dev(?:/|$)", "/dev/(?:hugepages|log|mqueue|pts|shm).*",
       "shows device nodes that the container cannot open (the device cgroup allows only nodes of "
       "devices:)",
       "list each node in devices:; only a privileged container can open a node that appears "
       "while it runs"},
      {Scope::text, "id by", "", "",
       R"(^(?:name|usb\.(?:vendor|product|serial|socket)|pci\.(?:address|vendor|device)|)"
       R"((?:attribute|property|link|ancestor)\.[^$()]+)$)",
       nullptr, "is the same text for every device", "write a variable as $(name)"},
      {Scope::name, "attribute-name property-name", "", "", R"(^(?:ATTRS?|ENV|TEST)\{)", nullptr,
       "is not a name: devices have nothing with this name",
       "write attribute: {NAME: …} for ATTR{NAME}, in ancestor: for ATTRS{NAME}, and property: "
       "{NAME: …} for ENV{NAME}"},
      {Scope::name, "attribute-name", "", "", "^ID_", nullptr,
       "is a property of udev, not a file in /sys", "write it below property:"},
      {Scope::name, "property-name", "", "", "^(?:idVendor|idProduct|manufacturer)$", nullptr,
       "is an attribute of USB devices, not a property",
       "write usb: {vendor: …, product: …, serial: …}"},
      {Scope::name, "attribute-name", "", kUsbClasses,
       "^(?:device/)?(?:idVendor|idProduct|manufacturer|product|bcdDevice|busnum|devnum|devpath)$",
       nullptr, "is an attribute of the USB device above",
       "write usb: {vendor: …, product: …, socket: …}, or ancestor: {subsystem: usb, devtype: "
       "usb_device, attribute: …}"},
      {Scope::name, "attribute-name", "", "tty video4linux input hidraw sound net usbmisc",
       "^serial$", nullptr, "is an attribute of the USB device above",
       "write usb: {serial: …}, and in a text $(usb.serial)"},
      {Scope::name, "attribute-name", "", "block", "^(?:vendor|model|rev|rotational|scheduler)$",
       nullptr, "is an attribute below the disk",
       "write device/vendor, device/model, device/rev, queue/rotational or queue/scheduler"},
      {Scope::name, "attribute-name", "", kPciClasses,
       "^(?:vendor|class|subsystem_vendor|subsystem_device|sriov_numvfs|sriov_totalvfs|numa_node|"
       "mem_info_vram_total)$",
       nullptr, "is an attribute of the PCI function above",
       "write device/NAME; for ids write pci:"},
  }};
  return rules;
}

/// The name without the directory of a parent or of a group of attributes.
std::string_view last_name(std::string_view name) {
  for (const std::string_view directory : {"device/", "queue/"}) {
    if (name.starts_with(directory)) return name.substr(directory.size());
  }
  return name;
}

bool is_of(const TextRule& rule, const SpecText& text) {
  if (!rule.keys.empty() && !contains_word(rule.keys, text.key)) return false;
  if (!rule.names.empty() && !contains_word(rule.names, last_name(text.name))) return false;
  if (rule.subsystems.empty()) return true;
  const bool excluded = rule.subsystems.starts_with('!');
  return contains_word(rule.subsystems.substr(excluded ? 1 : 0), text.subsystem) != excluded;
}

/// The text in which the rule searches. Null if the rule is for other forms.
std::optional<std::string> searched(Scope scope, const SpecText& text) {
  const std::string& written = text.text.value;
  // Other rules report wrong characters of ids. Files contain any text.
  const bool is_pattern =
      text.form == TextForm::glob && text.key != "file" && !is_hardware_id(text.key, text.name);
  const bool has_variable = written.contains("$(");
  switch (scope) {
    case Scope::plain:
      if (text.form != TextForm::glob || has_variable ||
          written.find_first_of("*?[\\") != std::string::npos) {
        return std::nullopt;
      }
      return written;
    case Scope::glob:
      return is_pattern ? std::optional(without_quoted(written)) : std::nullopt;
    case Scope::escaped:
      return is_pattern ? std::optional(written) : std::nullopt;
    case Scope::regex:
      return text.form == TextForm::regex && !has_variable ? std::optional(written) : std::nullopt;
    case Scope::text:
      return text.form == TextForm::text ? std::optional(written) : std::nullopt;
    case Scope::path:
      return text.form == TextForm::text ? std::optional(without_variables(written)) : std::nullopt;
    case Scope::name:
      return text.form == TextForm::literal ? std::optional(written) : std::nullopt;
    case Scope::unreplaced:
      return text.form != TextForm::text ? std::optional(written) : std::nullopt;
  }
  return std::nullopt;
}

/// The offset of the first text that the rule reports.
std::optional<size_t> find(const TextRule& rule, const SpecText& text) {
  if (!is_of(rule, text)) return std::nullopt;
  const auto subject = searched(rule.scope, text);
  std::array<re2::StringPiece, 2> found;
  if (!subject ||
      !rule.written.Match(*subject, 0, subject->size(), re2::RE2::UNANCHORED, found.data(), 2) ||
      (rule.right != nullptr && re2::RE2::FullMatch(text.text.value, rule.right))) {
    return std::nullopt;
  }
  const re2::StringPiece& begin = found[1].data() == nullptr ? found[0] : found[1];
  return static_cast<size_t>(begin.data() - subject->data());
}

void check(const SpecText& text, config::Diagnostics& diagnostics) {
  if (text.text.value.size() > kMaxTextBytes) return;
  for (const TextRule& rule : text_rules()) {
    const auto offset = find(rule, text);
    if (!offset) continue;
    const auto at = position_in(text.text, *offset);
    std::string message = fmt::format("'{}' {}", text.text.value, rule.message);
    if (rule.mistake) {
      diagnostics.error(at, std::move(message), std::string(rule.hint));
    } else {
      diagnostics.warning(at, std::move(message), std::string(rule.hint));
    }
    return;
  }
}

}  // namespace

void check_ineffective_texts(const config::Spec& spec, config::Diagnostics& diagnostics) {
  visit_texts(spec, [&](const SpecText& text) { check(text, diagnostics); });
  if (!diagnostics.ok()) return;
  for (const config::ResourceSpec& resource : spec.resources) {
    for (const config::GroupSpec& group : resource.groups) warn_of_group(group, diagnostics);
  }
}

}  // namespace patchbay::rules
