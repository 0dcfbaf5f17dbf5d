#pragma once

#include <optional>
#include <string_view>

#include "rules/lint/advice.h"
#include "rules/lint/spec_texts.h"

namespace patchbay::rules {

/// Advice for the name of an attribute that no device of that class has. It says where the value
/// is: in the USB device or PCI function above, in another directory, or in a property of udev.
[[nodiscard]] std::optional<Advice> attribute_name_advice(std::string_view name,
                                                          const DeviceClass& device);

/// The same for a property.
[[nodiscard]] std::optional<Advice> property_name_advice(std::string_view name);

/// Advice for the first such name in the $(attribute.…) and $(property.…) of a text.
[[nodiscard]] std::optional<Advice> variable_name_advice(std::string_view text,
                                                         const DeviceClass& device);

}  // namespace patchbay::rules
