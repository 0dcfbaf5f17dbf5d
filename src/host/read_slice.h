#pragma once

#include <memory>

#include "host/facts/fact_reader.h"
#include "host/host.h"
#include "host/refresher.h"
#include "paths/host_root.h"
#include "paths/nonblocking_stat.h"

namespace patchbay::host {

/// Reads entities one after the other, for one job of the Refresher, and records its progress.
/// After 0.1 s the rest is given back, so that one slow device delays few others. Teaches `stat`
/// the file systems that it did not know, so that later nonblocking checks there work. Blocking,
/// and may hang.
[[nodiscard]] Refresher::ReadOne read_slice(HostQueryPtr query, paths::HostRoot root,
                                            std::shared_ptr<paths::NonblockingStat> stat,
                                            std::shared_ptr<ReadProgress> progress);

}  // namespace patchbay::host
