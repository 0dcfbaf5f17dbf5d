#pragma once

#include <optional>
#include <string_view>

#include "rules/advice.h"
#include "rules/spec_texts.h"

namespace patchbay::rules {

/// Of the name of an attribute that no device of that class has, and which one has: of the USB
/// device or the PCI function above, in another directory, or a property of udev.
[[nodiscard]] std::optional<Advice> attribute_name_advice(std::string_view name,
                                                          const DeviceClass& device);

/// The same of a property.
[[nodiscard]] std::optional<Advice> property_name_advice(std::string_view name);

/// The first such name in the $(attribute.…) and $(property.…) of a text.
[[nodiscard]] std::optional<Advice> variable_name_advice(std::string_view text,
                                                         const DeviceClass& device);

}  // namespace patchbay::rules
