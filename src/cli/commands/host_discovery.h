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

/// Reads a machine file (docs/machine-files.md) into an in-memory file system. An Error names the
/// file and the line. Entries that have no equivalent in that file system are skipped, with a
/// message on standard error. Blocks.
[[nodiscard]] Result<paths::HostRoot> read_recorded_root(const std::string& file);

/// Returns the options for scanning the host, or the machine file of --machine. Returns an Error if
/// that file cannot be read, or if the plan cannot be used with --host-root: see
/// daemon::host_root(). Blocks.
[[nodiscard]] Result<host::HostOptions> host_options(const HostCommandOptions& options,
                                                     const rules::Plan& plan, bool watch);

/// The reason for the end of a scan.
enum class DiscoveryEnd {
  enough,       ///< The caller has all it needs.
  by_signal,    ///< SIGINT or SIGTERM. For a machine file, these signals end the process.
  client_gone,  ///< With `watch`: standard input or output is closed.
};

/// Prints the inventory. Returns false to stop the scan.
using ShowInventory = std::function<bool(const inventory::Inventory& inventory)>;

/// Creates an object that uses the loop. The object is destroyed after the loop has stopped.
using LoopCompanion = std::function<std::shared_ptr<void>(loop::UvLoop& loop)>;

/// Scans the host with a daemon::DeviceWatch and its own event loop. Call it before any other
/// thread starts.
///
/// With `options.watch`, it shows the first result at once. Later changes within 100 ms are shown
/// together. Otherwise it shows one result, after the loop has ended and signals have their default
/// action again. If the first scan takes longer than a second, it prints a message on a terminal.
[[nodiscard]] Result<DiscoveryEnd> run_discovery(const rules::PlanPtr& plan,
                                                 host::HostOptions options,
                                                 const ShowInventory& show,
                                                 const LoopCompanion& with_loop = {});

/// Prints the result of a command from the complete inventory. Returns the exit code.
using AnswerFromInventory =
    std::function<int(const inventory::Inventory& inventory, const paths::HostRoot& root)>;

/// Runs a command that prints one result: reads the configuration, scans the host once, runs each
/// probe once, and calls `answer`. Returns the exit code of `answer`, or that of an error, which is
/// already printed on standard error.
[[nodiscard]] int discover_and_answer(const ConfigOptions& config, const HostCommandOptions& host,
                                      const AnswerFromInventory& answer);

}  // namespace patchbay::cli
