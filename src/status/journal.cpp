#include "status/journal.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace patchbay::status {
namespace {

std::string truncate_text(std::string_view text) { return printable(text, Journal::kMaxTextBytes); }

}  // namespace

void Journal::record(const log::Entry& entry, std::chrono::system_clock::time_point at) {
  if (entry.level < log::Level::info || !entry.event) return;
  Event event{
      .at = at, .kind = *entry.event, .level = entry.level, .message = std::string(entry.message)};
  for (const auto& [name, value] : entry.fields) {
    if (name == "resource") {
      event.resource = truncate_text(value);
    } else if (name == "unit") {
      event.unit = truncate_text(value);
    } else if (event.detail.size() < kMaxTextBytes && !value.empty()) {
      if (!event.detail.empty()) event.detail += ' ';
      event.detail += std::string(name) + '=' + value;
    }
  }
  event.detail = truncate_text(event.detail);
  const std::lock_guard lock(mutex_);
  event.number = ++newest_;
  events_.push_back(std::move(event));
  if (events_.size() > kMaxEvents) events_.pop_front();
}

std::vector<Event> Journal::after(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto first = std::ranges::upper_bound(events_, number, {}, &Event::number);
  return {first, events_.end()};
}

}  // namespace patchbay::status
