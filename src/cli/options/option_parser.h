#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options/help_text.h"

namespace patchbay::cli {

/// Parses the options and arguments of one command. Each one has a target: the variable that gets
/// its value. The targets must outlive the parser.
class OptionParser {
 public:
  /// Checks and stores one value. An Error has a text such as "takes a path, not ''".
  using ValueSetter = std::function<Result<void>(const std::string& value)>;
  /// The paths that a shell completes for a value.
  enum class Paths { none, directories, any };
  /// An option or an argument, with its help text.
  struct Option {
    std::string names;    ///< Such as "-o,--output", or "PATH" for an argument.
    std::string value{};  ///< The value's name in --help; empty for an option without a value.
    std::string meaning;  ///< The text in --help: whole sentences.
    /// The words that a shell completes for the value, besides paths.
    std::vector<std::string> words{};
    /// Returns more such words for a beginning of the value. They can depend on other targets.
    std::function<std::vector<std::string>(const std::string& beginning)> offer{};
    Paths paths = Paths::none;
    bool required = false;
    bool many = false;   ///< Whether the option can be given several times; set by add_list().
    ValueSetter take{};  ///< Set by the methods below.

    /// Whether it is an argument and not an option.
    [[nodiscard]] bool is_argument() const { return !names.starts_with('-'); }
    [[nodiscard]] std::vector<std::string_view> each_name() const;
  };
  /// What to do after parse(): run the command or print its help.
  enum class Parsed { run, help };
  /// The possible continuations of a command line, for completion.
  struct Next {
    std::vector<const Option*> values;  ///< The options and arguments whose value can follow.
    bool option_name = false;           ///< Whether the name of an option can follow.
  };

  OptionParser();

  void add_flag(Option option, bool& out);
  void add_value(Option option, ValueSetter take);
  /// Adds an option that can be repeated, or an argument with any number of values. If
  /// `option.required` is set, there must be at least one value.
  void add_list(Option option, ValueSetter take);
  /// Adds a check that runs at the end of parse(), for example of options that exclude each other.
  void add_check(std::function<Result<void>()> check);

  /// Parses the arguments after the command's name and sets the targets, in the order of the
  /// command line.
  [[nodiscard]] Result<Parsed> parse(const std::vector<std::string>& arguments);

  /// Returns what can follow these arguments, for completion. Also sets the targets of valid
  /// values, because the offered words can depend on them.
  [[nodiscard]] Next next(const std::vector<std::string>& arguments) const;

  [[nodiscard]] std::vector<HelpText::Section> help() const;

  /// Returns --help, and then the added options in their order.
  [[nodiscard]] const std::vector<Option>& options() const { return options_; }

 private:
  std::vector<Option> options_;
  std::vector<std::function<Result<void>()>> checks_;
};

/// Returns a ValueSetter that converts the value and stores the result in `out`.
template <typename Value, typename Convert>
OptionParser::ValueSetter store_parsed(Value& out, Convert convert) {
  return [&out, convert](const std::string& text) -> Result<void> {
    auto value = convert(text);
    if (!value) return std::unexpected(std::move(value).error());
    out = *std::move(value);
    return {};
  };
}

/// Returns a message such as "unknown option '--hots-root'; did you mean '--host-root'?"
[[nodiscard]] std::string unknown_word(const std::string& word, const std::string& kind,
                                       const std::vector<std::string>& known);

}  // namespace patchbay::cli
