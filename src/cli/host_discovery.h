#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "host/host.h"
#include "inventory/inventory.h"
#include "loop/event_loop.h"
#include "rules/plan.h"

namespace patchbay::cli {

/// How to look at the host for that plan. An error: --host-root is no directory, or the plan has a
/// rule that looks at devices: those are of /sys and /run/udev, wherever the host's files are.
[[nodiscard]] Result<host::HostOptions> host_options(const HostCommandOptions& options,
                                                     const rules::Plan& plan, bool watch);

/// Why a look at the host ended.
enum class DiscoveryEnd {
  enough,       ///< Whoever asked has seen enough.
  by_signal,    ///< SIGINT or SIGTERM.
  reader_gone,  ///< Nobody reads standard output any more.
};

/// Shows what is known of the host. False: that was enough.
using ShowInventory = std::function<bool(const inventory::Inventory& inventory)>;

/// Makes what lives as long as the loop runs.
using LoopCompanion = std::function<std::shared_ptr<void>(loop::UvLoop& loop)>;

/// Looks at the host as daemon::DeviceWatch does, in a loop of its own. A first look is shown at
/// once, and so is a change; further ones within a tenth of a second are shown together. Says on a
/// terminal that it is at work when the first look takes longer than a second. Call it before any
/// other thread starts.
[[nodiscard]] Result<DiscoveryEnd> run_discovery(const rules::PlanPtr& plan,
                                                 host::HostOptions options,
                                                 const ShowInventory& show,
                                                 const LoopCompanion& with_loop = {});

/// Answers with all that is known of the host.
using AnswerFromInventory =
    std::function<int(const inventory::Inventory& inventory, const host::HostRoot& root)>;

/// For commands that answer one question: reads the configuration, looks at the host once, runs
/// each probe once, and answers. Returns the exit code of the answer; where there is none, one that
/// says why: that has been told on standard error.
[[nodiscard]] int discover_and_answer(const ConfigOptions& config, const HostCommandOptions& host,
                                      const AnswerFromInventory& answer);

}  // namespace patchbay::cli
