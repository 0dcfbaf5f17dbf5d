#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/facts/fact_reader.h"
#include "host/hints.h"
#include "host/host_listener.h"
#include "host/retry_on_exhaustion.h"
#include "host/targets.h"
#include "loop/event_loop.h"
#include "model/facts.h"
#include "paths/responsiveness.h"

namespace patchbay::host {

/// The list of everything unresponsive or unreadable, by names that its owner gives. Loop thread.
class UnresponsiveList {
 public:
  using Report = std::function<void(const std::vector<Unresponsive>&)>;

  /// `report` gets the whole list in a later loop iteration than the change.
  UnresponsiveList(loop::EventLoop& loop, Report report)
      : loop_(loop), report_(std::move(report)) {}

  /// Sets the state of a name. `what` describes it, unless `responsiveness` is ok.
  void note(const std::string& name, paths::Responsiveness responsiveness, Unresponsive what);
  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// Null: it answers.
  [[nodiscard]] std::optional<Unresponsive> find(const std::string& name) const;
  /// Reports at once.
  void report();

 private:
  loop::EventLoop& loop_;
  Report report_;
  std::map<std::string, Unresponsive> all_;  ///< By name.
  loop::Subscription soon_;
};

/// Collects what cannot be read: unresponsive entities, patterns and listings, and those refused
/// because of resource exhaustion. Reports the whole list when it changes, and retries what was
/// refused. Loop thread.
class UnresponsiveReads {
 public:
  /// `listener` gets the whole list, in a later loop iteration than the change. All outlive this.
  UnresponsiveReads(loop::EventLoop& loop, Targets& targets, HostListener& listener);

  /// Whether the read of an entity has ended. `now`: what it reads, if it has not.
  void entity_read(const std::string& key, paths::Responsiveness responsiveness,
                   const ReadProgress::State& now);
  /// A read failed with an errno of resource exhaustion. The last known state of the entity is
  /// kept. `again` reads it.
  void entity_refused(const std::string& key, int error, std::function<void()> again);
  /// The listing of `directory` for a `glob:` pattern has not ended.
  void pattern_unresponsive(const std::string& pattern, const std::string& directory,
                            paths::Responsiveness responsiveness);
  /// The pattern was listed, and its matches were hinted. It counts as unresponsive until they have
  /// been read.
  void pattern_answered(const std::string& pattern, Hints& hints);
  /// The listing of `directory` for a `glob:` pattern failed with an errno of resource exhaustion.
  /// `again` lists it.
  void pattern_refused(const std::string& pattern, const std::string& directory, int error,
                       std::function<void()> again);
  /// The listing of `directory` failed with such an errno. `patterns`: all patterns that need it;
  /// empty: it lists the kernel devices.
  void listing_refused(const std::string& directory, const std::vector<std::string>& patterns,
                       int error, std::function<void()> again);
  /// The listing of the directory succeeded.
  void listed(const std::string& directory) { answered(directory); }
  /// An event source could not be opened, with that errno. `again` opens it.
  void source_refused(const std::string& source, int error, std::function<void()> again) {
    retries_.refused(source, error, std::move(again));
  }
  /// The source was opened.
  void source_opened(const std::string& source) { retries_.succeeded(source); }

  /// Reports at once.
  void report() { list_.report(); }

 private:
  void answered(const std::string& name);
  void refused(const std::string& name, int error, std::function<void()> again, Unresponsive what);

  Targets& targets_;
  /// By name: a key, a directory, or a pattern after a space. Keys and directories never begin with
  /// a space.
  UnresponsiveList list_;
  RetryOnExhaustion retries_;
};

}  // namespace patchbay::host
