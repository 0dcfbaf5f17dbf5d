#include "machine/stand_ins.h"

#include <algorithm>
#include <array>
#include <climits>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "machine/embedded_harmless.h"
#include "machine/identifier_text.h"

namespace patchbay::machine {
namespace {

/// Parts of names whose values are identifiers, whatever their form.
constexpr auto kIdentifiers = std::to_array<std::string_view>(
    {"asset_tag", "dm/name", "guid", "hwaddr", "ieee1284", "serial", "uniq", "uuid", "wwid"});
constexpr ptrdiff_t kMostDigits = 5;  ///< Longer numbers can be serial numbers.

bool is_short_number(std::string_view value) {
  const auto is_part = [](char c) { return is_digit(c) || c == '.' || c == '-' || c == ' '; };
  // An address such as 10.0.0.1 is none.
  return std::ranges::all_of(value, is_part) && std::ranges::count(value, '.') <= 1 &&
         std::ranges::count_if(value, is_digit) <= kMostDigits;
}

bool is_listed(std::string_view kind, std::string_view name) {
  static const auto lines = split(kHarmless, '\n');
  return std::ranges::any_of(lines, [&](std::string_view line) {
    if (!line.starts_with(kind)) return false;
    line.remove_prefix(kind.size() + 1);
    return line.ends_with('*') ? name.starts_with(line.substr(0, line.size() - 1)) : name == line;
  });
}

/// Whether values with that name are identifiers, whatever their form, as with "serial".
bool names_identifier(std::string_view name) {
  const std::string lower = lower_case(std::string(name));
  return std::ranges::any_of(kIdentifiers, [&](auto part) { return lower.contains(part); });
}

/// Returns whether many pieces of hardware have that value in common: it is a short number, or
/// harmless.txt has its name. A snapshot contains such values. The function does not know which
/// names people gave to devices. `kind`: "attribute" or "property". `name`: an attribute has its
/// path below the device.
bool is_harmless(std::string_view kind, std::string_view name, std::string_view value) {
  if (names_identifier(name)) return false;
  return is_short_number(value) || is_listed(kind, name) || is_listed(kind, base_name(name));
}

/// Beginnings of the ids of phones, whose product can be the name that the owner gave.
constexpr auto kPhones =
    std::to_array<std::string_view>({"04e8:68", "05ac:12", "18d1:4e", "22b8:2e", "2717:ff"});
constexpr std::string_view kHome = "/home/";

constexpr size_t kLongest = 128;  ///< Longer values are not replaced in others.

std::string_view value_of(const NamedValues& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? "" : std::string_view(found->second);
}

/// Whether ID_SERIAL is made of other properties: the model, and the serial if there is one.
bool is_made_of_others(const NamedValues& properties, std::string_view value) {
  const auto serial = trimmed(value_of(properties, "ID_SERIAL_SHORT"));
  if (serial.empty()) {
    const std::string model(value_of(properties, "ID_MODEL"));
    return value == model || value == std::string(value_of(properties, "ID_VENDOR")) + '_' + model;
  }
  return value.size() > serial.size() && folded(value).contains(folded(serial));
}

/// Whether the device is connected by Bluetooth, so that people may have named it.
bool has_given_name(const Device& device) {
  return device.path.contains("/0005:") || device.path.contains("/uhid/");
}

/// Whether it is for photographs or media (PTP, MTP), as phones are.
bool has_media(const Device& device) {
  const auto has = [&](auto name) { return !value_of(device.properties, name).empty(); };
  return has("ID_MEDIA_PLAYER") || has("ID_MTP_DEVICE") ||
         value_of(device.properties, "ID_USB_INTERFACES").contains(":060101:") ||
         (value_of(device.attributes, "bInterfaceClass") == "06" &&
          value_of(device.attributes, "bInterfaceSubClass") == "01") ||
         value_of(device.attributes, "interface").starts_with("MTP");
}

bool is_phone(const Device& device) {
  const std::string ids = std::string(value_of(device.attributes, "idVendor")) + ':' +
                          std::string(value_of(device.attributes, "idProduct"));
  return std::ranges::any_of(kPhones, [&](auto phone) { return ids.starts_with(phone); });
}

enum class Kind : uint8_t { harmless, identifier, given_name };

/// `what`: "attribute" or "property". A phone has a product that is a given name.
Kind kind_of(const Device& device, bool phone, std::string_view what, std::string_view name,
             std::string_view value) {
  const bool is_name = name == "name" || name.ends_with("NAME");
  if ((is_name && has_given_name(device)) || (name == "product" && phone)) return Kind::given_name;
  bool harmless = is_harmless(what, name, value);
  if (name == "ID_SERIAL" || name == "ID_USB_SERIAL") {
    harmless = is_made_of_others(device.properties, value);
  }
  // A path can have the address of a server.
  if (name.starts_with("ID_PATH") && value.starts_with("ip-")) harmless = false;
  return harmless ? Kind::harmless : Kind::identifier;
}

/// Whether the values of that name have ids and UUIDs of types, which look like others.
bool has_types(std::string_view name) {
  return name == "class_id" || name.ends_with("_TYPE") ||
         lower_case(std::string(name)) == "modalias";
}

/// Finds the identifiers of a machine, and replaces them.
class StandIns {
 public:
  StandIns(const Machine& machine, const std::vector<std::string>& host_names) {
    for (const auto& [path, device] : machine.devices) {
      for (const std::string_view name : split(path, '/')) names_.emplace(name);
      names_.insert({device.subsystem, device.driver});
      if (is_phone(device) || has_media(device)) phones_.insert(path);
      if (has_media(device)) phones_.insert(path.substr(0, path.rfind('/')));
    }
    for (const auto& [path, device] : machine.devices) {
      for_each_value(device, [&](auto what, const std::string& name, const std::string& value) {
        if (kind_in(device, what, name, value) == Kind::harmless) harmless_.insert(folded(value));
      });
    }
    for (const std::string& name : host_names) collect(name);
    for (const auto& [path, device] : machine.devices) collect_from(device);
    for (const auto& [path, file] : machine.files) {
      collect_shapes(path);
      collect_shapes(file.content);
    }
  }

  void replace(Device& device) {
    const Device original = device;
    std::set<std::string> own;  // The stand-ins for values of this device.
    device.path = paths_.replaced(device.path);
    const auto change = [&](NamedValues& values, const std::string& what) {
      NamedValues changed;
      for (const auto& [name, value] : values) {
        const bool is_whole =
            identifies(value) && kind_in(original, what, name, value) != Kind::harmless;
        std::string by = value;
        if (is_whole) by = stand_in(value);
        if (!is_whole && !has_types(name)) by = words_.replaced(value);
        if (is_whole) own.insert(by);
        if (by != value) changed_.insert(what + ' ' + name);
        changed.emplace(paths_.replaced(name), std::move(by));
      }
      values = std::move(changed);
    };
    change(device.attributes, "attribute");
    change(device.properties, "property");
    NamedValues links;
    for (const auto& [name, target] : device.links) {
      links.emplace(paths_.replaced(name), paths_.replaced(target));
    }
    device.links = std::move(links);
    for (std::string& link : device.devlinks) link = replaced_link(link, own);
  }

  [[nodiscard]] std::string replaced(const std::string& text) const {
    return paths_.replaced(words_.replaced(text));
  }

  /// The attributes and properties with a new value.
  [[nodiscard]] const std::set<std::string>& changed() const { return changed_; }

 private:
  /// Whether the value can tell this piece of hardware from others of its kind. Fillers such as
  /// 0000 cannot, and root hubs have the address of their controller as a serial.
  [[nodiscard]] bool identifies(std::string_view value) const {
    value = trimmed(value);
    return !is_filler(value) && !has_shape(value, kPciAddress) && !names_.contains(value) &&
           !is_stand_in(value);
  }

  [[nodiscard]] Kind kind_in(const Device& device, std::string_view what, std::string_view name,
                             std::string_view value) const {
    return kind_of(device, phones_.contains(device.path), what, name, value);
  }

  template <typename Visit>
  static void for_each_value(const Device& device, const Visit& visit) {
    for (const auto& [name, value] : device.attributes) visit("attribute", name, value);
    for (const auto& [name, value] : device.properties) visit("property", name, value);
  }

  void collect(std::string_view value) {
    value = without_prefix(value);
    if (!identifies(value) || value.size() > kLongest) return;
    const std::string by = stand_in(value);
    for (const std::string& form : forms_of(value)) {
      words_.add(form, by);
      if (has_shape(value, kMac)) paths_.add(form, by);
    }
  }

  /// MAC addresses and UUIDs anywhere in a text, and names of users.
  void collect_shapes(std::string_view text) {
    for (const std::string_view shape : {kMac, kUuid}) {
      for (size_t at = 0; at + shape.size() <= text.size(); ++at) {
        const size_t end = at + shape.size();
        const bool is_word = (at == 0 || !is_alphanumeric(text[at - 1])) &&
                             (end == text.size() || !is_alphanumeric(text[end]));
        if (is_word && has_shape(text.substr(at, shape.size()), shape)) {
          collect(text.substr(at, shape.size()));
        }
      }
    }
    for (size_t at = text.find(kHome); at != std::string_view::npos;
         at = text.find(kHome, at + 1)) {
      const std::string_view user = text.substr(at + kHome.size());
      collect(user.substr(0, user.find_first_of("/ \n\"")));
    }
  }

  void collect_from(const Device& device) {
    collect_shapes(device.path);
    for_each_value(device, [&](auto what, const std::string& name, const std::string& value) {
      const Kind kind = kind_in(device, what, name, value);
      // A label may be a word that occurs elsewhere.
      const bool is_label = !names_identifier(name) && std::ranges::none_of(value, is_digit);
      const bool is_word = !is_label && !harmless_.contains(folded(value));
      if (kind == Kind::given_name || (kind == Kind::identifier && is_word)) collect(value);
      if (!has_types(name)) collect_shapes(value);
    });
  }

  /// `own`: the stand-ins for values of the device. They are the ends of components of its links.
  [[nodiscard]] std::string replaced_link(std::string link,
                                          const std::set<std::string>& own) const {
    for (size_t at = 0; at < link.size(); ++at) {
      if (at > 0 && link[at - 1] != '/' && link[at - 1] != '-') continue;
      const size_t end = std::min(link.find('/', at), link.size());
      const std::string by = stand_in(std::string_view(link).substr(at, end - at));
      if (own.contains(by)) link.replace(at, end - at, by);
    }
    std::string text = words_.replaced(link);
    return text.size() < PATH_MAX ? text : stand_in(link);
  }

  std::set<std::string, std::less<>> names_;  ///< Names of devices, subsystems, drivers.
  std::set<std::string> phones_;              ///< Paths, also of cameras and media players.
  std::set<std::string> harmless_;            ///< Folded values.
  std::set<std::string> changed_;
  WordReplacer words_;
  WordReplacer paths_;  ///< For paths of devices, where only MAC addresses change.
};

}  // namespace

void replace_identifiers(Machine& machine, std::vector<std::string>& notes,
                         const std::vector<std::string>& host_names) {
  StandIns stand_ins(machine, host_names);
  Machine replaced;
  for (auto& [path, device] : machine.devices) {
    stand_ins.replace(device);
    std::string key = device.path;
    replaced.devices.emplace(std::move(key), std::move(device));
  }
  for (auto& [path, file] : machine.files) {
    file.content = stand_ins.replaced(file.content);
    std::string key = stand_ins.replaced(path);
    if (key.size() >= PATH_MAX) key = '/' + stand_in(path);
    replaced.files.emplace(std::move(key), std::move(file));
  }
  for (std::string& note : notes) note = stand_ins.replaced(note);
  for (const std::string& name : stand_ins.changed()) notes.push_back("stand-ins: " + name);
  machine = std::move(replaced);
}

}  // namespace patchbay::machine
