#include "model/facts.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace patchbay {

struct FactValues::Key {
  std::string_view argument;
  Fact fact = Fact::name;
  friend bool operator==(const Key&, const Key&) = default;
};

std::span<const std::string_view> FactValues::values() const {
  return {reinterpret_cast<const std::string_view*>(memory_.get()), count_};
}

std::span<const FactValues::Key> FactValues::keys() const {
  return {reinterpret_cast<const Key*>(memory_.get() + count_ * sizeof(std::string_view)), count_};
}

FactValues::FactValues(std::vector<FactValue> values) {
  std::erase_if(values, [](const FactValue& value) {
    return value.value.empty() && value.fact != Fact::file;
  });
  std::ranges::stable_sort(
      values, {}, [](const FactValue& value) { return std::tie(value.fact, value.argument); });
  count_ = values.size();
  if (count_ == 0) return;
  const size_t before_text = count_ * (sizeof(std::string_view) + sizeof(Key));
  size_t size = before_text;
  for (const FactValue& value : values) size += value.argument.size() + value.value.size();
  const std::shared_ptr<std::byte[]> memory(new std::byte[size]);
  char* text = reinterpret_cast<char*>(memory.get() + before_text);
  const auto keep = [&](const std::string& from) {
    char* const begin = text;
    text = std::ranges::copy(from, begin).out;
    return std::string_view(begin, from.size());
  };
  auto* value_at = reinterpret_cast<std::string_view*>(memory.get());
  auto* key_at = reinterpret_cast<Key*>(memory.get() + count_ * sizeof(std::string_view));
  for (const FactValue& value : values) {
    std::construct_at(value_at++, keep(value.value));
    std::construct_at(key_at++, keep(value.argument), value.fact);
  }
  memory_ = memory;
}

/// There are few values, because only needed ones are read, so a linear search is the fastest.
std::span<const std::string_view> FactValues::of(Fact fact, std::string_view argument) const {
  const auto sought = [&](const Key& key) { return key.fact == fact && key.argument == argument; };
  const auto found = std::ranges::find_if(keys(), sought);
  const auto end = std::find_if_not(found, keys().end(), sought);
  return values().subspan(static_cast<size_t>(found - keys().begin()),
                          static_cast<size_t>(end - found));
}

std::string_view FactValues::first(Fact fact, std::string_view argument) const {
  const auto found = of(fact, argument);
  return found.empty() ? std::string_view{} : found.front();
}

std::vector<FactValue> FactValues::list() const {
  std::vector<FactValue> list;
  for (size_t i = 0; i < count_; ++i) {
    list.push_back({keys()[i].fact, std::string(keys()[i].argument), std::string(values()[i])});
  }
  return list;
}

bool operator==(const FactValues& a, const FactValues& b) {
  return a.memory_ == b.memory_ ||
         (std::ranges::equal(a.keys(), b.keys()) && std::ranges::equal(a.values(), b.values()));
}

FoundByList::FoundByList(std::vector<FoundBy> all) {
  if (all.empty()) return;
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  all.shrink_to_fit();
  all_ = std::make_shared<const std::vector<FoundBy>>(std::move(all));
}

FoundByList FoundByList::with(const FoundByList& others) const {
  if (others.empty()) return *this;
  std::vector<FoundBy> both(begin(), end());
  both.insert(both.end(), others.begin(), others.end());
  return FoundByList(std::move(both));
}

bool operator==(const FoundByList& a, const FoundByList& b) {
  return a.all_ == b.all_ || std::ranges::equal(a, b);
}

std::optional<DeviceNumber> device_number_of(mode_t mode, dev_t number) {
  if (!S_ISCHR(mode) && !S_ISBLK(mode)) return std::nullopt;
  return DeviceNumber{
      .block = S_ISBLK(mode), .major = ::gnu_dev_major(number), .minor = ::gnu_dev_minor(number)};
}

std::string text_of(const DeviceNumber& number) {
  return fmt::format("{} {}:{}", number.block ? "block" : "char", number.major, number.minor);
}

std::string_view DeviceFacts::syspath() const {
  const bool below_sysfs = kind == DeviceKind::kernel_device || kind == DeviceKind::sysfs_directory;
  return below_sysfs ? std::string_view(key) : std::string_view{};
}

Values values_of(const DeviceFacts& facts, Fact fact, std::string_view argument) {
  switch (fact) {
    case Fact::name:
      return Values(facts.name);
    case Fact::subsystem:
      return Values(facts.subsystem);
    case Fact::devtype:
      return Values(facts.devtype);
    case Fact::devnode:
      return Values(facts.devnode);
    case Fact::syspath:
      return Values(facts.syspath());
    case Fact::path:
      return facts.kind == DeviceKind::path ? Values(facts.key) : Values();
    case Fact::node:
      return facts.kind == DeviceKind::node ? Values(facts.name) : Values();
    case Fact::type:
      return facts.path_type ? Values(path_type_word(*facts.path_type)) : Values();
    default:
      return Values(facts.known.of(fact, argument));
  }
}

void WantedFacts::add(Fact fact, std::string_view argument) {
  if (info(fact).cost == Cost::none || info(fact).cost == Cost::file) return;
  FactName name{fact, std::string(argument)};
  const auto at = std::ranges::lower_bound(facts, name);
  if (at == facts.end() || *at != name) facts.insert(at, std::move(name));
}

void WantedFacts::add(const WantedFacts& other) {
  relevant = relevant || other.relevant;
  names_from_udev = names_from_udev || other.names_from_udev;
  if (!std::ranges::includes(facts, other.facts)) {
    std::vector<FactName> both;
    std::ranges::set_union(facts, other.facts, std::back_inserter(both));
    facts = std::move(both);
  }
  if (!other.above.empty()) for_ancestors().add(other.above.front());
}

WantedFacts& WantedFacts::for_ancestors() {
  if (above.empty()) above.emplace_back();
  return above.front();
}

bool WantedFacts::wants(Fact fact) const {
  return std::ranges::find(facts, fact, &FactName::fact) != facts.end();
}

bool WantedFacts::wants(Cost cost) const {
  return std::ranges::any_of(facts,
                             [&](const FactName& name) { return info(name.fact).cost == cost; });
}

bool WantedFacts::awaits_udev() const {
  return names_from_udev || wants(Cost::database) ||
         std::ranges::any_of(above, &WantedFacts::awaits_udev);
}

std::vector<std::string> HostQuery::event_sources() const {
  std::vector<std::string> sources;
  if (follows_devices()) sources = {"kernel", "udev"};
  if (follows_links) sources.emplace_back("links");
  if (follows_paths()) sources.emplace_back("paths");
  return sources;
}

}  // namespace patchbay
