#pragma once

#include <string>
#include <string_view>

namespace patchbay::observe {

/// The status page of a node: one HTML document without external resources. Its script reads
/// /status, /events, /unmatched and /machine. `node` is escaped. `nonce` is new for each answer and
/// is also in page_policy(), so that no other script runs.
[[nodiscard]] std::string page(std::string_view node, std::string_view nonce);

/// The Content-Security-Policy of the page with that nonce.
[[nodiscard]] std::string page_policy(std::string_view nonce);

}  // namespace patchbay::observe
