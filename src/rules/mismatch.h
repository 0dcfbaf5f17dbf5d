#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// A condition of the configuration that does not hold for a thing, or for the node, and why.
/// Printable: what comes from the host has been made so.
struct Mismatch {
  config::Position at;    ///< Where the condition stands.
  std::string condition;  ///< As written, on one line: `name: "ttyUSB*"`.
  std::string actual;     ///< What there is instead: `name is "ttyS0"`.
  /// Of `any` and `ancestor`: what does not hold in each of the blocks that were tried.
  std::vector<Mismatch> nested{};
};

/// `name is "ttyS0"`, `name is absent`, `tag is one of "a", "b"`, of what a condition looked at.
[[nodiscard]] std::string actual_values(std::string_view what,
                                        std::span<const std::string_view> values);

/// A block of `any` that does not hold, as one.
[[nodiscard]] Mismatch combine(const config::Position& at, std::string block,
                               std::vector<Mismatch> failed);

/// What there is instead, all of it on one line: `node is "a1", /dev/kvm finds nothing`.
[[nodiscard]] std::string summary(std::span<const Mismatch> mismatches);

}  // namespace patchbay::rules
