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

/// The list of all unresponsive or refused reads, by names that the owner chooses. Loop thread.
class UnresponsiveList {
 public:
  using Report = std::function<void(const std::vector<Unresponsive>&)>;

  /// `report` gets the whole list in the loop iteration after a change.
  UnresponsiveList(loop::EventLoop& loop, Report report)
      : loop_(loop), report_(std::move(report)) {}

  /// Sets the state of the read `name`. `what` describes the read. It is ignored if
  /// `responsiveness` is ok.
  void note(const std::string& name, paths::Responsiveness responsiveness, Unresponsive what);
  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// Returns null if the read is not in the list.
  [[nodiscard]] std::optional<Unresponsive> find(const std::string& name) const;
  /// Reports at once.
  void report();

 private:
  loop::EventLoop& loop_;
  Report report_;
  std::map<std::string, Unresponsive> all_;  ///< By name.
  loop::Subscription soon_;
};

/// Collects reads and listings that are unresponsive, or refused because of resource exhaustion.
/// Reports the whole list when it changes, and retries the refused reads and listings. Loop thread.
class UnresponsiveReads {
 public:
  /// `listener` gets the list in the loop iteration after a change. References must outlive this.
  UnresponsiveReads(loop::EventLoop& loop, Targets& targets, HostListener& listener);

  /// Sets the state of the read of an entity. `now` says what is being read. It is ignored if
  /// `responsiveness` is ok.
  void entity_read(const std::string& key, paths::Responsiveness responsiveness,
                   const ReadProgress::State& now);
  /// The read of an entity failed with an errno of resource exhaustion. The last known state of the
  /// entity is kept. `again` reads it again.
  void entity_refused(const std::string& key, int error, std::function<void()> again);
  /// The listing of `directory` for a `glob:` pattern is slow or unresponsive.
  void pattern_unresponsive(const std::string& pattern, const std::string& directory,
                            paths::Responsiveness responsiveness);
  /// The pattern was listed, and its matches were passed to `hints`. A pattern that was
  /// unresponsive counts as unresponsive until these matches have been read.
  void pattern_answered(const std::string& pattern, Hints& hints);
  /// The listing of `directory` for a `glob:` pattern failed with an errno of resource exhaustion.
  /// `again` lists it again.
  void pattern_refused(const std::string& pattern, const std::string& directory, int error,
                       std::function<void()> again);
  /// The listing of `directory` failed with an errno of resource exhaustion. `patterns`: all
  /// patterns that need the listing. Empty for the listing of kernel devices.
  void listing_refused(const std::string& directory, const std::vector<std::string>& patterns,
                       int error, std::function<void()> again);
  /// The listing of the directory succeeded.
  void listed(const std::string& directory) { answered(directory); }
  /// An event source could not be opened, because of the errno `error`. `again` opens it.
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
  /// A name is a key, a directory, or a space with a pattern. Keys and directories never begin with
  /// a space.
  UnresponsiveList list_;
  RetryOnExhaustion retries_;
};

}  // namespace patchbay::host
