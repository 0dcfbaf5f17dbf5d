#include "status/journal.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace patchbay::status {
namespace {

using Kind = Event::Kind;

struct Message {
  std::string_view text;
  Kind kind;
};

/// Sorted by text.
constexpr std::array kMessages = std::to_array<Message>({
    {"allocated", Kind::allocated},
    {"allocation refused", Kind::allocate_failed},
    {"cannot register", Kind::unregistered},
    {"cannot write unit files: keeping the previous device list", Kind::degraded},
    {"configuration cannot be read: its file system is unresponsive", Kind::reload},
    {"configuration changed", Kind::reload},
    {"configuration rejected: keeping the previous one", Kind::reload},
    {"container start failed", Kind::allocate_failed},
    {"device events were lost: rescanning", Kind::degraded},
    {"device refused", Kind::refused},
    {"event source unavailable", Kind::degraded},
    {"excluded on this node", Kind::refused},
    {"inotify watches are available again", Kind::degraded},
    {"kubelet closed the stream", Kind::unregistered},
    {"kubelet is reachable", Kind::kubelet},
    {"path is responsive again", Kind::degraded},
    {"path is unresponsive: the state of its devices is unknown", Kind::degraded},
    {"preStart steps are done", Kind::pre_start},
    {"previous instance exited: taking over", Kind::registered},
    {"probe cannot run", Kind::degraded},
    {"re-registering: plugin options changed", Kind::unregistered},
    {"refused a connection: the peer is another user", Kind::refused},
    {"registered: the kubelet has the list", Kind::registered},
    {"resource ready", Kind::ready},
    {"rtnetlink unavailable: link changes are detected by rescans only", Kind::degraded},
    {"rule is degraded", Kind::degraded},
    {"several units contain the same device node", Kind::degraded},
    {"some paths cannot be watched: changes are detected late", Kind::degraded},
    {"standby: another instance serves the resource", Kind::unregistered},
    {"still waiting for the kubelet", Kind::kubelet},
    {"thread resumed", Kind::degraded},
    {"thread stalled", Kind::degraded},
    {"unit dropped", Kind::unit_removed},
    {"unit files are written again", Kind::degraded},
    {"unit gives a container nothing", Kind::degraded},
    {"unit incomplete", Kind::refused},
    {"unit is healthy again", Kind::healthy},
    {"unit is unhealthy", Kind::unhealthy},
    {"unit offered", Kind::unit_added},
    {"waiting for the kubelet", Kind::kubelet},
});
static_assert(std::ranges::is_sorted(kMessages, {}, &Message::text));

std::string truncate_text(std::string_view text) { return printable(text, Journal::kMaxTextBytes); }

}  // namespace

std::optional<Kind> kind_of(std::string_view message) {
  const auto* const found = std::ranges::lower_bound(kMessages, message, {}, &Message::text);
  if (found == kMessages.end() || found->text != message) return std::nullopt;
  return found->kind;
}

std::vector<std::string_view> journal_messages() {
  std::vector<std::string_view> texts;
  for (const Message& message : kMessages) texts.push_back(message.text);
  return texts;
}

void Journal::record(const log::Entry& entry, std::chrono::system_clock::time_point at) {
  if (entry.level < log::Level::info) return;
  const auto kind = kind_of(entry.message);
  if (!kind) return;
  Event event{.at = at, .kind = *kind, .level = entry.level, .message = std::string(entry.message)};
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
