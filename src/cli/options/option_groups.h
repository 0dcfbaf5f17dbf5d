#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options/option_parser.h"
#include "cli/options/option_values.h"
#include "cli/options/options.h"

/// Options that several commands have.
namespace patchbay::cli {

/// Adds an option whose value is one of a few words; `pick` converts the index of the word.
template <typename Value, size_t Size, typename Pick>
void add_choice(OptionParser& parser, OptionParser::Option option,
                const std::array<std::string_view, Size>& words, Value& out, Pick pick) {
  option.words = {words.begin(), words.end()};
  const auto parse = [&words, pick](const std::string& text) -> Result<Value> {
    const auto choice = parse_choice(text, words);
    if (!choice) return std::unexpected(choice.error());
    return pick(*choice);
  };
  parser.add_value(option, store_parsed(out, parse));
}

/// Adds an option with a directory.
void add_directory(OptionParser& parser, const std::string& names, const std::string& meaning,
                   std::string& out);

void add_node_name(OptionParser& parser, std::string& node);

/// Adds PATH, --config and --node-name. At least one path is required.
void add_config(OptionParser& parser, ConfigOptions& options);
/// Adds an optional --config with that text in the help.
void add_config_paths(OptionParser& parser, const std::string& meaning,
                      std::vector<std::string>& paths);
/// The same as add_config() without PATH; --config is optional.
void add_config_option(OptionParser& parser, ConfigOptions& options,
                       const std::string& meaning = "The same as PATH.");
/// Whether the given paths can be read.
[[nodiscard]] Result<void> check_paths(const ConfigOptions& options);

void add_output(OptionParser& parser, OutputFormat& output);

/// --host-root
void add_root(OptionParser& parser, HostCommandOptions& options);
/// --machine
void add_machine(OptionParser& parser, HostCommandOptions& options,
                 const std::string& meaning =
                     "A recorded machine to read instead of this one: the "
                     "output of `patchbay snapshot` or of udevadm. No "
                     "device is used: probes that need one count as "
                     "passed.");
/// Adds --host-root, and the options for watching the host.
void add_host(OptionParser& parser, HostCommandOptions& options);

}  // namespace patchbay::cli
