#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

/// What the options of the command line take. An Error completes "--option …".
namespace patchbay::cli {

/// A whole number in [least, most].
[[nodiscard]] Result<int> parse_number(const std::string& text, int least, int most);

/// "10m": how often, from a second to a day; "0s": never. A number alone is of seconds.
[[nodiscard]] Result<std::chrono::milliseconds> parse_period(const std::string& text);

/// "64KiB": a number of bytes, or of KiB, MiB or GiB; from 4 KiB to 1 GiB.
[[nodiscard]] Result<size_t> parse_size(const std::string& text);

/// Which of the words it is.
[[nodiscard]] Result<size_t> parse_choice(const std::string& text,
                                          std::span<const std::string_view> words);

/// A file or directory. One that begins with '-' is an option that was put in its place.
[[nodiscard]] Result<std::string> parse_path(const std::string& text);

/// The same, or "-" for standard input.
[[nodiscard]] Result<std::string> parse_input_path(const std::string& text);

/// A node's name: what Kubernetes or a host may call itself.
[[nodiscard]] Result<std::string> parse_node_name(const std::string& text);

}  // namespace patchbay::cli
