#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"

namespace patchbay::machine {

/// Longest text of a machine.
inline constexpr size_t kMostTextBytes = size_t{16} << 20U;

/// Their files would need too much memory.
inline constexpr size_t kMostDevices = 50'000;
inline constexpr size_t kMostLines = 500'000;

/// Reads the text of a machine, or the output of `udevadm info --export-db`. An Error begins with
/// `name` and the line. Any thread.
[[nodiscard]] Result<Machine> read_machine(const std::string& name, std::string_view text);

}  // namespace patchbay::machine
