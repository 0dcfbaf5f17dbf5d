#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"

namespace patchbay::rules {

/// A condition of the configuration that a device or the node does not meet, and why. Texts from
/// the host are escaped, so that they can be printed.
struct Mismatch {
  config::Position at;    ///< Position of the condition.
  std::string condition;  ///< Condition as written, on one line: `name: "ttyUSB*"`.
  std::string actual;     ///< Actual state: `name is "ttyS0"`.
  /// For `any` and `ancestor`: the mismatches of each block that was evaluated.
  std::vector<Mismatch> nested{};
};

/// Returns a text with the actual values of a compared fact: `name is "ttyS0"`, `name is absent`,
/// `tag is one of "a", "b"`.
[[nodiscard]] std::string actual_values(std::string_view what,
                                        std::span<const std::string_view> values);

/// Combines the mismatches of a block of `any` into one. Returns a single mismatch unchanged.
[[nodiscard]] Mismatch combine(const config::Position& at, std::string block,
                               std::vector<Mismatch> failed);

/// Returns the actual states of all mismatches on one line: `node is "a1", /dev/kvm finds nothing`.
[[nodiscard]] std::string summary(std::span<const Mismatch> mismatches);

}  // namespace patchbay::rules
