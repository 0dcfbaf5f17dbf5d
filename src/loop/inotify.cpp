#include "loop/inotify.h"

#include <fcntl.h>
#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::loop {
namespace {

// Without IN_CLOSE_WRITE and IN_ATTRIB: a watch on /dev would wake the loop for every write to
// /dev/null.
constexpr uint32_t kMask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF |
                           IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD;
// Writes through a mapping are reported when the file is closed.
constexpr uint32_t kFileMask =
    IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_MASK_ADD;
/// The kernel reports these whatever the mask.
constexpr uint32_t kAlways = IN_IGNORED | IN_UNMOUNT | IN_Q_OVERFLOW;

enum class Resource { watches, instances };

/// "fs.inotify.max_user_watches = 8192": the smaller limit of the user and the namespace.
std::string limit_of(Resource resource) {
  const bool watches = resource == Resource::watches;
  struct Limit {
    std::string name;
    std::string file;
  };
  const std::vector<Limit> limits = {
      {watches ? "fs.inotify.max_user_watches" : "fs.inotify.max_user_instances",
       watches ? "/proc/sys/fs/inotify/max_user_watches"
               : "/proc/sys/fs/inotify/max_user_instances"},
      {watches ? "user.max_inotify_watches" : "user.max_inotify_instances",
       watches ? "/proc/sys/user/max_inotify_watches" : "/proc/sys/user/max_inotify_instances"}};
  std::string text;
  long least = 0;
  for (const Limit& limit : limits) {
    long value = 0;
    if (!(std::ifstream(limit.file) >> value) || (!text.empty() && value >= least)) continue;
    least = value;
    text = limit.name + " = " + std::to_string(value);
  }
  return text.empty() ? limits.front().name : text;
}

/// The limit to raise.
std::string cause_of(Resource resource, int error) {
  if (error == ENOMEM) return "the memory of the kernel";
  const bool descriptors = resource == Resource::instances && error == EMFILE &&
                           !UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (descriptors) return "the open files of this process (RLIMIT_NOFILE)";
  return error == ENFILE ? "fs.file-max" : limit_of(resource);
}

/// Handles exhausted inotify watches or instances. Logs the start once, with the limit to raise,
/// and the end once. In between, it calls the owners of refused watches from time to time. Loop
/// thread.
class InotifyExhaustion {
 public:
  /// Delay before a retry: the first one, doubled each time, up to the last.
  static constexpr Milliseconds kFirstDelay{2'000};
  static constexpr Milliseconds kMaxDelay{10'000};

  explicit InotifyExhaustion(EventLoop& loop) : loop_(loop) {}

  /// Whether the errno means exhausted resources.
  [[nodiscard]] static bool is_exhaustion(int error) {
    return error == ENOSPC || error == ENOMEM || error == EMFILE || error == ENFILE;
  }
  /// A watch or instance was refused.
  void refused(Resource resource, int error) {
    refused_ = true;
    if (timer_) return;
    log::warning(
        "inotify watches exhausted: changes are detected late",
        {{"limit", cause_of(resource, error)}, {"reason", std::generic_category().message(error)}});
    wait_ = kFirstDelay;
    arm();
  }
  [[nodiscard]] bool is_active() const { return static_cast<bool>(timer_); }
  /// See Inotify::on_exhaustion().
  [[nodiscard]] Subscription subscribe(std::function<void()> retry) {
    const uint64_t id = next_id_++;
    (*retries_)[id] = std::move(retry);
    return Subscription([retries = retries_, id] { retries->erase(id); });
  }

 private:
  void arm() {
    timer_ = loop_.after(wait_, [this] { retry(); });
    wait_ = std::min(wait_ * 2, kMaxDelay);
  }
  void retry() {
    if (!std::exchange(refused_, false)) {
      timer_.reset();
      log::info({"inotify watches are available again", log::EventKind::degraded});
      return;
    }
    arm();
    std::vector<uint64_t> ids;
    for (const auto& [id, retry] : *retries_) ids.push_back(id);
    for (const uint64_t id : ids) {
      // A callback may end another Subscription.
      if (const auto it = retries_->find(id); it != retries_->end()) std::function(it->second)();
    }
  }

  EventLoop& loop_;
  bool refused_ = false;  ///< Since the last retry.
  Milliseconds wait_ = kFirstDelay;
  uint64_t next_id_ = 0;
  using Retries = std::map<uint64_t, std::function<void()>>;
  /// Shared with the Subscriptions, which may outlive this.
  std::shared_ptr<Retries> retries_ = std::make_shared<Retries>();
  Subscription timer_;
};

UniqueFd open_inotify() { return UniqueFd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)); }

class KernelInotify final : public Inotify {
 public:
  KernelInotify(EventLoop& loop, UniqueFd fd)
      : loop_(loop), state_(std::make_shared<State>()), exhaustion_(loop) {
    state_->fd = std::move(fd);
    if (state_->fd) read();
  }
  ~KernelInotify() override {
    reading_.reset();
    state_->closed = true;
  }

  Result<Subscription> watch(const std::string& directory,
                             std::function<void(const InotifyEvent&)> on_event,
                             uint32_t extra_mask) override {
    return add(directory, kMask | extra_mask, std::move(on_event));
  }

  Result<Subscription> watch_file(const std::string& file,
                                  std::function<void(const InotifyEvent&)> on_event) override {
    return add(file, kFileMask, std::move(on_event));
  }

  Subscription on_exhaustion(const std::function<void()>& retry) override {
    return exhaustion_.subscribe(retry);
  }
  [[nodiscard]] bool is_exhausted() const override { return exhaustion_.is_active(); }

 private:
  using Callback = std::function<void(const InotifyEvent&)>;

  void read() {
    reading_ =
        loop_.watch_readable(state_->fd.get(), [weak = std::weak_ptr(state_)](FdEvent /*event*/) {
          // Keeps the state alive during the read: a callback may destroy the Inotify.
          if (const auto state = weak.lock()) state->read_events();
        });
  }

  Result<Subscription> add(const std::string& path, uint32_t mask, Callback on_event) {
    if (!state_->fd) {
      state_->fd = open_inotify();
      if (!state_->fd) return refuse(path, Resource::instances, errno);
      read();
    }
    const int descriptor = inotify_add_watch(state_->fd.get(), path.c_str(), mask);
    if (descriptor < 0) return refuse(path, Resource::watches, errno);
    const uint64_t id = state_->next_id++;
    state_->watches[descriptor][id] = {mask | kAlways,
                                       std::make_shared<const Callback>(std::move(on_event))};
    return Subscription([state = state_, descriptor, id] { state->remove(descriptor, id); });
  }

  std::unexpected<Error> refuse(const std::string& path, Resource resource, int error) {
    if (InotifyExhaustion::is_exhaustion(error)) exhaustion_.refused(resource, error);
    return fail_errno("cannot watch " + path, error);
  }

  /// Shared with the Subscriptions, which may outlive the Inotify.
  struct State {
    UniqueFd fd;
    uint64_t next_id = 0;
    bool closed = false;
    struct Watch {
      uint32_t mask = 0;
      std::shared_ptr<const Callback> on_event;
    };
    /// By watch descriptor. The kernel has one per inode, whatever the path, with the union of all
    /// masks.
    std::map<int, std::map<uint64_t, Watch>> watches;

    void remove(int descriptor, uint64_t id) {
      const auto it = watches.find(descriptor);
      if (it == watches.end()) return;  // The directory is gone.
      it->second.erase(id);
      if (!it->second.empty()) return;
      watches.erase(it);
      if (!closed) inotify_rm_watch(fd.get(), descriptor);
    }

    void read_events() {
      alignas(inotify_event) std::array<char, 16384> buffer;
      const ssize_t size = ::read(fd.get(), buffer.data(), buffer.size());
      for (ssize_t at = 0; size > 0 && at < size;) {
        inotify_event event{};
        std::memcpy(&event, buffer.data() + at, sizeof event);
        const char* name = buffer.data() + at + sizeof event;
        dispatch(event.wd, {.mask = event.mask, .name = event.len > 0 ? name : ""});
        at += static_cast<ssize_t>(sizeof event + event.len);
      }
    }

    void dispatch(int descriptor, const InotifyEvent& event) {
      // A copy: a callback may add and end watches.
      std::vector<std::pair<int, uint64_t>> targets;
      const auto first = event.overflow() ? watches.begin() : watches.lower_bound(descriptor);
      const auto last = event.overflow() ? watches.end() : watches.upper_bound(descriptor);
      for (auto watch = first; watch != last; ++watch) {
        for (const auto& [id, one] : watch->second) {
          if ((event.mask & one.mask) != 0) targets.emplace_back(watch->first, id);
        }
      }
      for (const auto& [wd, id] : targets) call(wd, id, event);
      if ((event.mask & IN_IGNORED) != 0) watches.erase(descriptor);
    }

    void call(int descriptor, uint64_t id, const InotifyEvent& event) {
      const auto it = watches.find(descriptor);
      if (it == watches.end()) return;
      const auto watch = it->second.find(id);
      if (watch == it->second.end()) return;
      const auto callable = watch->second.on_event;
      (*callable)(event);
    }
  };

  EventLoop& loop_;
  std::shared_ptr<State> state_;
  InotifyExhaustion exhaustion_;
  Subscription reading_;
};

}  // namespace

bool InotifyEvent::overflow() const { return (mask & IN_Q_OVERFLOW) != 0; }

bool InotifyEvent::is_watch_ended() const {
  return (mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) != 0;
}

Result<std::unique_ptr<Inotify>> Inotify::create(EventLoop& loop) {
  UniqueFd fd = open_inotify();
  if (!fd && !InotifyExhaustion::is_exhaustion(errno))
    return fail_errno("cannot open inotify", errno);
  return std::make_unique<KernelInotify>(loop, std::move(fd));
}

}  // namespace patchbay::loop
