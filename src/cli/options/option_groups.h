#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/words.h"
#include "cli/options/option_parser.h"
#include "cli/options/options.h"

/// Options that several commands have.
namespace patchbay::cli {

/// Adds an option whose value is one of a few words; `choose` gets the index of the word.
void add_choice(OptionParser& parser, OptionParser::Option option,
                std::span<const std::string_view> words, std::function<void(size_t)> choose);

/// The same for the words of an enumeration.
template <typename Enum>
void add_choice(OptionParser& parser, OptionParser::Option option, Enum& out) {
  add_choice(parser, std::move(option), kWords<Enum>,
             [&out](size_t choice) { out = static_cast<Enum>(choice); });
}

/// Adds an option or an argument with any text.
void add_text(OptionParser& parser, OptionParser::Option option, std::string& out);

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
