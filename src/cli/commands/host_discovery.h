#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/options/options.h"
#include "host/host.h"
#include "inventory/inventory.h"
#include "loop/event_loop.h"
#include "rules/plan/plan_fwd.h"

namespace patchbay::cli {

/// Reads a machine file into an in-memory file system. An Error names the file and the line.
/// Entries that cannot be represented are skipped, with a message on standard error. Blocking.
[[nodiscard]] Result<paths::HostRoot> read_recorded_root(const std::string& file);

/// The options for scanning the host for that plan, or a recorded machine. Returns an Error if
/// --machine cannot be read, or --host-root is not a directory. The same if --host-root is given
/// and the plan has udev or sysfs rules: they read /sys and /run/udev.
[[nodiscard]] Result<host::HostOptions> host_options(const HostCommandOptions& options,
                                                     const rules::Plan& plan, bool watch);

/// The reason for the end of a scan.
enum class DiscoveryEnd {
  enough,       ///< The caller has all it needs.
  by_signal,    ///< SIGINT or SIGTERM. A recorded machine keeps their default action.
  client_gone,  ///< With `watch`: standard input or output is closed.
};

/// Prints the state of the host. Returns false to stop.
using ShowInventory = std::function<bool(const inventory::Inventory& inventory)>;

/// Creates an object that lives as long as the loop runs.
using LoopCompanion = std::function<std::shared_ptr<void>(loop::UvLoop& loop)>;

/// Scans the host as daemon::DeviceWatch does, in its own loop. The first result is shown at once.
/// Later changes within 100 ms are shown together, if `options.watch`; otherwise `show` is called
/// once, after the loop, when signals have their default action again. If the first scan takes
/// longer than a second, a terminal shows a message. Call it before any other thread starts.
[[nodiscard]] Result<DiscoveryEnd> run_discovery(const rules::PlanPtr& plan,
                                                 host::HostOptions options,
                                                 const ShowInventory& show,
                                                 const LoopCompanion& with_loop = {});

/// Answers from the complete state of the host.
using AnswerFromInventory =
    std::function<int(const inventory::Inventory& inventory, const paths::HostRoot& root)>;

/// For commands with one answer: reads the configuration, scans the host once, runs each probe
/// once, and answers. Returns the exit code of the answer, or of an error, which is already printed
/// on standard error.
[[nodiscard]] int discover_and_answer(const ConfigOptions& config, const HostCommandOptions& host,
                                      const AnswerFromInventory& answer);

}  // namespace patchbay::cli
