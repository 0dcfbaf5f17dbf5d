#pragma once

#include <string>

#include "model/facts.h"
#include "suggest/candidates.h"
#include "suggest/device_values.h"

/// Names devices in output for people.
namespace patchbay::suggest {

/// "/dev/ttyUSB0: a port of a USB serial adapter".
[[nodiscard]] std::string title_of(const Candidate& candidate);

/// Returns the title with the model and the serial number. Blocking.
[[nodiscard]] std::string full_title_of(const Candidate& candidate, DeviceReader& reader);

/// Returns the maker and the model. Empty if not known.
[[nodiscard]] std::string model_of(const DeviceFacts& device);

}  // namespace patchbay::suggest
