#pragma once

#include <string>

#include "base/result.h"
#include "config/spec.h"
#include "dra/device.h"

namespace patchbay::dra {

/// Returns the text as a value of this type. The error says why it cannot be published; it is safe
/// to print. Pure; any thread.
[[nodiscard]] Result<AttributeValue> make_value(config::AttributeType type, std::string text);

}  // namespace patchbay::dra
