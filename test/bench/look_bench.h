#pragma once

#include <string>

namespace patchbay::bench {

/// What it costs that somebody looks: processor time of a scrape, and what a plug waits while many
/// ask.
void measure_looks(const std::string& binary);

}  // namespace patchbay::bench
