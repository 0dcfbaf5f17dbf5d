#include "dra/attribute_value.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/whole_number.h"
#include "rules/plan/attribute.h"

namespace patchbay::dra {
namespace {

/// The value of a text without a fault.
AttributeValue parsed(config::AttributeType type, std::string text) {
  switch (type) {
    case config::AttributeType::integer:
      return *parse_whole<int64_t>(text);
    case config::AttributeType::boolean:
      return text == "true" || text == "1";
    case config::AttributeType::version:
      return Version{std::move(text)};
    case config::AttributeType::text:
      break;
  }
  return text;
}

}  // namespace

Result<AttributeValue> make_value(config::AttributeType type, std::string text) {
  if (text.empty()) return fail("the value is empty");
  if (const auto fault = rules::attribute_fault(type, text)) {
    return fail(fmt::format("\"{}\" {}", printable(text), *fault));
  }
  // A byte has at most four characters in printable text.
  if (printable(text, 4 * text.size()) != text) {
    return fail(fmt::format("\"{}\" contains characters that cannot be printed", printable(text)));
  }
  return parsed(type, std::move(text));
}

}  // namespace patchbay::dra
