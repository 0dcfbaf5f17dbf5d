#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace patchbay::fake {

/// The peak resident memory of the process, in bytes.
[[nodiscard]] inline size_t peak_memory_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  size_t kib = 0;
  while (file >> word) {
    if (word == "VmHWM:") file >> kib;
  }
  return kib * 1024;
}

}  // namespace patchbay::fake
