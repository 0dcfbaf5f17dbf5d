#pragma once

#include <deque>
#include <functional>
#include <string>

#include "cli/kubelet_calls.h"
#include "cli/line_command.h"
#include "cli/list_printer.h"
#include "rules/plan.h"

namespace patchbay::cli {

/// Obeys what a person asks of the kubelet stand-in, one line after the other: a call that takes
/// its time keeps the next line waiting, so that answers come in the order of the questions, also
/// where a file asks. What plugins answer goes to standard output, all else that is to be said to
/// standard error. Loop thread.
class LineExecutor {
 public:
  /// `lists` outlives it. `quit` is called where a line asks for that.
  LineExecutor(rules::PlanPtr plan, const ListPrinter& lists, KubeletCalls calls,
               std::function<void()> quit);
  LineExecutor(const LineExecutor&) = delete;
  LineExecutor& operator=(const LineExecutor&) = delete;
  ~LineExecutor() = default;

  void add(const std::string& line);
  /// From now on lines are obeyed. May be called again.
  void begin();

 private:
  void execute_next();
  void execute(const LineCommand& command);
  void call(const LineCommand& command, const std::string& resource);
  void prefer(const LineCommand& command, const std::string& resource);
  void start(const LineCommand& command, const std::string& resource);
  /// For an answer that is waited for: prints it, or why there is none, and goes on.
  template <typename T, typename Print>
  KubeletCalls::Done<T> then(const Print& print_answer);

  rules::PlanPtr plan_;
  const ListPrinter& lists_;
  KubeletCalls calls_;
  std::function<void()> quit_;
  std::deque<std::string> lines_;
  bool begun_ = false;
  bool waiting_ = false;  ///< For an answer.
};

}  // namespace patchbay::cli
