#include "machine/stand_ins.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace patchbay::machine {
namespace {

/// Attributes with identifiers: a component of their path. MAC addresses and UUIDs are found by
/// their shape.
constexpr auto kAttributes = std::to_array<std::string_view>({
    "board_asset_tag",
    "board_serial",
    "chassis_asset_tag",
    "chassis_serial",
    "cid",
    "eui",
    "fabric_name",
    "gids",
    "hostid",
    "hostnqn",
    "ifalias",
    "initiatorname",
    "nguid",
    "node_guid",
    "node_name",
    "permanent_port_name",
    "persistent_address",
    "phys_switch_id",
    "port_guid",
    "port_name",
    "product_serial",
    "root_id",
    "sas_address",
    "serial",
    "serial_no",
    "serial_num",
    "serial_number",
    "subsysnqn",
    "sys_image_guid",
    "targetname",
    "uniq",
    "unique_id",
    "unique_number",
    "wwid",
    "wwn",
});
/// Properties with identifiers.
constexpr auto kProperties = std::to_array<std::string_view>({
    "HID_UNIQ",
    "ID_SCSI_SERIAL",
    "ID_SERIAL_SHORT",
    "ID_USB_SERIAL_SHORT",
    "ID_WWN",
    "ID_WWN_WITH_EXTENSION",
    "SCSI_IDENT_SERIAL",
    "UNIQ",
});
/// Properties with labels that people choose. They may be words that occur elsewhere.
constexpr auto kLabels =
    std::to_array<std::string_view>({"ID_FS_LABEL", "ID_FS_LABEL_ENC", "ID_PART_ENTRY_NAME"});
constexpr auto kLabelLinks =
    std::to_array<std::string_view>({"disk/by-label/", "disk/by-partlabel/"});
/// Prefixes that tell the kind of an identifier.
constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"0x", "naa.", "eui.", "uuid.", "nvme.", "t10.", "LVM-", "CRYPT-", "mpath-"});
/// Names of network interfaces with a MAC address (systemd's naming scheme).
constexpr auto kInterfaces = std::to_array<std::string_view>({"enx", "wlx", "wwx"});

/// '#' is a hexadecimal digit in lower case.
constexpr std::string_view kForm = "standin##########";

/// Shorter values are numbers of ports and the like.
constexpr size_t kShortest = 4;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Whether the text matches a shape, in which 'x' is a hexadecimal digit.
bool has_shape(std::string_view text, std::string_view shape) {
  return std::ranges::equal(text, shape, [](char c, char expected) {
    return expected == 'x' ? is_hex(c) : c == expected;
  });
}

constexpr std::string_view kMac = "xx:xx:xx:xx:xx:xx";
constexpr std::string_view kUuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
constexpr std::string_view kPciAddress = "xxxx:xx:xx.x";

/// Whether the value can tell this piece of hardware from others of its kind. Fillers such as
/// 0000 cannot, and root hubs have the address of their controller as a serial.
bool identifies(std::string_view value) {
  const auto is_filler = [](char c) {
    return !is_alphanumeric(c) || c == '0' || c == 'f' || c == 'F';
  };
  return value.size() >= kShortest && !std::ranges::all_of(value, is_filler) &&
         !has_shape(value, kPciAddress);
}

std::string_view without_prefix(std::string_view value) {
  for (const std::string_view prefix : kPrefixes) {
    if (value.starts_with(prefix)) value.remove_prefix(prefix.size());
  }
  return value;
}

std::string joined(std::string_view mac) {
  std::string digits;
  std::ranges::copy_if(mac, std::back_inserter(digits), is_hex);
  return digits;
}

/// Replaces words at once. A word begins and ends where the text has no letter or digit beside it.
class Replacer {
 public:
  void add(const std::string& word, const std::string& by) {
    if (word.size() < kShortest) return;
    auto& words = by_beginning_[word.substr(0, kShortest)];
    words.emplace(word, by);
  }

  void replace(std::string& text) const {
    std::string result;
    size_t i = 0;
    while (i < text.size()) {
      const auto* word = find(text, i);
      if (word == nullptr) {
        result += text[i++];
      } else {
        result += word->second;
        i += word->first.size();
      }
    }
    text = std::move(result);
  }

 private:
  struct LongerFirst {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  using Words = std::map<std::string, std::string, LongerFirst>;

  [[nodiscard]] const Words::value_type* find(const std::string& text, size_t at) const {
    if (at + kShortest > text.size()) return nullptr;
    if (at > 0 && is_alphanumeric(text[at - 1])) return nullptr;
    const auto words = by_beginning_.find(text.substr(at, kShortest));
    if (words == by_beginning_.end()) return nullptr;
    for (const auto& word : words->second) {
      const size_t end = at + word.first.size();
      if (text.compare(at, word.first.size(), word.first) != 0) continue;
      if (end == text.size() || !is_alphanumeric(text[end])) return &word;
    }
    return nullptr;
  }

  std::unordered_map<std::string, Words> by_beginning_;
};

/// A text of the same shape, which depends on the value and the number only.
std::string text_like(std::string_view value, uint64_t number) {
  // A linear congruential generator with Knuth's constants.
  uint64_t state = stable_hash(value) + number;
  const auto next = [&](uint64_t range) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % range;
  };
  const bool all_hex =
      std::ranges::all_of(value, [](char c) { return !is_alphanumeric(c) || is_hex(c); });
  std::string text;
  for (const char c : value) {
    if (is_digit(c)) {
      text += static_cast<char>('0' + next(10));
    } else if (is_alphanumeric(c)) {
      const char first = c < 'a' ? 'A' : 'a';
      text += static_cast<char>(first + static_cast<char>(next(all_hex ? 6 : 26)));
    } else {
      text += c;
    }
  }
  // Locally administered, and not multicast.
  if (has_shape(value, kMac)) text.replace(0, 2, "02");
  return text;
}

/// Finds the identifiers of a machine, and replaces them.
class StandIns {
 public:
  StandIns(const Machine& machine, const std::vector<std::string>& host_names) {
    for (const auto& [path, device] : machine.devices) {
      std::ranges::copy(split(path, '/'), std::back_inserter(device_names_));
    }
    std::ranges::sort(device_names_);
    for (const std::string& name : host_names) collect(name);
    for (const auto& [path, device] : machine.devices) collect_from(device);
    for (const auto& [path, file] : machine.files) collect_shapes(file.content);
    for (const std::string& value : values_) add(value);
  }

  void replace(Device& device) const {
    paths_.replace(device.path);
    replace_names(device.attributes);
    for (auto& [name, value] : device.attributes) words_.replace(value);
    replace_names(device.links);
    for (auto& [name, target] : device.links) paths_.replace(target);
    for (auto& [name, value] : device.properties) {
      if (is_in(name, kLabels)) {
        value = text_like(value, 0);
      } else {
        words_.replace(value);
      }
    }
    for (std::string& link : device.devlinks) replace_link(link);
  }

  void replace(std::string& text) const {
    words_.replace(text);
    paths_.replace(text);
  }

 private:
  void collect(std::string_view value) {
    // The kernel writes UNIQ in quotes.
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    const std::string_view body = without_prefix(value);
    if (identifies(body) && !std::ranges::binary_search(device_names_, body)) {
      values_.emplace(body);
    }
  }

  /// MAC addresses and UUIDs anywhere in a text.
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
  }

  void collect_from(const Device& device) {
    for (const auto& [name, value] : device.attributes) {
      const auto components = split(name, '/');
      const bool is_identifier = std::ranges::any_of(
          components, [](std::string_view component) { return is_in(component, kAttributes); });
      if (is_identifier) collect(value);
      collect_shapes(value);
    }
    for (const auto& [name, value] : device.properties) {
      if (is_in(name, kProperties)) collect(value);
      if (!is_in(name, kLabels)) collect_shapes(value);
    }
  }

  void add(const std::string& value) {
    std::string by = text_like(value, 0);
    // Short values may get equal texts.
    for (uint64_t number = 1; used_.contains(by) || values_.contains(by); ++number) {
      if (number > kMostTries) break;
      by = text_like(value, number);
    }
    used_.insert(by);
    words_.add(value, by);
    // Forms of one value: "0x5000…" and "35000…" of a WWN, and spaces as udev writes them.
    for (const char* prefix : {"0x", "3"}) words_.add(prefix + value, prefix + by);
    std::string underscored = value;
    std::ranges::replace(underscored, ' ', '_');
    if (underscored != value) {
      std::string underscored_by = by;
      std::ranges::replace(underscored_by, ' ', '_');
      words_.add(underscored, underscored_by);
    }
    if (!has_shape(value, kMac)) return;
    words_.add(joined(value), joined(by));
    for (const std::string_view prefix : kInterfaces) {
      const std::string name = std::string(prefix) + joined(value);
      const std::string name_by = std::string(prefix) + joined(by);
      words_.add(name, name_by);
      paths_.add(name, name_by);
    }
  }

  void replace_names(NamedValues& values) const {
    NamedValues replaced;
    for (auto& [name, value] : values) {
      std::string key = name;
      paths_.replace(key);
      replaced.emplace(std::move(key), std::move(value));
    }
    values = std::move(replaced);
  }

  void replace_link(std::string& link) const {
    for (const std::string_view directory : kLabelLinks) {
      if (!link.starts_with(directory)) continue;
      link = std::string(directory) + text_like(link.substr(directory.size()), 0);
      return;
    }
    words_.replace(link);
  }

  static constexpr uint64_t kMostTries = 1000;

  std::vector<std::string_view> device_names_;  ///< Sorted components of paths of devices.
  std::set<std::string> values_;
  std::set<std::string> used_;
  Replacer words_;
  Replacer paths_;  ///< For paths of devices, where only names of interfaces change.
};

}  // namespace

bool is_stand_in(std::string_view text) {
  const auto is_form = [](std::string_view word) {
    return word.size() == kForm.size() && std::ranges::equal(word, kForm, [](char c, char form) {
             return form == '#' ? kHexDigits.contains(c) : c == form;
           });
  };
  for (size_t at = text.find(kForm.front()); at != std::string_view::npos;
       at = text.find(kForm.front(), at + 1)) {
    if (is_form(text.substr(at, kForm.size()))) return true;
  }
  return false;
}

void replace_identifiers(Machine& machine, std::vector<std::string>& notes,
                         const std::vector<std::string>& host_names) {
  const StandIns stand_ins(machine, host_names);
  Machine replaced;
  for (auto& [path, device] : machine.devices) {
    stand_ins.replace(device);
    std::string key = device.path;
    replaced.devices.emplace(std::move(key), std::move(device));
  }
  for (auto& [path, file] : machine.files) {
    std::string key = path;
    stand_ins.replace(key);
    stand_ins.replace(file.content);
    replaced.files.emplace(std::move(key), std::move(file));
  }
  for (std::string& note : notes) stand_ins.replace(note);
  machine = std::move(replaced);
}

}  // namespace patchbay::machine
