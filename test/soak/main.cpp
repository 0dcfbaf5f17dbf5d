#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "soak/soak.h"

namespace {

/// Parses the arguments SEED FAULTS MINUTES MEBIBYTES, which scripts/soak passes.
patchbay::soak::Options options_of(char** argv) {
  const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
  return {.seed = static_cast<uint32_t>(number(1)),
          .faults = number(2),
          .minutes = std::chrono::minutes(number(3)),
          .mebibytes = number(4)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: soak SEED FAULTS MINUTES MEBIBYTES; see scripts/soak\n";
    return 2;
  }
  ::setenv("PATCHBAY_DRA_CHECK_SECONDS", "1", 1);
  try {
    return patchbay::soak::Soak(options_of(argv)).run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "soak: " << error.what() << '\n';
    return 1;
  }
}
