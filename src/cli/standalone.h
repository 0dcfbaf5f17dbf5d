#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "loop/event_loop.h"
#include "rules/plan.h"

namespace patchbay::cli {

/// `run --standalone`: a kubelet stand-in in a fresh directory of its own, which prints each list
/// as it changes, and obeys lines on standard input (see line_command.h), which can be edited on a
/// terminal: one after the other, from
/// when each resource of the plan has been listed, so that they can come from a file. The directory
/// is removed at the end. Loop thread.
class Standalone {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Standalone>> start(loop::UvLoop& loop,
                                                                 rules::PlanPtr plan);
  virtual ~Standalone() = default;

  /// The device-plugins directory to serve in.
  [[nodiscard]] virtual const std::string& directory() const = 0;
};

}  // namespace patchbay::cli
