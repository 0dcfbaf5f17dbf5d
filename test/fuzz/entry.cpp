#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/targets.h"

/// The function that libFuzzer calls. PATCHBAY_FUZZ_TARGET is a function of targets.h.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The pointer of an empty input may be null.
  patchbay::fuzz::PATCHBAY_FUZZ_TARGET(
      size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
