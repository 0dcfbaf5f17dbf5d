#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loop/event_loop.h"
#include "model/facts.h"
#include "paths/responsiveness.h"

namespace patchbay::host {

/// The list of everything unresponsive or unreadable, by names that its owner gives. Loop thread.
class UnansweredList {
 public:
  using Report = std::function<void(const std::vector<Unanswered>&)>;

  /// `report` gets the whole list in a later loop iteration than the change.
  UnansweredList(loop::EventLoop& loop, Report report) : loop_(loop), report_(std::move(report)) {}

  /// Sets the state of a name. `what` describes it, unless `responsiveness` is ok.
  void note(const std::string& name, paths::Responsiveness responsiveness, Unanswered what);
  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// Null: it answers.
  [[nodiscard]] std::optional<Unanswered> find(const std::string& name) const;
  /// Reports at once.
  void report();

 private:
  loop::EventLoop& loop_;
  Report report_;
  std::map<std::string, Unanswered> all_;  ///< By name.
  loop::Subscription soon_;
};

}  // namespace patchbay::host
