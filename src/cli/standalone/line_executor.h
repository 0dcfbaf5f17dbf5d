#pragma once

#include <deque>
#include <functional>
#include <string>

#include "cli/standalone/kubelet_calls.h"
#include "cli/standalone/line_command.h"
#include "cli/standalone/list_printer.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::cli {

/// Executes line commands of a person on the kubelet stand-in, one after the other. A slow call
/// delays the next line, so that answers are in the order of the lines. Responses of plugins go to
/// standard output, everything else to standard error. Loop thread.
class LineExecutor {
 public:
  /// `lists` must outlive it. `quit` is called for the command `quit`.
  LineExecutor(rules::PlanPtr plan, const ListPrinter& lists, KubeletCalls calls,
               std::function<void()> quit);
  LineExecutor(const LineExecutor&) = delete;
  LineExecutor& operator=(const LineExecutor&) = delete;
  ~LineExecutor() = default;

  void add(const std::string& line);
  /// Starts executing lines. Can be called again.
  void begin();

 private:
  void execute_next();
  void execute(const LineCommand& command);
  void call(const LineCommand& command, const std::string& resource);
  void prefer(const LineCommand& command, const std::string& resource);
  void start(const LineCommand& command, const std::string& resource);
  /// Makes a callback that prints an answer, or its error, and continues with the next line.
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
