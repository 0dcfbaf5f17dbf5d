#pragma once

#include <string>
#include <string_view>

/// Shell patterns as glob(3) understands them. Pure; any thread.
namespace patchbay::host {

/// `text` with everything that glob(3) would interpret escaped.
[[nodiscard]] std::string escape_glob(std::string_view text);

/// The name that `text` stands for, if it has no wildcard.
[[nodiscard]] std::string unescape_glob(std::string_view text);

/// Whether glob(3) would interpret something in `text`, other than an escape.
[[nodiscard]] bool has_wildcard(std::string_view text);

}  // namespace patchbay::host
