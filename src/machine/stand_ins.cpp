#include "machine/stand_ins.h"

#include <algorithm>
#include <array>
#include <climits>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/text.h"
#include "machine/harmless_values.h"

namespace patchbay::machine {
namespace {

/// Prefixes that tell the kind of an identifier.
constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"0x", "naa.", "eui.", "uuid.", "nvme.", "t10.", "LVM-", "CRYPT-", "mpath-"});
/// Texts before an identifier in one word. Network interfaces have a MAC address. A space is \x20.
constexpr auto kAffixes = std::to_array<std::string_view>({"0x", "enx", "wlx", "wwx", "x20"});
/// Beginnings of the ids of phones, whose product can be the name that the owner gave.
constexpr auto kPhones =
    std::to_array<std::string_view>({"04e8:68", "05ac:12", "18d1:4e", "22b8:2e", "2717:ff"});
constexpr std::string_view kHome = "/home/";

constexpr std::string_view kWord = "standin";
constexpr size_t kDigitsOfStandIn = 10;
/// Shorter values are numbers of ports and the like.
constexpr size_t kShortest = 4;
constexpr size_t kLongest = 128;  ///< Longer values are not replaced in others.

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Labels can have letters of any script.
bool is_letter(char c) { return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80; }

/// Whether the text matches a shape, in which 'x' is a hexadecimal digit.
bool has_shape(std::string_view text, std::string_view shape) {
  return std::ranges::equal(text, shape, [](char c, char expected) {
    return expected == 'x' ? is_hex(c) : c == expected;
  });
}

constexpr std::string_view kMac = "xx:xx:xx:xx:xx:xx";
constexpr std::string_view kUuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
constexpr std::string_view kPciAddress = "xxxx:xx:xx.x";

std::string_view without_prefix(std::string_view value) {
  for (const std::string_view prefix : kPrefixes) {
    if (value.starts_with(prefix)) value.remove_prefix(prefix.size());
  }
  return value;
}

/// Without spaces and the quotes of the kernel around the value.
std::string_view trimmed(std::string_view value) {
  const size_t begin = value.find_first_not_of(" \"");
  if (begin == std::string_view::npos) return {};
  return value.substr(begin, value.find_last_not_of(" \"") + 1 - begin);
}

/// Letters and digits of a text in lower case. udev writes other characters as "_" and "\x20".
std::string joined(std::string_view text) {
  std::string letters;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\\x")) i += 4;
    if (i < text.size() && is_letter(text[i])) letters += text[i];
  }
  return lower_case(std::move(letters));
}

/// As in properties such as ID_MODEL_ENC.
std::string encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool stays = is_letter(c) || std::string_view("#+-.:=@_").contains(c);
    result += stays ? std::string(1, c) : fmt::format("\\x{:02x}", c);
  }
  return result;
}

std::string stand_in(std::string_view value) {
  return std::string(kWord) +
         stable_hash_hex(joined(without_prefix(trimmed(value))), kDigitsOfStandIn);
}

/// In lower case, with "_" instead of other characters than letters and digits.
std::string folded(std::string_view text) {
  std::string result = lower_case(std::string(text));
  std::ranges::replace_if(result, std::not_fn(is_letter), '_');
  return result;
}

/// Replaces words at once. A word begins and ends where the text has no letter or digit beside it.
class Replacer {
 public:
  void add(std::string_view word, const std::string& by) {
    words_.emplace(folded(word), by);
    longest_ = std::max(longest_, word.size());
  }

  [[nodiscard]] std::string replaced(std::string_view text) const {
    const std::string plain = folded(text);
    std::string result;
    for (size_t i = 0; i < text.size();) {
      const size_t length = may_begin(plain, i) ? word_at(plain, i) : 0;
      if (length > 0) {
        result += words_.at(plain.substr(i, length));
      } else {
        result += text[i];
      }
      i += std::max<size_t>(length, 1);
    }
    return result;
  }

 private:
  static bool is_boundary(std::string_view text, size_t at) {
    return at == 0 || at == text.size() || text[at - 1] == '_' || text[at] == '_';
  }

  /// SCSI ids have a digit before the identifier.
  static bool may_begin(std::string_view text, size_t at) {
    const auto is_after = [&](std::string_view affix) {
      return text.substr(0, at).ends_with(affix) && is_boundary(text, at - affix.size());
    };
    return is_boundary(text, at) || std::ranges::any_of(kAffixes, is_after) ||
           (is_digit(text[at - 1]) && is_boundary(text, at - 1));
  }

  /// The length of the longest word there; 0: none.
  [[nodiscard]] size_t word_at(const std::string& text, size_t at) const {
    for (size_t length = std::min(longest_, text.size() - at); length >= kShortest; --length) {
      if (is_boundary(text, at + length) && words_.contains(text.substr(at, length))) return length;
    }
    return 0;
  }

  std::unordered_map<std::string, std::string> words_;  ///< By folded word.
  size_t longest_ = 0;
};

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
    const auto is_filler = [](char c) {
      return !is_letter(c) || c == '0' || c == 'x' || c == 'f' || c == 'F';
    };
    return value.size() >= kShortest && !std::ranges::all_of(value, is_filler) &&
           !has_shape(value, kPciAddress) && !names_.contains(value) && !is_stand_in(value);
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
    value = without_prefix(trimmed(value));
    if (!identifies(value) || value.size() > kLongest) return;
    const std::string by = stand_in(value);
    words_.add(value, by);
    words_.add(encoded(value), by);
    // UUIDs and MAC addresses without separators.
    const std::string digits = joined(value);
    if (digits.size() >= kMac.size() - 5 && std::ranges::all_of(digits, is_hex)) {
      words_.add(digits, by);
    }
    if (!has_shape(value, kMac)) return;
    paths_.add(value, by);
    paths_.add(digits, by);
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
  Replacer words_;
  Replacer paths_;  ///< For paths of devices, where only MAC addresses change.
};

}  // namespace

bool is_stand_in(std::string_view text) {
  for (size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
    const auto digits = text.substr(at + kWord.size(), kDigitsOfStandIn);
    if (digits.size() == kDigitsOfStandIn &&
        std::ranges::all_of(digits, [](char c) { return kHexDigits.contains(c); })) {
      return true;
    }
  }
  return false;
}

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
