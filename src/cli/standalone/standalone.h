#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/standalone/line_executor.h"
#include "cli/standalone/line_input.h"
#include "cli/standalone/list_printer.h"
#include "loop/event_loop.h"
#include "loop/weak_self.h"
#include "rules/plan/plan_fwd.h"
#include "standin/kubelet.h"

namespace patchbay::cli {

struct RemoveDirectory {
  void operator()(const std::string* path) const;
};
/// A new temporary directory for sockets that only this user can access. It is removed, with its
/// content, with this object.
using FreshDirectory = std::unique_ptr<const std::string, RemoveDirectory>;

/// `run --standalone`: a kubelet stand-in in a temporary directory. It prints each device list as
/// it changes and executes lines from standard input (see line_command.h). Lines run one after the
/// other, once each resource of the plan is listed, so they can come from a file. Loop thread.
class Standalone {
 public:
  /// `hint` is printed first if standard input is a terminal: how to show this daemon's status.
  [[nodiscard]] static Result<std::unique_ptr<Standalone>> start(loop::UvLoop& loop,
                                                                 rules::PlanPtr plan,
                                                                 std::string hint);

  /// The device-plugins directory.
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

  loop::UvLoop& loop_;
  rules::PlanPtr plan_;
  FreshDirectory directory_;
  std::string hint_;
  std::set<std::string> listed_;  ///< Resources that were listed at least once.
  ListPrinter lists_;
  loop::WeakSelf<Standalone> weak_self_{this};
  std::optional<LineExecutor> executor_;  ///< Owns the kubelet.
  std::optional<LineInput> input_;
};

}  // namespace patchbay::cli
