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
[[nodiscard]] config::Position inside(const config::Located<std::string>& scalar, size_t offset);

/// "lab.yaml:12", for messages that name another place.
[[nodiscard]] std::string place(const config::Position& at);

}  // namespace patchbay::rules
