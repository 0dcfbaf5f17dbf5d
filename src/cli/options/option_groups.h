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

/// Functions that add the options which several commands have.
namespace patchbay::cli {

/// Adds an option whose value is one of `words`; `choose` gets the index of the word.
void add_choice(OptionParser& parser, OptionParser::Option option,
                std::span<const std::string_view> words, std::function<void(size_t)> choose);

/// Adds an option whose value is a word of an enumeration.
template <typename Enum>
void add_choice(OptionParser& parser, OptionParser::Option option, Enum& out) {
  add_choice(parser, std::move(option), kWords<Enum>,
             [&out](size_t choice) { out = static_cast<Enum>(choice); });
}

/// Adds an option or an argument whose value is any text.
void add_text(OptionParser& parser, OptionParser::Option option, std::string& out);

/// Adds an option whose value is a directory.
void add_directory(OptionParser& parser, const std::string& names, const std::string& meaning,
                   std::string& out);

void add_node_name(OptionParser& parser, std::string& node);

/// Adds PATH, --config and --node-name. At least one path is required.
void add_config(OptionParser& parser, ConfigOptions& options);
/// Adds an optional --config; `meaning` is its text in --help.
void add_config_paths(OptionParser& parser, const std::string& meaning,
                      std::vector<std::string>& paths);
/// Adds --config and --node-name, which are optional.
void add_config_option(OptionParser& parser, ConfigOptions& options,
                       const std::string& meaning = "The same as PATH.");
/// Returns an Error if there is no path, or standard input is given twice.
[[nodiscard]] Result<void> check_paths(const ConfigOptions& options);

void add_output(OptionParser& parser, OutputFormat& output);

/// Adds --host-root.
void add_root(OptionParser& parser, HostCommandOptions& options);
/// Adds --machine.
void add_machine(OptionParser& parser, HostCommandOptions& options,
                 const std::string& meaning =
                     "A recorded machine to read instead of this one: the "
                     "output of `patchbay snapshot` or of udevadm. No "
                     "device is used: probes that need one count as "
                     "passed.");
/// Adds --host-root, --udev-buffer and --rescan.
void add_host(OptionParser& parser, HostCommandOptions& options);

}  // namespace patchbay::cli
