#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/ascii.h"
#include "base/text.h"
#include "rules/lint/text_advice.h"
#include "rules/text/text_hint.h"
#include "rules/text/text_shape.h"

namespace patchbay::rules {
namespace {

/// Builds the form of an address, component by component.
class ShapeBuilder {
 public:
  ShapeBuilder& text(std::string_view text) {
    add_literal(shape_, text);
    return *this;
  }
  ShapeBuilder& some(std::string_view bytes, size_t least, bool more) {
    shape_.insert(shape_.end(), least, {one_of(bytes), false});
    if (more) shape_.push_back({one_of(bytes), true});
    return *this;
  }
  ShapeBuilder& anything() {
    shape_.push_back({any_byte(), false});
    shape_.push_back({any_byte(), true});
    return *this;
  }
  [[nodiscard]] TextShape shape() const { return shape_; }

 private:
  TextShape shape_;
};

/// 0000:3b:00.0. The domain has more digits below some controllers.
std::vector<TextShape> pci_address() {
  return {ShapeBuilder()
              .some(kHexDigits, 4, true)
              .text(":")
              .some(kHexDigits, 2, false)
              .text(":")
              .some(kHexDigits, 2, false)
              .text(".")
              .some("01234567", 1, false)
              .shape()};
}

/// 0000:00:14.0-usbv2-2.4
std::vector<TextShape> usb_port() {
  return {ShapeBuilder()
              .anything()
              .text("-usbv")
              .some(kDigits, 1, true)
              .text("-")
              .some("0123456789.", 1, true)
              .shape()};
}

std::vector<TextShape> two_hex_digits() {
  return {ShapeBuilder().some(kHexDigits, 2, false).shape()};
}

/// Without leading zeros.
std::vector<TextShape> number() {
  return {ShapeBuilder().text("0").shape(),
          ShapeBuilder().some("123456789", 1, false).some(kDigits, 0, true).shape()};
}

std::vector<TextShape> path_in_dev() { return {ShapeBuilder().text("/dev/").anything().shape()}; }
std::vector<TextShape> absolute_path() { return {ShapeBuilder().text("/").anything().shape()}; }

bool fits(const std::vector<TextShape>& forms, const TextShape& shape) {
  return std::ranges::any_of(forms, [&](const TextShape& form) { return overlap(shape, form); });
}

/// The hint for an address without domain or function, with capitals, or in the form of udev's
/// ID_PATH.
std::string pci_hint(std::string_view text) {
  const std::string small =
      lower_case(std::string(text.starts_with("pci-") ? text.substr(4) : text));
  for (const std::string_view domain : {"", "0000:"}) {
    for (const std::string_view function : {"", ".*"}) {
      const std::string meant = fmt::format("{}{}{}", domain, small, function);
      const auto shape = shape_of_glob(meant);
      if (!shape || !fits(pci_address(), shape->shape)) continue;
      return fmt::format(
          "write \"{}\"{}", meant,
          domain.empty() ? "" : "; lspci -D shows the domain, which lspci leaves out");
    }
  }
  return "write domain, bus, device and function in lower case; lspci -D shows them";
}

std::string usb_port_hint(std::string_view text) {
  static const re2::RE2 of_bus(R"(\d+-([0-9.]+))");
  std::string ports;
  if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), of_bus, &ports)) {
    return "write the controller, the USB revision of its root hub, and the port numbers down to "
           "the device";
  }
  return fmt::format(
      "bus numbers change at each boot: write \"*-usbv*-{}\" to match this port on any controller",
      ports);
}

std::string interface_hint(std::string_view text) {
  if (text.size() != 1) return "write two lower-case hex digits in quotes: \"01\"";
  const char small = ascii_lower(text.front());
  if (kHexDigits.find(small) == std::string_view::npos) return interface_hint("01");
  return fmt::format("write both digits, in quotes: \"0{}\"", small);
}

std::string number_hint(std::string_view text) {
  const std::string bounds = as_bounds(std::string(text));
  if (!bounds.empty()) return fmt::format("write {}", bounds);
  static const re2::RE2 in_text(R"([A-Za-z_/]*0*(\d+))");
  std::string number;
  if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), in_text, &number)) {
    return "write only the number, in quotes: \"1\"";
  }
  return fmt::format("write \"{}\"", number);
}

std::string numa_hint(std::string_view text) {
  if (text != "-1") return number_hint(text);
  return "-1 of the kernel means that the value is absent: write {exists: false}; for a device "
         "with a node write {exists: true}";
}

std::string devnode_hint(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return "write a path that begins with /dev/";
  return fmt::format("write /dev/{}, or compare its name:", text);
}

std::string path_hint(std::string_view text) {
  return fmt::format("write the whole path, or \"*/{}\" for any directory", base_name(text));
}

struct AddressForm {
  std::string_view key;
  std::string_view name;  ///< Empty: the key has no name.
  std::string_view what;
  std::vector<TextShape> (*shapes)();
  std::string (*hint)(std::string_view text);
};

constexpr std::string_view kPciAddress = "a PCI address is 0000:3b:00.0";
constexpr std::array<AddressForm, 12> kForms{{
    {"pci", "address", kPciAddress, pci_address, pci_hint},
    {"pci", "rootPort", kPciAddress, pci_address, pci_hint},
    {"pci", "physfn", kPciAddress, pci_address, pci_hint},
    {"pci", "vf", "the number of a virtual function is 0, 1, …", number, number_hint},
    {"usb", "port", "a port is 0000:00:14.0-usbv2-2.4", usb_port, usb_port_hint},
    {"usb", "socket", "a socket is 0000:00:14.0-usbv2-2.4", usb_port, usb_port_hint},
    {"usb", "interface", "an interface is two digits, 00", two_hex_digits, interface_hint},
    {"numaNode", "", "a NUMA node is 0, 1, …", number, numa_hint},
    {"iommuGroup", "", "an IOMMU group is 0, 1, …", number, number_hint},
    {"devnode", "", "a device node is /dev/ttyUSB0", path_in_dev, devnode_hint},
    {"link", "", "a link is a path, /dev/serial/by-id/…", path_in_dev, path_hint},
    {"path", "", "the whole path is compared, /run/vm/net.sock", absolute_path, path_hint},
}};

const AddressForm* form_of(const ComparedValue& value) {
  const auto* const found = std::ranges::find_if(kForms, [&](const AddressForm& form) {
    return form.key == value.key && (form.name.empty() || form.name == value.name);
  });
  return found == kForms.end() ? nullptr : found;
}

/// The text without the `\.` of a regular expression.
std::string unescaped(const ComparedText& text) {
  std::string out = text.text.value;
  if (text.form == ComparedText::Form::regex) re2::RE2::GlobalReplace(&out, R"(\\\.)", ".");
  return out;
}

std::optional<PatternShape> shape_of(const ComparedText& text) {
  switch (text.form) {
    case ComparedText::Form::glob:
      return shape_of_glob(text.text.value);
    case ComparedText::Form::regex:
      return shape_of_regex(text.text.value);
    case ComparedText::Form::exact:
      break;
  }
  PatternShape exact;
  add_literal(exact.shape, text.text.value);
  return exact;
}

}  // namespace

std::optional<AddressFault> address_fault(const ComparedValue& value, const ComparedText& text) {
  const std::string& written = text.text.value;
  const AddressForm* const form = form_of(value);
  // The values of variables are not known yet.
  if (form == nullptr || written.find("$(") != std::string::npos) return std::nullopt;
  const auto shape = shape_of(text);
  if (!shape) return std::nullopt;
  if (fits(form->shapes(), shape->shape)) return std::nullopt;
  const bool glob = text.form == ComparedText::Form::glob;
  const auto foreign = glob ? foreign_pattern(written, PatternContext::name) : std::nullopt;
  std::string presence = presence_hint(written);
  // A hint about escaping is cut off: none of these values contains the character.
  std::string hint = !presence.empty() ? std::move(presence)
                     : foreign         ? foreign->hint.substr(0, foreign->hint.find(';'))
                                       : form->hint(unescaped(text));
  return AddressFault{
      .literal = shape->literal,
      .advice = {.message = fmt::format("'{}' can never match: {}", printable(written), form->what),
                 .hint = std::move(hint)}};
}

}  // namespace patchbay::rules
