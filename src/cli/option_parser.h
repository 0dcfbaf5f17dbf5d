#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/help_text.h"

namespace patchbay::cli {

/// The options of one command. What they set must outlive it.
class OptionParser {
 public:
  /// Takes one value; an Error says "takes …, not '…'".
  using ValueSetter = std::function<Result<void>(const std::string& value)>;
  /// Which paths a shell offers for a value.
  enum class Paths { none, any, directories };
  /// An option as it is declared and explained.
  struct Option {
    std::string names;    ///< "-c,--config"; "PATH" for what stands without an option.
    std::string value{};  ///< What --help calls its value; empty: it has none.
    std::string meaning;  ///< Whole sentences.
    /// What a shell offers for the value, beside paths.
    std::vector<std::string> words{};
    Paths paths = Paths::none;
    bool required = false;
    bool many = false;  ///< Takes one value or more; set by add_list().

    /// Stands without an option.
    [[nodiscard]] bool is_argument() const { return !names.starts_with('-'); }
    [[nodiscard]] std::vector<std::string_view> each_name() const;
  };
  enum class Parsed { run, help };

  OptionParser();
  ~OptionParser();
  OptionParser(const OptionParser&) = delete;
  OptionParser& operator=(const OptionParser&) = delete;

  void add_flag(const Option& option, bool& out);
  void add_value(const Option& option, ValueSetter take);
  /// Takes any number of values; one or more where it is required.
  void add_list(const Option& option, ValueSetter take);
  /// What all of them together must fulfil; asked at the end of parse().
  void add_check(std::function<Result<void>()> check);

  /// Sets what the arguments say; they are those after the command's name.
  [[nodiscard]] Result<Parsed> parse(const std::vector<std::string>& arguments);

  [[nodiscard]] std::vector<HelpText::Section> help() const;

  /// --help and all that was declared, in that order.
  [[nodiscard]] const std::vector<Option>& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// `take` for a value that a function turns into what is kept.
template <typename Value, typename Convert>
OptionParser::ValueSetter store_parsed(Value& out, Convert convert) {
  return [&out, convert](const std::string& text) -> Result<void> {
    auto value = convert(text);
    if (!value) return std::unexpected(std::move(value).error());
    out = *std::move(value);
    return {};
  };
}

/// "'--hots-root' is no option; did you mean '--host-root'?" and the like.
[[nodiscard]] std::string unknown_word(const std::string& word, const std::string& kind,
                                       const std::vector<std::string>& known);

}  // namespace patchbay::cli
