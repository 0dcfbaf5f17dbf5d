#include "serve/candidacy.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ranges>
#include <utility>
#include <vector>

#include "base/log.h"

namespace patchbay::serve {
namespace {

/// One that cannot be asked now, or sends everybody away, is asked again so soon.
constexpr loop::Milliseconds kAskAgain{1000};
/// So many may end before they say a word: they died, and the next one is looked at at once.
constexpr int kMaySaysNothing = 3;
constexpr size_t kMaxFollowers = 16;
constexpr size_t kMaxGreeting = 256;
constexpr char kSignOfLife = '.';

/// "pid 7 on host"; in a Pod the host's name is the Pod's.
std::string own_greeting() {
  std::array<char, 128> host{};
  gethostname(host.data(), host.size() - 1);
  return "pid " + std::to_string(getpid()) + " on " + host.data() + "\n";
}

/// What does not fit into the socket now is lost: somebody there does not read.
void say(int fd, const std::string& text) {
  [[maybe_unused]] const auto sent =
      send(fd, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

enum class Heard { something, nothing, end };

Heard hear(int fd, std::string& text) {
  std::array<char, kMaxGreeting> bytes{};
  const ssize_t size = recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size > 0) {
    text.assign(bytes.data(), static_cast<size_t>(size));
    return Heard::something;
  }
  const bool later = size < 0 && (errno == EAGAIN || errno == EINTR);
  return later ? Heard::nothing : Heard::end;
}

}  // namespace

Candidacy::Candidacy(loop::EventLoop& loop, const std::string& kubelet_directory,
                     std::string resource, std::string id, loop::Task elected)
    : loop_(loop),
      directory_(kubelet_directory, resource),
      resource_(std::move(resource)),
      id_(std::move(id)),
      elected_call_(std::move(elected)) {}

Candidacy::~Candidacy() {
  const bool had_one = place_.listener != nullptr;
  place_.listener.reset();
  if (had_one) directory_.clean(place_.number);
}

void Candidacy::enter() {
  if (!directory_.is_there() || (place_.listener && place_.listener->is_in_place())) return;
  place_ = {};
  auto place = directory_.enter(loop_, id_, [this](UniqueFd fd) { accept(std::move(fd)); });
  if (place) {
    place_ = *std::move(place);
    failure_.clear();
    return look();
  }
  if (std::exchange(failure_, place.error().message) != failure_) {
    log::info("cannot tell other instances on this node that this one serves the resource",
              {{"resource", resource_}, {"reason", failure_}});
  }
  // Others may have a place there, where only reading is allowed.
  look();
}

void Candidacy::entry_changed(const std::string& name) {
  if (place_.listener && name == std::to_string(place_.number)) enter();
}

std::string Candidacy::path() const {
  return place_.listener ? directory_.path_of(place_.number) : std::string();
}

void Candidacy::look() {
  retry_.reset();
  if (elected() || connection_) return;
  const auto numbers = directory_.numbers();
  const auto mine =
      place_.listener ? std::ranges::lower_bound(numbers, place_.number) : numbers.end();
  const std::vector<uint64_t> before(numbers.begin(), mine);
  for (const uint64_t number : std::views::reverse(before)) {
    auto connection = connect_unix(directory_.path_of(number));
    if (connection) return follow(*std::move(connection));
    const int error = connection.error();
    if (error == ECONNREFUSED || error == ENOENT) continue;  // Its process has ended.
    retry_ = loop_.after(kAskAgain, [this] { look(); });
    return;
  }
  elect();
}

void Candidacy::follow(UniqueFd connection) {
  connection_ = std::move(connection);
  say(connection_.get(), {kSignOfLife});
  before_.clear();
  greeted_ = hangs_ = false;
  awaited_ = true;
  reading_ = loop_.watch_readable(connection_.get(), [this](loop::FdEvent) { heard(); });
  period_ = loop_.every(kPeriod, [this] { ask(); });
}

void Candidacy::heard() {
  std::string text;
  switch (hear(connection_.get(), text)) {
    case Heard::nothing:
      return;
    case Heard::end:
      return lost();
    case Heard::something:
      break;
  }
  awaited_ = false;
  if (std::exchange(hangs_, false)) {
    log::info("the instance that serves the resource answers again", {{"resource", resource_}});
  }
  if (greeted_) return;
  before_ += text;
  const size_t end = std::min(before_.find('\n'), kMaxGreeting);
  if (before_.size() <= end) return;
  before_.resize(end);
  greeted();
}

void Candidacy::greeted() {
  greeted_ = true;
  not_greeted_ = 0;
  stood_by_ = true;
  log::info("standing by: another instance serves the resource",
            {{"resource", resource_}, {"instance", before_}});
}

void Candidacy::lost() {
  reading_.reset();
  period_.reset();
  connection_.reset();
  if (!greeted_ && ++not_greeted_ > kMaySaysNothing) {
    retry_ = loop_.after(kAskAgain, [this] { look(); });
    return;
  }
  look();
}

void Candidacy::ask() {
  if (!std::exchange(awaited_, true)) return say(connection_.get(), {kSignOfLife});
  if (std::exchange(hangs_, true)) return;
  log::warning("the instance that serves the resource does not answer, this one goes on waiting",
               {{"resource", resource_}, {"instance", before_}});
}

void Candidacy::elect() {
  auto call = std::exchange(elected_call_, nullptr);
  directory_.clean(place_.number);
  if (stood_by_) {
    log::info("the instance before has ended, this one takes over", {{"resource", resource_}});
  }
  call();
}

void Candidacy::accept(UniqueFd connection) {
  if (followers_.size() >= kMaxFollowers) return;
  const int fd = connection.get();
  say(fd, own_greeting());
  Follower& follower = followers_[fd];
  follower.connection = std::move(connection);
  follower.reading = loop_.watch_readable(fd, [this, fd](loop::FdEvent) { asked_by(fd); });
}

void Candidacy::asked_by(int fd) {
  Follower& follower = followers_.at(fd);
  std::string text;
  switch (hear(fd, text)) {
    case Heard::nothing:
      return;
    case Heard::something:
      follower.stands_by = true;
      return say(fd, {kSignOfLife});
    case Heard::end:
      break;
  }
  // If one that stood by was killed, its socket is still there. Who only looked is not looked for:
  // two that did so would never end.
  const bool stood_by = follower.stands_by;
  followers_.erase(fd);
  if (stood_by) directory_.clean(place_.number);
}

}  // namespace patchbay::serve
