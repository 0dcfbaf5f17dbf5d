#include "cli/commands/plug_watch.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cli/commands/host_discovery.h"
#include "cli/terminal/terminal.h"
#include "loop/event_loop.h"
#include "suggest/kinds.h"

namespace patchbay::cli {
namespace {

using suggest::CandidatePtr;
using suggest::Wanted;

/// The time without changes after which a plugged device is complete.
constexpr loop::Milliseconds kPlugSettle{1'000};

class PlugWatch {
 public:
  PlugWatch(rules::PlanPtr kinds, host::HostOptions options)
      : kinds_(std::move(kinds)), options_(std::move(options)) {
    options_.watch = true;
  }

  Result<std::vector<Wanted>> run() {
    const auto end = run_discovery(
        kinds_, options_,
        [&](const inventory::Inventory& inventory) {
          changed(suggest::find_candidates(inventory.last(), suggest::kinds(), options_.root));
          return true;
        },
        [&](loop::UvLoop& loop) {
          auto timer = std::make_shared<Timer>(Timer{.loop = loop, .settled = {}});
          timer_ = timer.get();
          return timer;
        });
    if (!end) return std::unexpected(end.error());
    if (*end != DiscoveryEnd::enough) return fail("stopped before a device was plugged in");
    return std::move(plugged_);
  }

 private:
  /// Must not outlive the loop.
  struct Timer {
    loop::UvLoop& loop;
    loop::Subscription settled;
  };

  void changed(const std::vector<CandidatePtr>& candidates) {
    std::set<std::string> present;
    plugged_.clear();
    for (const CandidatePtr& candidate : candidates) {
      if (candidate->superseded) continue;
      const auto& device = *candidate->matched.front();
      present.insert(device.key);
      if (known_ && !known_->contains(device.key)) {
        plugged_.push_back({.key = device.key, .path = device.devnode});
      }
    }
    if (!known_) {
      print_error("plug a device in; Ctrl-C ends the wait\n");
      known_ = std::move(present);
      return;
    }
    // A device that is unplugged and plugged again is new.
    std::erase_if(*known_, [&](const std::string& key) { return !present.contains(key); });
    timer_->settled.reset();
    if (!plugged_.empty()) {
      timer_->settled = timer_->loop.after(kPlugSettle, [this] { timer_->loop.stop(); });
    }
  }

  rules::PlanPtr kinds_;
  host::HostOptions options_;
  Timer* timer_ = nullptr;
  std::optional<std::set<std::string>> known_;  ///< Null before the first scan is complete.
  std::vector<Wanted> plugged_;
};

}  // namespace

Result<std::vector<Wanted>> wait_for_plug(const rules::PlanPtr& kinds, host::HostOptions options) {
  return PlugWatch(kinds, std::move(options)).run();
}

}  // namespace patchbay::cli
