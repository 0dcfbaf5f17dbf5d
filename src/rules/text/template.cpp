#include "rules/text/template.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace patchbay::rules {

namespace {

std::string why_absent(const VariableRef& ref, const RenderScope& scope) {
  if (ref.variable == Variable::node) return "is not known";
  if (has_several(ref, scope)) return "has several values";
  const auto member = std::ranges::find(scope.members, ref.member, &MemberScope::name);
  if (ref.member.empty()) return "the device does not have";
  return member == scope.members.end() || member->device.facts == nullptr
             ? "the unit does not have"
             : "that member does not have";
}

using Bytes = std::bitset<256>;

/// One step of a text that is only partly known: the bytes that are possible there.
struct ShapeStep {
  Bytes bytes;
  bool repeated = false;  ///< Any number of them, also none.
};

/// All texts that a template can give. It can include more texts than are possible, never fewer.
using TextShape = std::vector<ShapeStep>;

Bytes one_of(std::string_view bytes) {
  Bytes out;
  for (const char c : bytes) out.set(static_cast<unsigned char>(c));
  return out;
}

/// Whether both include one text: walks the pairs of steps that can be reached together.
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

/// The bytes that a variable's value can contain in such a text.
Bytes bytes_of(const VariableRef& ref, TextUse use) {
  switch (ref.variable) {
    case Variable::unit:
    case Variable::slot:
    case Variable::share:
    case Variable::shares:
      return one_of("0123456789");
    default:
      return use == TextUse::path && !info(ref).whole_path ? ~one_of("/") : Bytes().set();
  }
}

}  // namespace

TemplateRules TemplateRules::at(RenderStage then, std::string_view why) const {
  TemplateRules rules = *this;
  rules.stage = then;
  rules.reason = why;
  return rules;
}

TemplateRules TemplateRules::in_container() const {
  TemplateRules rules = *this;
  rules.of_pod = dra;
  return rules;
}

void Template::add_uses(const std::vector<Piece>& pieces, bool required,
                        std::vector<VariableUse>& uses) {
  for (const Piece& piece : pieces) {
    if (piece.variable) uses.push_back({&*piece.variable, required && !piece.has_fallback});
    add_uses(piece.fallback, false, uses);
  }
}

std::vector<Template::VariableUse> Template::uses() const {
  std::vector<VariableUse> uses;
  add_uses(pieces_, true, uses);
  return uses;
}

Result<void> Template::append(const std::vector<Piece>& pieces, const RenderScope& scope,
                              Fallbacks fallbacks, std::string& out) const {
  for (const Piece& piece : pieces) {
    if (!piece.variable) {
      out += piece.literal;
      continue;
    }
    auto value = value_of(*piece.variable, scope);
    if (piece.has_fallback && fallbacks == Fallbacks::always) value.reset();
    if (value) {
      auto safe = safe_value(*piece.variable, std::move(*value), use_, out.empty());
      const bool absent = !safe && piece.has_fallback && is_of_condition(use_);
      if (!safe && !absent) return std::unexpected(std::move(safe).error());
      if (safe) out += *safe;
      if (absent) value.reset();
    }
    if (value) continue;
    if (piece.has_fallback) {
      if (auto appended = append(piece.fallback, scope, fallbacks, out); !appended) {
        return appended;
      }
    } else {
      return fail(fmt::format("needs {}, which {}", piece.variable->to_text(),
                              why_absent(*piece.variable, scope)));
    }
  }
  return {};
}

Result<std::string> Template::render(const RenderScope& scope, Fallbacks fallbacks) const {
  std::string out;
  const Result<void> appended = append(pieces_, scope, fallbacks, out);
  auto text = appended ? finish_text(std::move(out), use_)
                       : Result<std::string>(std::unexpected(appended.error()));
  if (!text) return fail(fmt::format("'{}' {}", text_, text.error().message));
  return text;
}

std::string Template::with(std::string_view value) const {
  std::string out;
  for (const Piece& piece : pieces_) out += piece.variable ? value : piece.literal;
  return out;
}

std::vector<std::string> Template::before_variables(std::string_view value) const {
  std::vector<std::string> out;
  std::string before;
  for (const Piece& piece : pieces_) {
    if (piece.variable) out.push_back(before);
    before += piece.variable ? value : piece.literal;
  }
  return out;
}

const VariableRef* Template::sole_variable() const {
  const bool alone = pieces_.size() == 1 && pieces_.front().variable &&
                     pieces_.front().variable->above.empty() && !pieces_.front().has_fallback;
  return alone ? &*pieces_.front().variable : nullptr;
}

void Template::want(WantedFacts& wanted_of_device, std::string_view member) const {
  for (const VariableUse& use : uses()) {
    const VariableRef& ref = *use.variable;
    if (ref.member != member) continue;
    WantedFacts& wanted = ref.above.empty() ? wanted_of_device : wanted_of_device.for_ancestors();
    if (ref.variable == Variable::fact) {
      wanted.add(ref.fact, ref.is(Fact::link) ? std::string_view{} : ref.argument);
    }
  }
}

std::string_view Template::begin() const {
  return pieces_.empty() || pieces_.front().variable ? std::string_view{} : pieces_.front().literal;
}

std::string_view Template::end() const {
  return pieces_.empty() || pieces_.back().variable ? std::string_view{} : pieces_.back().literal;
}

bool Template::may_equal(const Template& other) const {
  // Cheap check first: most texts differ there, and every pair of resources is compared.
  if (!begin().starts_with(other.begin()) && !other.begin().starts_with(begin())) return false;
  if (!end().ends_with(other.end()) && !other.end().ends_with(end())) return false;
  const auto shape_of = [](const Template& text) {
    TextShape shape;
    for (const Piece& piece : text.pieces_) {
      for (const char c : piece.literal) shape.push_back({one_of({&c, 1}), false});
      if (!piece.variable) continue;
      // A fallback can be any text, also an empty one.
      const auto bytes = piece.has_fallback ? Bytes().set() : bytes_of(*piece.variable, text.use_);
      if (!piece.has_fallback) shape.push_back({bytes, false});
      shape.push_back({bytes, true});
    }
    return shape;
  };
  return overlap(shape_of(*this), shape_of(other));
}

}  // namespace patchbay::rules
