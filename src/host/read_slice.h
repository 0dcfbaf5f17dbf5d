#pragma once

#include <memory>

#include "host/fact_reader.h"
#include "host/host.h"
#include "host/host_root.h"
#include "host/nonblocking_stat.h"
#include "host/refresher.h"

namespace patchbay::host {

/// Reads one thing after the other, for one job of the Refresher, and notes what it reads. What is
/// left when that has lasted 0.1 s is given back, so that one slow device delays few others. From
/// what could not be told by `stat` it learns, so that the next one can. Blocking, and may hang.
[[nodiscard]] Refresher::ReadOne read_slice(HostQueryPtr query, HostRoot root,
                                            std::shared_ptr<NonblockingStat> stat,
                                            std::shared_ptr<ReadProgress> progress);

}  // namespace patchbay::host
