#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/facts.h"
#include "host/fact_reader.h"
#include "host/responsiveness.h"
#include "host/retry_on_exhaustion.h"
#include "host/unanswered_list.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// What is not known of the host: things, patterns and listings that do not answer, or that there
/// is no room to read. Tells all of it when it becomes something else, and has what was refused
/// read again. Loop thread.
class MissingAnswers {
 public:
  struct Callbacks {
    /// In a later turn of the loop than that in which something became another.
    UnansweredList::Report report;
    /// The patterns that find the thing with that key.
    std::function<std::vector<std::string>(const std::string& key)> patterns_of;
    /// Reads the thing with that key, which was refused.
    std::function<void(const std::string& key)> read_again;
    /// Calls the task when all has been told that is to be read now.
    std::function<void(loop::Task task)> when_caught_up;
  };

  MissingAnswers(loop::EventLoop& loop, Callbacks callbacks);

  /// Whether the reading of a thing has ended; `now` is what it reads, if not.
  void entity_read(const std::string& key, Responsiveness responsiveness,
                   const ReadProgress::State& now);
  /// A thing could not be read for want of room, with that errno: it is what it was, as far as is
  /// known.
  void entity_refused(const std::string& key, int error);
  /// See Hints::pattern_responsiveness().
  void pattern(const std::string& pattern, const std::string& directory,
               Responsiveness responsiveness);
  /// What patterns find in the directory could not be listed; without patterns, what the kernel has
  /// there. `again` lists that anew.
  void listing_refused(const std::string& directory, const std::vector<std::string>& patterns,
                       int error, std::function<void()> again);
  /// What the kernel has in the directory, or patterns of it find there, was listed.
  void listed(const std::string& directory) { answered(directory); }
  /// What tells of events could not be opened, with that errno; `again` opens it.
  void source_refused(const std::string& source, int error, std::function<void()> again) {
    retries_.refused(source, error, std::move(again));
  }
  void source_opened(const std::string& source) { retries_.succeeded(source); }

  [[nodiscard]] bool empty() const { return unanswered_.empty(); }
  /// Tells at once.
  void report() { unanswered_.report(); }

 private:
  void answered(const std::string& name);
  void refused(const std::string& name, int error, std::function<void()> again, Unanswered what);

  Callbacks callbacks_;
  /// By what it is of: a key, a directory, or a pattern in front of which is a blank, with which
  /// neither of them begins.
  UnansweredList unanswered_;
  RetryOnExhaustion retries_;
};

}  // namespace patchbay::host
