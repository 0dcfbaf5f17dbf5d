#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/line_editor.h"
#include "cli/line_executor.h"
#include "cli/line_input.h"
#include "cli/list_printer.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "rules/plan.h"
#include "standin/kubelet.h"

namespace patchbay::cli {

struct RemoveDirectory {
  void operator()(const std::string* path) const;
};
/// A new directory for sockets, below that of temporary files, which only we can look into. It goes
/// with this object, and all that is in it.
using FreshDirectory = std::unique_ptr<const std::string, RemoveDirectory>;

/// `run --standalone`: a kubelet stand-in in a fresh directory of its own, which prints each list
/// as it changes, and obeys lines on standard input (see line_command.h), which can be edited on a
/// terminal: one after the other, from when each resource of the plan has been listed, so that they
/// can come from a file. The directory is removed at the end. Loop thread.
class Standalone {
 public:
  /// `hint` is printed above the prompt, at a terminal: where this daemon's status is.
  [[nodiscard]] static Result<std::unique_ptr<Standalone>> start(loop::UvLoop& loop,
                                                                 rules::PlanPtr plan,
                                                                 std::string hint);

  /// The device-plugins directory to serve in.
  [[nodiscard]] const std::string& directory() const { return *directory_; }

 private:
  using Devices = std::vector<standin::ListedDevice>;

  Standalone(loop::UvLoop& loop, rules::PlanPtr plan, FreshDirectory directory, std::string hint)
      : loop_(loop),
        plan_(std::move(plan)),
        directory_(std::move(directory)),
        hint_(std::move(hint)) {}

  Result<void> begin();
  template <typename Act>
  auto on_loop(Act act);
  standin::KubeletEvents events();
  void start_input();
  void listed(const std::string& resource, const Devices& devices);
  void update_completion();

  loop::UvLoop& loop_;
  rules::PlanPtr plan_;
  FreshDirectory directory_;
  std::string hint_;
  std::set<std::string> listed_;  ///< Those that have been, once.
  ListPrinter lists_;
  loop::WeakSelf<Standalone> weak_self_{this};
  std::optional<LineExecutor> executor_;  ///< Holds the kubelet.
  std::optional<LineInput> input_;
  std::optional<LineEditor> editor_;  ///< Or this, on a terminal.
};

}  // namespace patchbay::cli
