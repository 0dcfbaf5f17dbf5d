#include "observe/journal.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace patchbay::observe {
namespace {

using Kind = Event::Kind;

struct Message {
  std::string_view text;
  Kind kind;
};

/// Sorted by text.
constexpr std::array kMessages = std::to_array<Message>({
    {"a container cannot start", Kind::not_allocated},
    {"a container starts", Kind::started},
    {"a path answers again", Kind::degraded},
    {"a path does not answer: what is behind it is not known", Kind::degraded},
    {"a probe cannot be run", Kind::degraded},
    {"a rule is degraded", Kind::degraded},
    {"a thread goes on", Kind::degraded},
    {"a thread stands still", Kind::degraded},
    {"allocated", Kind::allocated},
    {"cannot register", Kind::unregistered},
    {"cannot write the files of units, the kubelet keeps the list that it has", Kind::degraded},
    {"changes of network links are noticed at the next rescan only", Kind::degraded},
    {"changes of some paths are noticed late", Kind::degraded},
    {"closed a connection that asks too much", Kind::refused},
    {"device events were lost, everything is looked at again", Kind::degraded},
    {"device refused", Kind::refused},
    {"events of one source are not seen", Kind::degraded},
    {"not for this node", Kind::refused},
    {"refused a connection from another user", Kind::refused},
    {"refused to allocate", Kind::not_allocated},
    {"registered: the kubelet has the list", Kind::registered},
    {"registers anew: what the kubelet is told of it has changed", Kind::unregistered},
    {"resource ready", Kind::ready},
    {"several units give one device node", Kind::degraded},
    {"standing by: another instance serves the resource", Kind::unregistered},
    {"still waiting for the kubelet", Kind::kubelet},
    {"the configuration cannot be read: its file system does not answer", Kind::reload},
    {"the configuration has changed", Kind::reload},
    {"the configuration is refused, the one before holds", Kind::reload},
    {"the files of units are written again", Kind::degraded},
    {"the instance before has ended, this one takes over", Kind::registered},
    {"the kernel grants all inotify watches again", Kind::degraded},
    {"the kubelet answers", Kind::kubelet},
    {"the kubelet closed the stream", Kind::unregistered},
    {"unit dropped", Kind::lost},
    {"unit gives a container nothing", Kind::degraded},
    {"unit incomplete", Kind::refused},
    {"unit is healthy again", Kind::healthy},
    {"unit is unhealthy", Kind::unhealthy},
    {"unit offered", Kind::plugged},
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
  {
    const std::lock_guard lock(mutex_);
    event.number = ++newest_;
    events_.push_back(std::move(event));
    if (events_.size() > kMaxEvents) events_.pop_front();
  }
  const std::lock_guard lock(listener_mutex_);
  if (on_event_) on_event_();
}

std::vector<Event> Journal::after(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto first = std::ranges::upper_bound(events_, number, {}, &Event::number);
  return {first, events_.end()};
}

uint64_t Journal::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

void Journal::listen(std::function<void()> on_event) {
  const std::lock_guard lock(listener_mutex_);
  on_event_ = std::move(on_event);
}

}  // namespace patchbay::observe
