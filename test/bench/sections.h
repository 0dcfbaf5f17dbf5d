#pragma once

#include <cstddef>
#include <string>

#include <fmt/core.h>
#include <valgrind/callgrind.h>

#include "bench/counted_heap.h"

namespace patchbay::bench {

/// Whether what a section makes is there for long, so that it matters how large it is.
enum class Result { passes, stays };

/// Does `work`, of `count` equal pieces, counted apart from all else. In callgrind the instructions
/// are in a dump with its name. Without, a line is printed, in columns that tabs divide: the name,
/// how many pieces, and what of the heap they took.
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
