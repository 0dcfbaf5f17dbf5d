#pragma once

#include <string>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// A position in a configuration file that is ignored in comparisons.
struct WrittenAt {
  config::Position position;
  friend bool operator==(const WrittenAt& /*a*/, const WrittenAt& /*b*/) { return true; }
};

/// The position `offset` bytes into a scalar. If the scalar is written differently on its line
/// (escapes, folded lines), the position of the scalar.
[[nodiscard]] config::Position position_in(const config::Located<std::string>& scalar,
                                           size_t offset);

/// "lab.yaml:12", for messages that name another position.
[[nodiscard]] std::string location_text(const config::Position& at);

}  // namespace patchbay::rules
