#pragma once

#include <string>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// A position in a configuration file. Comparisons of compiled values ignore it.
struct WrittenAt {
  config::Position position;
  friend bool operator==(const WrittenAt& /*a*/, const WrittenAt& /*b*/) { return true; }
};

/// Returns the position `offset` bytes into a YAML scalar. Returns the position of the scalar if
/// its text in the file differs from its value (escapes, folded lines).
[[nodiscard]] config::Position position_in(const config::Located<std::string>& scalar,
                                           size_t offset);

/// Returns a text such as "lab.yaml:12", for messages that refer to another position.
[[nodiscard]] std::string location_text(const config::Position& at);

}  // namespace patchbay::rules
