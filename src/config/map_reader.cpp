#include "config/map_reader.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "config/foreign_words.h"

namespace patchbay::config {
namespace {

/// The equivalent of a key of udev rules, such as `ENV{ID_BUS}` or `KERNEL=="ttyUSB*"`. Empty for
/// other words.
std::string udev_key_hint(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKeysWithNames{
      {{"ENV{", "property: {"}, {"ATTR{", "attribute: {"}, {"ATTRS{", ""}, {"TEST{", ""}}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kMatchKeys{
      {{"KERNEL", "name"},
       {"SUBSYSTEM", "subsystem"},
       {"DRIVER", "driver"},
       {"TAG", "tag"},
       {"SYMLINK", "link"},
       {"DEVTYPE", "devtype"}}};
  for (const auto& [begin, key] : kKeysWithNames) {
    const size_t end = word.find('}');
    if (!word.starts_with(begin) || end == std::string_view::npos) continue;
    const std::string name(word.substr(begin.size(), end - begin.size()));
    if (!key.empty()) return "write " + std::string(key) + name + ": …}";
    return "for a parent device write usb: {vendor: …, product: …}, or ancestor: {subsystem: usb, "
           "devtype: usb_device, attribute: {" +
           name + ": …}}";
  }
  for (const auto& [begin, key] : kMatchKeys) {
    // Without quotes, KERNEL=="ttyUSB*" is a single YAML key.
    if (word.starts_with(begin) && word.contains("==")) {
      return "write " + std::string(key) + ": VALUE, without quotes and '=='";
    }
  }
  return {};
}

std::string join_names(const std::vector<std::string_view>& names) {
  return join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

/// The description of the key. A resource has the keys of a group, too.
std::string_view about_of(std::string_view block, std::string_view key) {
  for (const BlockInfo& known : language()) {
    if (known.name != block && (block != "resource" || known.name != "group")) continue;
    const auto found = std::ranges::find(known.keys, key, &KeyInfo::name);
    if (found != known.keys.end()) return found->about;
  }
  return {};
}

}  // namespace

MapReader::MapReader(const YamlNode& node, std::string_view block, Diagnostics& diagnostics,
                     std::string_view instead_of_text)
    : node_(&node), block_(block), diagnostics_(&diagnostics) {
  if (node.kind != YamlNode::Kind::mapping) {
    const bool is_text = node.kind == YamlNode::Kind::scalar;
    report_type(node, "a mapping", block, diagnostics,
                std::string(is_text ? instead_of_text : std::string_view{}));
    usable_ = false;
  } else if (node.entries.empty()) {
    diagnostics.error(node.at, fmt::format("empty mapping for '{}'", block),
                      fmt::format("such as {}", example_of(block)));
    usable_ = false;
  }
}

Position MapReader::at(std::string_view key) const {
  const YamlEntry* entry = find(key);
  return entry == nullptr ? node_->at : entry->key.at;
}

bool MapReader::finish() {
  if (!usable_) return false;
  for (const KeyInfo& info : required_) report_missing(info);
  if (!choices_.empty()) report_choice();
  for (const YamlEntry& entry : node_->entries) {
    if (is_known(entry.key.value)) continue;
    failed_ = true;
    diagnostics_->error(
        entry.key.at,
        fmt::format("unknown key '{}' in {}", printable(entry.key.value, kMaxShown), block_),
        hint_for(entry.key.value));
  }
  return !failed_;
}

const YamlEntry* MapReader::find(std::string_view key) const {
  const auto found = std::ranges::find_if(
      node_->entries, [key](const YamlEntry& entry) { return entry.key.value == key; });
  return found == node_->entries.end() ? nullptr : &*found;
}

const YamlNode* MapReader::take(const KeyInfo& info) {
  known_.push_back(info.name);
  const YamlEntry* entry = find(info.name);
  if (entry == nullptr) return nullptr;
  if (report_empty(entry->value, info, *diagnostics_)) {
    failed_ = true;
    return nullptr;
  }
  return &entry->value;
}

bool MapReader::is_known(std::string_view key) const {
  return std::ranges::find(known_, key) != known_.end();
}

/// Whether one of the unknown keys is a misspelling of this key.
bool MapReader::is_misspelt(std::string_view key) const {
  return std::ranges::any_of(node_->entries, [&](const YamlEntry& entry) {
    return !is_known(entry.key.value) && suggestion_for(entry.key.value) == key;
  });
}

void MapReader::report_missing(const KeyInfo& info) {
  if (has(info.name)) return;
  failed_ = true;
  if (is_misspelt(info.name)) return;
  diagnostics_->error(node_->at, fmt::format("missing key '{}' in {}", info.name, block_),
                      fmt::format("{}: {}", info.name, info.about));
}

void MapReader::report_choice() {
  std::vector<std::string_view> given;  // In the order of the file.
  for (const YamlEntry& entry : node_->entries) {
    const auto choice = std::ranges::find(choices_, entry.key.value);
    if (choice != choices_.end()) given.push_back(*choice);
  }
  if (given.size() == 1) return;
  failed_ = true;
  if (given.size() > 1) {
    diagnostics_->error(
        at(given[1]), fmt::format("'{}' beside '{}' in one item of {}", given[1], given[0], block_),
        fmt::format("write each {} as a separate item: put '- ' before it", what_));
    return;
  }
  // Unknown keys have their own message, which lists the known keys.
  const auto known = [this](const YamlEntry& entry) { return is_known(entry.key.value); };
  if (!std::ranges::all_of(node_->entries, known)) return;
  diagnostics_->error(
      node_->at, fmt::format("missing {} in this item of {}", what_, block_),
      fmt::format("write one of {} in the same item as its other keys", join_names(choices_)));
}

/// The most likely intended key. A word of another program is not treated as a misspelling.
std::optional<std::string> MapReader::suggestion_for(std::string_view unknown) const {
  const std::string_view begin = unknown.substr(0, unknown.find(':'));
  for (const std::string_view key : known_) {
    if (normalise_word(key) == normalise_word(begin)) return std::string(key);
  }
  const ForeignKey* const foreign = find_foreign_key(block_, unknown);
  if (foreign == nullptr) return nearest_word(unknown, known_);
  if (!is_known(foreign->replacement)) return std::nullopt;
  return std::string(foreign->replacement);
}

std::string MapReader::hint_for(std::string_view unknown) const {
  if (std::string hint = udev_key_hint(unknown); !hint.empty()) return hint;
  const auto meant = suggestion_for(unknown);
  if (meant && unknown.contains(':')) {
    return fmt::format("write '{}: ', with a space after the ':'", *meant);
  }
  if (const ForeignKey* const foreign = find_foreign_key(block_, unknown)) {
    if (!meant) return std::string(foreign->hint);
    const bool example = foreign->hint.starts_with(*meant + ':');
    return fmt::format("the key here is '{}'{} {}", *meant, example ? ", as in" : ":",
                       foreign->hint.empty() ? about_of(block_, *meant) : foreign->hint);
  }
  if (meant) return fmt::format("did you mean '{}'?", *meant);
  std::vector<std::string_view> others;
  for (const BlockInfo& block : language()) {
    if (std::ranges::find(block.keys, unknown, &KeyInfo::name) != block.keys.end()) {
      others.push_back(block.name);
    }
  }
  std::string known = fmt::format("known keys: {}", join_names(known_));
  if (others.empty()) return known;
  return fmt::format("it is a key of {}: check the line's indentation; {}", join_names(others),
                     known);
}

}  // namespace patchbay::config
