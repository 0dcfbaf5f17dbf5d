#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/facts.h"
#include "host/responsiveness.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// All that does not answer, or cannot be read, by names that its owner gives. Loop thread.
class UnansweredList {
 public:
  using Report = std::function<void(const std::vector<Unanswered>&)>;

  /// `tell` hears all of it in a later turn of the loop than that in which some becomes another.
  UnansweredList(loop::EventLoop& loop, Report report) : loop_(loop), report_(std::move(report)) {}

  /// How it is now with what has that name; `what` says what that is, unless it answers.
  void note(const std::string& name, Responsiveness responsiveness, Unanswered what);
  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// None: it answers.
  [[nodiscard]] std::optional<Unanswered> find(const std::string& name) const;
  /// At once.
  void report();

 private:
  loop::EventLoop& loop_;
  Report report_;
  std::map<std::string, Unanswered> all_;  ///< By name.
  loop::Subscription soon_;
};

}  // namespace patchbay::host
