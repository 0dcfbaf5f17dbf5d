#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/facts/fact_reader.h"
#include "host/retry_on_exhaustion.h"
#include "host/unanswered_list.h"
#include "loop/event_loop.h"
#include "model/facts.h"
#include "paths/responsiveness.h"

namespace patchbay::host {

/// Collects what cannot be read: unresponsive entities, patterns and listings, and those refused
/// because of resource exhaustion. Reports the whole list when it changes, and retries what was
/// refused. Loop thread.
class MissingAnswers {
 public:
  struct Callbacks {
    /// Called in a later loop iteration than the change.
    UnansweredList::Report report;
    /// The patterns that find the entity.
    std::function<std::vector<std::string>(const std::string& key)> patterns_of;
    /// Reads an entity that was refused.
    std::function<void(const std::string& key)> read_again;
    /// Calls the task when all queued reads have been reported.
    std::function<void(loop::Task task)> when_caught_up;
  };

  MissingAnswers(loop::EventLoop& loop, Callbacks callbacks);

  /// Whether the read of an entity has ended. `now`: what it reads, if it has not.
  void entity_read(const std::string& key, paths::Responsiveness responsiveness,
                   const ReadProgress::State& now);
  /// A read failed with an errno of resource exhaustion. The last known state of the entity is
  /// kept.
  void entity_refused(const std::string& key, int error);
  /// See Hints::pattern_responsiveness().
  void pattern(const std::string& pattern, const std::string& directory,
               paths::Responsiveness responsiveness);
  /// See Hints::listing_refused().
  void listing_refused(const std::string& directory, const std::vector<std::string>& patterns,
                       int error, std::function<void()> again);
  /// The listing of the directory succeeded.
  void listed(const std::string& directory) { answered(directory); }
  /// An event source could not be opened, with that errno. `again` opens it.
  void source_refused(const std::string& source, int error, std::function<void()> again) {
    retries_.refused(source, error, std::move(again));
  }
  void source_opened(const std::string& source) { retries_.succeeded(source); }

  [[nodiscard]] bool empty() const { return unanswered_.empty(); }
  /// Reports at once.
  void report() { unanswered_.report(); }

 private:
  void answered(const std::string& name);
  void refused(const std::string& name, int error, std::function<void()> again, Unanswered what);

  Callbacks callbacks_;
  /// By name: a key, a directory, or a pattern after a space. Keys and directories never begin with
  /// a space.
  UnansweredList unanswered_;
  RetryOnExhaustion retries_;
};

}  // namespace patchbay::host
