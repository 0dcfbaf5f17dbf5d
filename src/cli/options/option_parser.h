#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options/help_text.h"

namespace patchbay::cli {

/// Parses the options of one command. Targets of the options must outlive it.
class OptionParser {
 public:
  /// Accepts one value; an Error says "takes …, not '…'".
  using ValueSetter = std::function<Result<void>(const std::string& value)>;
  /// The paths that a shell completes for a value.
  enum class Paths { none, directories, any };
  /// An option with its help text.
  struct Option {
    std::string names;    ///< "-o,--output"; "PATH" for an argument.
    std::string value{};  ///< The value's name in --help; empty for an option without a value.
    std::string meaning;  ///< Whole sentences.
    /// The words that a shell completes for the value, besides paths.
    std::vector<std::string> words{};
    /// Returns more words. They can depend on the beginning of the value, and on other targets.
    std::function<std::vector<std::string>(const std::string& beginning)> offer{};
    Paths paths = Paths::none;
    bool required = false;
    bool many = false;   ///< Can be given several times; set by add_list().
    ValueSetter take{};  ///< Set by the methods below.

    /// Whether it is an argument and not an option.
    [[nodiscard]] bool is_argument() const { return !names.starts_with('-'); }
    [[nodiscard]] std::vector<std::string_view> each_name() const;
  };
  enum class Parsed { run, help };
  /// The possible continuations of a command line.
  struct Next {
    std::vector<const Option*> values;  ///< The options and arguments whose value can follow.
    bool option_name = false;           ///< The name of an option can follow.
  };

  OptionParser();

  void add_flag(Option option, bool& out);
  void add_value(Option option, ValueSetter take);
  /// Adds an option that can be repeated, with one value each, or an argument with any number of
  /// values. If it is required, there is at least one.
  void add_list(Option option, ValueSetter take);
  /// Adds a check of all options together, which runs at the end of parse().
  void add_check(std::function<Result<void>()> check);

  /// Parses the arguments after the command's name and sets the targets, in the order of the
  /// command line.
  [[nodiscard]] Result<Parsed> parse(const std::vector<std::string>& arguments);

  /// For completion: what can follow these arguments. Sets the targets as far as the values are
  /// valid.
  [[nodiscard]] Next next(const std::vector<std::string>& arguments) const;

  [[nodiscard]] std::vector<HelpText::Section> help() const;

  /// --help and the declared options, in that order.
  [[nodiscard]] const std::vector<Option>& options() const { return options_; }

 private:
  std::vector<Option> options_;
  std::vector<std::function<Result<void>()>> checks_;
};

/// A Take function that converts the value and stores the result.
template <typename Value, typename Convert>
OptionParser::ValueSetter store_parsed(Value& out, Convert convert) {
  return [&out, convert](const std::string& text) -> Result<void> {
    auto value = convert(text);
    if (!value) return std::unexpected(std::move(value).error());
    out = *std::move(value);
    return {};
  };
}

/// "unknown option '--hots-root'; did you mean '--host-root'?"
[[nodiscard]] std::string unknown_word(const std::string& word, const std::string& kind,
                                       const std::vector<std::string>& known);

}  // namespace patchbay::cli
