#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "loop/event_loop.h"

/// Finds processes that ended programs left behind. They are recognized by an environment variable,
/// which a process passes on to its descendants.
namespace patchbay::loop {

/// The name of the variable, with "=".
inline constexpr const char* kRunVariable = "PATCHBAY_RUN=";

/// The prefix of the run ids of one loop. It differs between daemons, and between runs of one
/// daemon.
[[nodiscard]] std::string make_run_id_prefix();

/// The children of the first thread. This includes all live children that other processes started,
/// because orphans become children of the first thread. Any thread; does not block.
[[nodiscard]] std::vector<pid_t> inherited_children();

/// The run id of a process. Empty: none, or unknown. May block while the process locks its memory:
/// call it on a work thread.
[[nodiscard]] std::string run_id_of(pid_t pid);

/// Waits until the `ending` processes, which were killed, have ended, and reaps them. Kills and
/// reaps all their leftover processes with that prefix, too. After the timeout it continues on a
/// separate thread. For use when no loop reaps.
void reap_with_orphans(std::vector<pid_t> ending, std::string run_id_prefix, Milliseconds within);

}  // namespace patchbay::loop
