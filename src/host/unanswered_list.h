#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/facts.h"
#include "host/silence.h"
#include "loop/event_loop.h"

namespace patchbay::host {

/// All that does not answer now, of things and of patterns. Told when it becomes something else,
/// once for what comes in one turn of the loop. Loop thread.
class UnansweredList {
 public:
  using Tell = std::function<void(const std::vector<Unanswered>& all)>;

  UnansweredList(loop::EventLoop& loop, Tell tell) : loop_(loop), tell_(std::move(tell)) {}
  UnansweredList(const UnansweredList&) = delete;
  UnansweredList& operator=(const UnansweredList&) = delete;

  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// What is known of a pattern that does not answer; null: it does.
  [[nodiscard]] const Unanswered* of_pattern(const std::string& pattern) const;

  /// `what` counts while there is silence; waited_for is set here.
  void note_key(const std::string& key, Silence silence, Unanswered what);
  void note_pattern(const std::string& pattern, Silence silence, Unanswered what);
  /// Now, also if it is what was told.
  void tell();

 private:
  void note(const std::string& name, Silence silence, Unanswered what);

  loop::EventLoop& loop_;
  Tell tell_;
  /// By what it is of, a key or a pattern in front of which is a blank, which no key begins with.
  std::map<std::string, Unanswered> all_;
  loop::Subscription soon_;
};

}  // namespace patchbay::host
