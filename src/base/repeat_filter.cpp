#include "base/repeat_filter.h"

#include <algorithm>
#include <iterator>

namespace patchbay::log {
namespace {

/// Lines with equal keys are equal: the key contains the length of each component.
std::string key_of(const Entry& entry) {
  std::string key;
  const auto add = [&](std::string_view field) {
    key += std::to_string(field.size());
    key += ':';
    key += field;
  };
  add(std::to_string(static_cast<int>(entry.level)));
  add(entry.message);
  for (const auto& [name, value] : entry.fields) {
    add(name);
    add(value);
  }
  return key;
}

size_t length_of(const Entry& entry) {
  size_t length = entry.message.size();
  for (const auto& [name, value] : entry.fields) length += name.size() + value.size();
  return length;
}

}  // namespace

bool RepeatFilter::admit(const Entry& entry, Time now) {
  while (!windows_.empty() && windows_.front().begin + kWindow <= now) close_oldest_window();
  if (length_of(entry) > kMaxRememberedBytes) return true;
  std::string key = key_of(entry);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    return ++known->second->count <= kWrittenPerWindow;
  }
  if (windows_.size() == kMaxWindows) close_oldest_window();
  Window window{.key = std::move(key),
                .begin = now,
                .line = {.level = entry.level, .message = std::string(entry.message), .fields = {}},
                .count = 1};
  for (const auto& [name, value] : entry.fields) window.line.fields.emplace_back(name, value);
  windows_.push_back(std::move(window));
  by_key_.emplace(windows_.back().key, std::prev(windows_.end()));
  return true;
}

void RepeatFilter::close_oldest_window() {
  Window& first = windows_.front();
  if (first.count > kWrittenPerWindow) {
    first.line.fields.emplace_back("repeated", std::to_string(first.count - kWrittenPerWindow));
    closed_.push_back(std::move(first.line));
  }
  by_key_.erase(first.key);
  windows_.pop_front();
}

std::vector<RepeatFilter::Repeated> RepeatFilter::take_expired(Time now) {
  while (!windows_.empty() && windows_.front().begin + kWindow <= now) close_oldest_window();
  return std::exchange(closed_, {});
}

std::vector<RepeatFilter::Repeated> RepeatFilter::take_all() {
  while (!windows_.empty()) close_oldest_window();
  return std::exchange(closed_, {});
}

}  // namespace patchbay::log
