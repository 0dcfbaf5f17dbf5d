#include <set>
#include <utility>
#include <vector>

#include "rules/template.h"

namespace patchbay::rules {
namespace {

/// One step of all the texts that a template can render: a character, or any of a kind.
struct Step {
  enum class Kind { literal, digit, part, any };
  Kind kind = Kind::any;
  char literal = 0;
  bool repeated = false;  ///< Any number of them.

  [[nodiscard]] bool takes(char c) const {
    switch (kind) {
      case Kind::literal:
        return c == literal;
      case Kind::digit:
        return c >= '0' && c <= '9';
      case Kind::part:
        return c != '/';
      case Kind::any:
        return true;
    }
    return false;
  }
};

/// Whether one character could stand for both.
bool meet(const Step& a, const Step& b) {
  if (a.kind == Step::Kind::literal) return b.takes(a.literal);
  if (b.kind == Step::Kind::literal) return a.takes(b.literal);
  return true;
}

Step::Kind kind_of(const VariableRef& ref, TextUse use) {
  switch (ref.variable) {
    case Variable::unit:
    case Variable::slot:
    case Variable::replica:
    case Variable::taken:
      return Step::Kind::digit;
    default:
      return use == TextUse::path && !info(ref.variable).whole_path ? Step::Kind::part
                                                                    : Step::Kind::any;
  }
}

/// Whether a text follows both ways: walks the pairs of steps that can be reached together.
bool overlap(const std::vector<Step>& a, const std::vector<Step>& b) {
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
    if (i == a.size() || j == b.size() || !meet(a[i], b[j])) continue;
    reach(a[i].repeated ? i : i + 1, b[j].repeated ? j : j + 1);
  }
  return false;
}

}  // namespace

bool Template::may_equal(const Template& other) const {
  const auto steps_of = [](const Template& text) {
    std::vector<Step> steps;
    for (const Piece& piece : text.pieces_) {
      for (const char c : piece.literal) steps.push_back({Step::Kind::literal, c, false});
      if (!piece.variable) continue;
      // A fallback may be anything, also nothing.
      const auto kind = piece.has_fallback ? Step::Kind::any : kind_of(*piece.variable, text.use_);
      if (!piece.has_fallback) steps.push_back({kind, 0, false});
      steps.push_back({kind, 0, true});
    }
    return steps;
  };
  return overlap(steps_of(*this), steps_of(other));
}

}  // namespace patchbay::rules
