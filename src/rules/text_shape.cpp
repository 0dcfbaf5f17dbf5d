#include "rules/text_shape.h"

#include <cstddef>
#include <set>
#include <utility>

namespace patchbay::rules {

std::bitset<256> any_byte() { return std::bitset<256>().set(); }

std::bitset<256> one_of(std::string_view bytes) {
  std::bitset<256> out;
  for (const char c : bytes) out.set(static_cast<unsigned char>(c));
  return out;
}

void add_literal(TextShape& shape, std::string_view text) {
  for (const char c : text) shape.push_back({one_of({&c, 1}), false});
}

/// Walks the pairs of places that can be reached together.
bool overlap(const TextShape& a, const TextShape& b) {
  std::set<std::pair<size_t, size_t>> seen;
  std::vector<std::pair<size_t, size_t>> open{{0, 0}};
  const auto reach = [&](size_t i, size_t j) {
    if (seen.emplace(i, j).second) open.emplace_back(i, j);
  };
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    if (i == a.size() && j == b.size()) return true;
    if (i < a.size() && a[i].repeated) reach(i + 1, j);
    if (j < b.size() && b[j].repeated) reach(i, j + 1);
    if (i == a.size() || j == b.size() || (a[i].bytes & b[j].bytes).none()) continue;
    reach(a[i].repeated ? i : i + 1, b[j].repeated ? j : j + 1);
  }
  return false;
}

}  // namespace patchbay::rules
