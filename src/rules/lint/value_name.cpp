#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "rules/lint/text_advice.h"
#include "rules/text/kernel_names.h"

namespace patchbay::rules {
namespace {

constexpr std::string_view kUsbClasses = "tty video4linux input hidraw sound net block usbmisc";
constexpr std::string_view kPciClasses = "net drm sound infiniband infiniband_verbs block accel";

/// Attributes that devices of some subsystems do not have, although a parent device or a
/// subdirectory has them.
struct ElsewhereAttribute {
  std::string_view subsystems;
  std::string_view names;
  std::string_view owner;        ///< Owner of the attribute.
  std::string_view replacement;  ///< Replacement; {} is the name.
};

constexpr std::array kElsewhere{
    ElsewhereAttribute{kUsbClasses, "idVendor", "the USB device above", "usb: {{vendor: …}}"},
    ElsewhereAttribute{kUsbClasses, "idProduct", "the USB device above", "usb: {{product: …}}"},
    ElsewhereAttribute{"tty video4linux input hidraw sound net usbmisc", "serial",
                       "the USB device above", "usb: {{serial: …}}, and in a text $(usb.serial)"},
    ElsewhereAttribute{kUsbClasses, "busnum devnum devpath", "the USB device above",
                       "usb: {{socket: …}}, which stays the same after a reboot"},
    ElsewhereAttribute{kUsbClasses,
                       "manufacturer product bcdDevice bDeviceClass bNumConfigurations maxchild",
                       "the USB device above",
                       "ancestor: {{subsystem: usb, devtype: usb_device, attribute: {{{}: …}}}}"},
    ElsewhereAttribute{kUsbClasses, "bInterfaceNumber", "the USB interface above",
                       "usb: {{interface: …}}"},
    ElsewhereAttribute{
        kUsbClasses, "bInterfaceClass bInterfaceSubClass bInterfaceProtocol",
        "the USB interface above",
        "ancestor: {{subsystem: usb, devtype: usb_interface, attribute: {{{}: …}}}}"},
    ElsewhereAttribute{"block", "vendor model rev state queue_depth", "the device of the disk",
                       "attribute: {{device/{}: …}}"},
    ElsewhereAttribute{"block", "rotational scheduler nr_requests logical_block_size",
                       "the queue of the disk", "attribute: {{queue/{}: …}}"},
    ElsewhereAttribute{kPciClasses, "vendor class", "the PCI function above", "pci: {{{}: …}}"},
    ElsewhereAttribute{kPciClasses, "subsystem_vendor", "the PCI function above",
                       "pci: {{subsystemVendor: …}}"},
    ElsewhereAttribute{kPciClasses, "subsystem_device", "the PCI function above",
                       "pci: {{subsystemDevice: …}}"},
    ElsewhereAttribute{"net drm",
                       "sriov_numvfs sriov_totalvfs numa_node local_cpulist mem_info_vram_total "
                       "mem_info_vram_used gpu_busy_percent current_link_speed "
                       "current_link_width boot_vga",
                       "the PCI function above", "attribute: {{device/{}: …}}"},
};

/// Names in the notation of udev's rules and `udevadm info`.
std::optional<Advice> udev_notation(std::string_view name) {
  static const re2::RE2 braces(R"((ATTRS?|ENV|TEST)\{([^}]*)\}?)");
  static const re2::RE2 line(R"(([ESNPUMDL]): *(\w+)(?:=.*)?)");
  std::string kind;
  std::string inner;
  const re2::StringPiece text(name.data(), name.size());
  const auto advise = [&](std::string hint) {
    return Advice{
        .message = fmt::format("'{}' is not a name: devices have nothing with this name", name),
        .hint = std::move(hint)};
  };
  if (re2::RE2::FullMatch(text, braces, &kind, &inner)) {
    return advise(fmt::format("write {}: {{{}: …}}{}", kind == "ENV" ? "property" : "attribute",
                              inner, kind == "ATTRS" ? ", in ancestor: for a device above" : ""));
  }
  if (re2::RE2::FullMatch(text, line, &kind, &inner)) {
    return advise(
        fmt::format("write it without the letter of udevadm's output: property: {{{}: …}}",
                    kind == "E" ? inner : "ID_BUS"));
  }
  return std::nullopt;
}

const ElsewhereAttribute* find_elsewhere(std::string_view name, std::string_view subsystem) {
  const auto* const found =
      std::ranges::find_if(kElsewhere, [&](const ElsewhereAttribute& attribute) {
        return contains_word(attribute.subsystems, subsystem) &&
               contains_word(attribute.names, name);
      });
  return found == kElsewhere.end() ? nullptr : found;
}

/// Whether it is the name of a property of udev or of kernel events.
bool is_property(std::string_view name) {
  constexpr std::string_view kOfKernel =
      "DEVNAME DEVTYPE DEVPATH DEVLINKS SUBSYSTEM MAJOR MINOR DRIVER INTERFACE TAGS PCI_ID "
      "PCI_CLASS PCI_SLOT_NAME PRODUCT MODALIAS USEC_INITIALIZED";
  return name.starts_with("ID_") || contains_word(kOfKernel, name);
}

}  // namespace

std::optional<Advice> attribute_name_advice(std::string_view name, const DeviceClass& device) {
  if (auto advice = udev_notation(name)) return advice;
  if (is_property(name)) {
    return Advice{.message = fmt::format("'{}' is a property of udev, not a file in /sys", name),
                  .hint = fmt::format("write property: {{{}: …}}", name)};
  }
  constexpr std::string_view kDevice = "device/";
  std::string_view own = name;
  if (own.starts_with(kDevice)) own.remove_prefix(kDevice.size());
  const ElsewhereAttribute* const row = find_elsewhere(own, device.subsystem);
  if (row == nullptr) return std::nullopt;
  // Below `device/` the name is right, unless that directory is a USB interface.
  if (own != name && (!row->owner.contains("USB device") || own == "serial")) return std::nullopt;
  return Advice{
      .message = fmt::format("devices of subsystem '{}' have no attribute '{}': {} has it",
                             device.subsystem, name, row->owner),
      .hint = fmt::format("write {}", fmt::format(fmt::runtime(row->replacement), own))};
}

std::optional<Advice> property_name_advice(std::string_view name) {
  if (auto advice = udev_notation(name)) return advice;
  constexpr std::string_view kAttributes =
      "idVendor idProduct manufacturer bcdDevice bInterfaceNumber bInterfaceClass";
  if (contains_word(kAttributes, name)) {
    return Advice{
        .message = fmt::format("'{}' is an attribute of USB devices, not a property", name),
        .hint = "write usb: {vendor: …, product: …, serial: …}"};
  }
  std::string capitals(name);
  std::ranges::transform(capitals, capitals.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  if (capitals == name || !is_property(capitals) || name.contains('$')) return std::nullopt;
  return Advice{.message = fmt::format("no property is named '{}': udev writes capitals", name),
                .hint = fmt::format("write {}", capitals)};
}

std::optional<Advice> variable_name_advice(std::string_view text, const DeviceClass& device) {
  static const re2::RE2 variable(R"((\$\((attribute|property)\.([^():]+)))");
  re2::StringPiece rest(text.data(), text.size());
  re2::StringPiece whole;
  re2::StringPiece fact;
  re2::StringPiece name;
  while (re2::RE2::FindAndConsume(&rest, variable, &whole, &fact, &name)) {
    const std::string_view written(name.data(), name.size());
    auto advice = fact == "attribute" ? attribute_name_advice(written, device)
                                      : property_name_advice(written);
    if (!advice) continue;
    advice->offset = static_cast<size_t>(whole.data() - text.data());
    return advice;
  }
  return std::nullopt;
}

}  // namespace patchbay::rules
