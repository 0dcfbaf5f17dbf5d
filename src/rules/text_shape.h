#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

namespace patchbay::rules {

/// One place of a text of which not all is known: the bytes that can stand there.
struct ShapeStep {
  std::bitset<256> bytes;
  bool repeated = false;  ///< Any number of them, also none.
};

/// All the texts that something can be, in order of their places. It may stand for more texts than
/// there are, never for fewer.
using TextShape = std::vector<ShapeStep>;

[[nodiscard]] std::bitset<256> any_byte();
[[nodiscard]] std::bitset<256> one_of(std::string_view bytes);

/// Adds a text that is known.
void add_literal(TextShape& shape, std::string_view text);

/// Whether one text can be both.
[[nodiscard]] bool overlap(const TextShape& a, const TextShape& b);

/// What a pattern matches, or more.
struct PatternShape {
  TextShape shape;
  bool literal = true;  ///< It has no wildcards, but for the `.` of a regular expression.
};

/// The texts that a glob matches; null if it is none.
[[nodiscard]] std::optional<PatternShape> shape_of_glob(std::string_view glob);

/// The same of a regular expression; null if it has groups, alternatives or anything else beyond
/// characters, classes and repetition.
[[nodiscard]] std::optional<PatternShape> shape_of_regex(std::string_view regex);

}  // namespace patchbay::rules
