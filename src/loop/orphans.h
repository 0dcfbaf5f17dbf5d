#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "loop/event_loop.h"

/// What programs leave behind, and how it is known: by a variable in the environment, which a
/// process hands on to all that it starts.
namespace patchbay::loop {

/// The variable, with its "=".
inline constexpr const char* kRunVariable = "PATCHBAY_RUN=";

/// What the values of one loop's programs begin with: told from those of other daemons, and of
/// other lives of this one.
[[nodiscard]] std::string make_run_id_prefix();

/// The children of the first thread: of those that other processes started, all that live, since
/// orphans come to the first thread. Any thread; waits for nothing.
[[nodiscard]] std::vector<pid_t> inherited_children();

/// Which run a process belongs to; empty: to none, or that is not to be known. Waits for the
/// process where that holds its memory: a work thread.
[[nodiscard]] std::string run_id_of(pid_t pid);

/// Waits for the ends of children, which were killed, and of all with that mark that they leave to
/// this process, which are killed, too; reaps them. No longer than that: then it goes on in a
/// thread of its own. When no loop reaps.
void reap_with_orphans(std::vector<pid_t> ending, std::string run_id_prefix, Milliseconds within);

}  // namespace patchbay::loop
