#include "cli/options/option_parser.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace patchbay::cli {
namespace {

using Option = OptionParser::Option;
using Words = std::vector<std::string>;

bool is_flag(const Option& option) { return !option.is_argument() && option.value.empty(); }

/// The name in messages: the long name.
std::string title_of(const Option& option) { return std::string(option.each_name().back()); }

/// The name in --help; long names are aligned.
std::string help_word(const Option& option) {
  std::string word = option.names.starts_with("--") ? "      " : "  ";
  word += option.names;
  if (const size_t comma = word.find(','); comma != std::string::npos) word.insert(comma + 1, " ");
  return option.value.empty() ? word : word + " " + option.value;
}

/// Assigns the words of a command line to options and arguments.
class CommandLine {
 public:
  struct Word {
    const Option* option;  ///< Null: an argument that was not expected.
    std::string text;
  };

  CommandLine(const std::vector<Option>& options, const Words& words) : options_(options) {
    for (const std::string& word : words) add(word);
    if (open_ != nullptr) add_error(title_of(*open_) + " needs a value");
  }

  /// The values in the order of the command line.
  [[nodiscard]] const std::vector<Word>& values() const { return values_; }
  [[nodiscard]] size_t count_of(const Option& option) const {
    return static_cast<size_t>(std::ranges::count(values_, &option, &Word::option));
  }

  /// The first error, which is often the cause of the others.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  [[nodiscard]] OptionParser::Next next() const {
    if (open_ != nullptr) return {.values = {open_}};
    OptionParser::Next next{.values = {}, .option_name = !only_arguments_};
    if (const Option* const argument = next_argument()) next.values.push_back(argument);
    return next;
  }

 private:
  [[nodiscard]] const Option* find(std::string_view name) const {
    const auto found = std::ranges::find_if(options_, [&](const Option& option) {
      const auto names = option.each_name();
      return std::ranges::find(names, name) != names.end();
    });
    return found == options_.end() ? nullptr : &*found;
  }

  void add(const std::string& word) {
    if (open_ != nullptr) {
      add_value(open_, word);
    } else if (only_arguments_ || word.size() < 2 || !word.starts_with('-')) {
      add_argument(word);
    } else if (word == "--") {
      only_arguments_ = true;
    } else if (word.starts_with("--")) {
      add_long(word);
    } else {
      add_letters(word);
    }
  }

  void add_argument(const std::string& word) {
    const Option* const argument = next_argument();
    if (argument == nullptr) add_error("'" + printable(word, 200) + "' was not expected");
    values_.push_back({argument, word});
  }

  void add_error(std::string message) {
    if (!error_) error_ = Error{std::move(message)};
  }

  void add_unknown(const std::string& word) {
    Words known;
    for (const Option& option : options_) known.push_back(title_of(option));
    add_error(unknown_word(word.substr(0, word.find('=')), "option", known));
  }

  /// Adds an option without its value.
  void open(const Option& option) {
    if (is_flag(option)) return values_.push_back({&option, ""});
    open_ = &option;
  }

  void add_value(const Option* option, const std::string& value) {
    values_.push_back({option, value});
    open_ = nullptr;
  }

  /// "--output", "--output=json"
  void add_long(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option* const option = find(name);
    if (option == nullptr) return add_unknown(word);
    open(*option);
    if (equals == std::string::npos) return;
    if (is_flag(*option)) return add_error(name + " takes no value");
    if (equals + 1 == word.size()) add_error(name + " needs a value");
    add_value(option, word.substr(equals + 1));
  }

  /// "-w", "-o", "-ojson", "-wojson"
  void add_letters(const std::string& word) {
    for (size_t at = 1; at < word.size(); ++at) {
      const Option* const option = find(std::string{'-', word[at]});
      if (option == nullptr) return add_unknown("-" + word.substr(at));
      open(*option);
      if (is_flag(*option)) continue;
      if (at + 1 < word.size()) add_value(option, word.substr(at + 1));
      return;
    }
  }

  /// The first declared argument that can have another value.
  [[nodiscard]] const Option* next_argument() const {
    const auto found = std::ranges::find_if(options_, [&](const Option& option) {
      return option.is_argument() && (option.many || count_of(option) == 0);
    });
    return found == options_.end() ? nullptr : &*found;
  }

  const std::vector<Option>& options_;
  std::vector<Word> values_;
  std::optional<Error> error_;    ///< The first one.
  const Option* open_ = nullptr;  ///< The option whose value must follow.
  bool only_arguments_ = false;   ///< After "--".
};

}  // namespace

std::vector<std::string_view> OptionParser::Option::each_name() const { return split(names, ','); }

OptionParser::OptionParser()
    : options_{{.names = "-h,--help", .meaning = "Print this help and exit."}} {}

void OptionParser::add_flag(Option option, bool& out) {
  add_value(std::move(option), [&out](const std::string&) {
    out = true;
    return Result<void>{};
  });
}

void OptionParser::add_value(Option option, ValueSetter take) {
  options_.push_back(std::move(option));
  options_.back().take = std::move(take);
}

void OptionParser::add_list(Option option, ValueSetter take) {
  option.many = true;
  add_value(std::move(option), std::move(take));
}

void OptionParser::add_check(std::function<Result<void>()> check) {
  checks_.push_back(std::move(check));
}

Result<OptionParser::Parsed> OptionParser::parse(const std::vector<std::string>& arguments) {
  const CommandLine line(options_, arguments);
  if (line.count_of(options_.front()) > 0) return Parsed::help;
  if (line.error()) return std::unexpected(*line.error());
  for (const Option& option : options_) {
    const size_t count = line.count_of(option);
    if (option.required && count == 0) return fail(title_of(option) + " is required");
    if (count > 1 && !option.many && !is_flag(option)) {
      return fail(title_of(option) + " is given more than once");
    }
  }
  for (const auto& [option, text] : line.values()) {
    if (auto taken = option->take(text); !taken) {
      return fail(title_of(*option) + " " + taken.error().message);
    }
  }
  for (const auto& check : checks_) {
    if (auto checked = check(); !checked) return std::unexpected(std::move(checked).error());
  }
  return Parsed::run;
}

OptionParser::Next OptionParser::next(const std::vector<std::string>& arguments) const {
  const CommandLine line(options_, arguments);
  for (const auto& [option, text] : line.values()) {
    if (option != nullptr && option->take) const auto ignored = option->take(text);
  }
  return line.next();
}

std::vector<HelpText::Section> OptionParser::help() const {
  HelpText::Section arguments{.title = "Arguments", .entries = {}};
  HelpText::Section options{.title = "Options", .entries = {}};
  for (const Option& option : options_) {
    auto& section = option.is_argument() ? arguments : options;
    section.entries.push_back({help_word(option), option.meaning});
  }
  if (arguments.entries.empty()) return {options};
  return {arguments, options};
}

std::string unknown_word(const std::string& word, const std::string& kind,
                         const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const auto nearest = nearest_word(word, candidates);
  return "unknown " + kind + " '" + printable(word, 200) + "'" +
         (nearest ? "; did you mean '" + *nearest + "'?" : "");
}

}  // namespace patchbay::cli
