#pragma once

#include <string>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// Where something was written, which does not count when two things are compared.
struct WrittenAt {
  config::Position position;
  friend bool operator==(const WrittenAt& /*a*/, const WrittenAt& /*b*/) { return true; }
};

/// The place `offset` bytes into a scalar. Where the scalar does not stand on its line as it reads
/// (escapes, folded lines), the scalar's own place.
[[nodiscard]] config::Position position_in(const config::Located<std::string>& scalar,
                                           size_t offset);

/// "lab.yaml:12", for messages that name another place.
[[nodiscard]] std::string location_text(const config::Position& at);

}  // namespace patchbay::rules
