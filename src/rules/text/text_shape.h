#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

namespace patchbay::rules {

/// One step of a text that is only partly known: the bytes that are possible there.
struct ShapeStep {
  std::bitset<256> bytes;
  bool repeated = false;  ///< Any number of them, also none.
};

/// All texts that a template or pattern can give, as a sequence of steps. It can include more texts
/// than are possible, never fewer.
using TextShape = std::vector<ShapeStep>;

[[nodiscard]] std::bitset<256> any_byte();
[[nodiscard]] std::bitset<256> one_of(std::string_view bytes);

/// Adds a known text.
void add_literal(TextShape& shape, std::string_view text);

/// Whether both include one text.
[[nodiscard]] bool overlap(const TextShape& a, const TextShape& b);

/// The texts that a pattern matches, or more.
struct PatternShape {
  TextShape shape;
  bool literal = true;  ///< No wildcards, except for the `.` of a regular expression.
};

/// The texts that a glob matches. Null for an invalid glob.
[[nodiscard]] std::optional<PatternShape> shape_of_glob(std::string_view glob);

/// The texts that a regular expression matches. Null if it has groups, alternatives or other syntax
/// beyond characters, classes and repetition.
[[nodiscard]] std::optional<PatternShape> shape_of_regex(std::string_view regex);

}  // namespace patchbay::rules
