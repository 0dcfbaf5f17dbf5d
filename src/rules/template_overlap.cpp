#include "rules/template.h"
#include "rules/text_shape.h"

namespace patchbay::rules {
namespace {

/// What a variable's value can hold in such a text.
std::bitset<256> bytes_of(const VariableRef& ref, TextUse use) {
  switch (ref.variable) {
    case Variable::unit:
    case Variable::slot:
    case Variable::replica:
    case Variable::taken:
      return one_of("0123456789");
    default:
      return use == TextUse::path && !info(ref).whole_path ? ~one_of("/") : any_byte();
  }
}

}  // namespace

bool Template::may_equal(const Template& other) const {
  const auto shape_of = [](const Template& text) {
    TextShape shape;
    for (const Piece& piece : text.pieces_) {
      add_literal(shape, piece.literal);
      if (!piece.variable) continue;
      // A fallback may be anything, also nothing.
      const auto bytes = piece.has_fallback ? any_byte() : bytes_of(*piece.variable, text.use_);
      if (!piece.has_fallback) shape.push_back({bytes, false});
      shape.push_back({bytes, true});
    }
    return shape;
  };
  return overlap(shape_of(*this), shape_of(other));
}

}  // namespace patchbay::rules
