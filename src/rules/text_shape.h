#pragma once

#include <bitset>
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

}  // namespace patchbay::rules
