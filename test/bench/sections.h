#pragma once

#include <cstddef>
#include <string>

#include <fmt/core.h>
#include <valgrind/callgrind.h>

#include "bench/counted_heap.h"

namespace patchbay::bench {

/// Whether the result of a section is temporary or permanent. Only a permanent result counts as
/// kept memory.
enum class Result { passes, stays };

/// Runs `work`, which has `count` equal steps, and measures it separately. In callgrind the
/// instructions are in a dump with its name. Otherwise prints a line with tab-separated columns:
/// the name, the number of steps, and their heap use.
template <typename Work>
void section(const std::string& name, size_t count, Result result, const Work& work) {
  if (RUNNING_ON_VALGRIND != 0) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    work();
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    CALLGRIND_STOP_INSTRUMENTATION;
    return;
  }
  count_heap();
  work();
  const HeapUse use = counted_heap();
  fmt::print("{}\t{}\t{}\t{}\t{}\n", name, count, use.allocations, use.bytes,
             result == Result::stays ? std::to_string(use.kept) : "-");
}

}  // namespace patchbay::bench
