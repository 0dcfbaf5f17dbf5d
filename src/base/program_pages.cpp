#include "base/program_pages.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace patchbay {
namespace {

/// The first object that the loader reports is the program.
int give_back(dl_phdr_info* program, size_t /*size*/, void* /*unused*/) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (size_t i = 0; i < program->dlpi_phnum; ++i) {
    const auto& range = program->dlpi_phdr[i];
    const bool is_code = (range.p_flags & PF_X) != 0 && (range.p_flags & PF_W) == 0;
    if (range.p_type != PT_LOAD || !is_code) continue;
    const uintptr_t begin = (program->dlpi_addr + range.p_vaddr) & ~(page - 1);
    const uintptr_t end = program->dlpi_addr + range.p_vaddr + range.p_memsz;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader reports addresses as integers.
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 1;
}

}  // namespace

void give_back_program_pages() { ::dl_iterate_phdr(give_back, nullptr); }

}  // namespace patchbay
