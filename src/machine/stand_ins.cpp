#include "machine/stand_ins.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::machine {
namespace {

/// Attributes with identifiers, by the last component of their path.
constexpr auto kAttributes = std::to_array<std::string_view>({
    "address",   "board_serial",  "board_uuid",     "chassis_serial", "cid",
    "eui",       "fsid",          "gids",           "hostid",         "nguid",
    "node_guid", "node_name",     "permaddr",       "phys_port_id",   "phys_switch_id",
    "port_guid", "port_name",     "product_serial", "product_uuid",   "sas_address",
    "serial",    "serial_no",     "serial_num",     "serial_number",  "sys_image_guid",
    "unique_id", "unique_number", "uuid",           "wwid",           "wwn",
});
/// Properties with identifiers.
constexpr auto kProperties = std::to_array<std::string_view>({
    "DM_UUID",
    "ID_FS_LABEL",
    "ID_FS_LABEL_ENC",
    "ID_FS_UUID",
    "ID_FS_UUID_ENC",
    "ID_FS_UUID_SUB",
    "ID_FS_UUID_SUB_ENC",
    "ID_PART_ENTRY_UUID",
    "ID_PART_TABLE_UUID",
    "ID_SCSI_SERIAL",
    "ID_SERIAL_SHORT",
    "ID_USB_SERIAL_SHORT",
    "ID_WWN",
    "ID_WWN_WITH_EXTENSION",
    "MD_UUID",
    "SCSI_IDENT_SERIAL",
    "UNIQ",
});
/// Shorter values are numbers of ports and the like.
constexpr size_t kShortest = 4;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// "52:54:00:12:34:56"
bool is_mac(std::string_view text) {
  if (text.size() < 17 || text.size() % 3 != 2) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i % 3 == 2 ? text[i] != ':' : !is_hex(text[i])) return false;
  }
  return true;
}

/// Whether the value tells this piece of hardware from others of its kind.
bool identifies(std::string_view value) {
  const auto is_filler = [](char c) { return !is_alphanumeric(c) || c == '0' || c == 'f'; };
  return value.size() >= kShortest && !std::ranges::all_of(value, is_filler);
}

/// The text without ':', '-' and '.'.
std::string joined(std::string_view text) {
  std::string only;
  for (const char c : text) {
    if (c != ':' && c != '-' && c != '.') only += c;
  }
  return only;
}

/// Replaces many words at once. Longer words come first where several begin.
class Replacer {
 public:
  void add(const std::string& word, std::string by) {
    if (word.size() < kShortest) return;
    auto& words = by_beginning_[word.substr(0, kShortest)];
    if (std::ranges::find(words, word, &std::pair<std::string, std::string>::first) != words.end())
      return;
    words.emplace_back(word, std::move(by));
    std::ranges::stable_sort(words, std::greater{},
                             [](const auto& one) { return one.first.size(); });
  }

  void replace(std::string& text) const {
    if (text.size() < kShortest) return;
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
  [[nodiscard]] const std::pair<std::string, std::string>* find(const std::string& text,
                                                                size_t at) const {
    if (at + kShortest > text.size()) return nullptr;
    const auto words = by_beginning_.find(text.substr(at, kShortest));
    if (words == by_beginning_.end()) return nullptr;
    for (const auto& word : words->second) {
      if (text.compare(at, word.first.size(), word.first) == 0) return &word;
    }
    return nullptr;
  }

  std::unordered_map<std::string, std::vector<std::pair<std::string, std::string>>> by_beginning_;
};

/// A text of the same shape. The number makes it differ from those of other identifiers.
std::string stand_in(std::string_view value, uint64_t number) {
  // A linear congruential generator with Knuth's constants: not for secrecy, the value is not used.
  uint64_t state = number + 1;
  const auto next = [&](uint64_t range) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % range;
  };
  const bool all_hex =
      std::ranges::all_of(value, [](char c) { return !is_alphanumeric(c) || is_hex(c); });
  const bool upper = std::ranges::any_of(value, [](char c) { return c >= 'A' && c <= 'Z'; });
  std::string text;
  for (const char c : value) {
    if (is_digit(c)) {
      text += static_cast<char>('0' + next(10));
    } else if (is_alphanumeric(c)) {
      const char first = upper && c < 'a' ? 'A' : 'a';
      text += static_cast<char>(first + static_cast<char>(next(all_hex ? 6 : 26)));
    } else {
      text += c;
    }
  }
  // Locally administered, and not multicast.
  if (is_mac(value)) text.replace(0, 2, "02");
  return text;
}

std::set<std::string> identifiers_of(const Machine& machine, const std::string& host_name) {
  std::set<std::string> found;
  const auto add = [&](const std::string& value) {
    if (identifies(value)) found.insert(value);
  };
  add(host_name);
  for (const auto& [path, device] : machine.devices) {
    for (const auto& [name, value] : device.attributes) {
      const std::string_view last = base_name(name);
      // Addresses of other buses are positions.
      if (is_in(last, kAttributes) && (last != "address" || is_mac(value))) add(value);
    }
    for (const auto& [name, value] : device.properties) {
      if (is_in(name, kProperties)) add(value);
    }
  }

  return found;
}

void replace_values(const Replacer& replacer, NamedValues& values) {
  NamedValues replaced;
  for (auto& [name, value] : values) {
    std::string key = name;
    replacer.replace(key);
    replacer.replace(value);
    replaced.emplace(std::move(key), std::move(value));
  }
  values = std::move(replaced);
}

}  // namespace

void replace_identifiers(Machine& machine, const std::string& host_name) {
  Replacer replacer;
  uint64_t number = 0;
  for (const std::string& value : identifiers_of(machine, host_name)) {
    const std::string text = stand_in(value, number++);
    replacer.add(value, text);
    // The forms in names: "enx525400123456", "usb-…_A1_B2-if00".
    if (is_mac(value)) replacer.add(joined(value), joined(text));
    std::string underscored = value;
    std::string underscored_text = text;
    std::ranges::replace(underscored, ' ', '_');
    std::ranges::replace(underscored_text, ' ', '_');
    replacer.add(underscored, underscored_text);
  }
  Machine replaced;
  for (auto& [path, device] : machine.devices) {
    replacer.replace(device.path);
    replacer.replace(device.node);
    replace_values(replacer, device.attributes);
    replace_values(replacer, device.links);
    replace_values(replacer, device.properties);
    for (std::string& link : device.devlinks) replacer.replace(link);
    std::string key = device.path;
    replaced.devices.emplace(std::move(key), std::move(device));
  }
  for (auto& [path, file] : machine.files) {
    std::string key = path;
    replacer.replace(key);
    replacer.replace(file.content);
    replaced.files.emplace(std::move(key), std::move(file));
  }
  machine = std::move(replaced);
}

}  // namespace patchbay::machine
