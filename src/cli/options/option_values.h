#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/options/options.h"

/// Parsers for option values. An Error completes "--option …".
namespace patchbay::cli {

/// A whole number in [least, most].
[[nodiscard]] Result<int> parse_number(const std::string& text, int least, int most);

/// "10m": a period from 1 s to 24 h; "0s" means never. A number without a unit is in seconds.
[[nodiscard]] Result<std::chrono::milliseconds> parse_period(const std::string& text);

/// "64KiB": a number of bytes, KiB, MiB or GiB; from 4 KiB to 1 GiB.
[[nodiscard]] Result<size_t> parse_size(const std::string& text);

/// The index of the word.
[[nodiscard]] Result<size_t> parse_choice(const std::string& text,
                                          std::span<const std::string_view> words);

/// A file or directory. A word with a leading '-' is rejected as a misplaced option.
[[nodiscard]] Result<std::string> parse_path(const std::string& text);

/// The same, or "-" for standard input.
[[nodiscard]] Result<std::string> parse_input_path(const std::string& text);

/// A node name, as Kubernetes or a host accepts it.
[[nodiscard]] Result<std::string> parse_node_name(const std::string& text);

/// A regular expression that matches anywhere in a name.
[[nodiscard]] Result<NameFilter> parse_name_filter(const std::string& regex);

}  // namespace patchbay::cli
