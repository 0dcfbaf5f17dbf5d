// The only file that includes CLI11, which takes five seconds to compile.
#include "cli/option_parser.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace patchbay::cli {
namespace {

/// The name in messages: the long name.
std::string title_of(const OptionParser::Option& option) {
  return std::string(option.each_name().back());
}

/// The name in --help; long names are aligned.
std::string help_word(const OptionParser::Option& option) {
  std::string word = option.names.starts_with("--") ? "      " : "  ";
  word += option.names;
  if (const size_t comma = word.find(','); comma != std::string::npos) word.insert(comma + 1, " ");
  return option.value.empty() ? word : word + " " + option.value;
}

/// CLI11 treats a `--` after a list as the end of the list, and then parses options again. So all
/// words after the first `--` get this prefix, which no option has. take_all() removes it.
constexpr char kNoOption = '\x01';

std::vector<std::string> with_marks(std::vector<std::string> arguments) {
  const auto end = std::ranges::find(arguments, "--");
  for (auto it = arguments.begin(); it != arguments.end(); ++it) {
    if (it > end || it->starts_with(kNoOption)) it->insert(it->begin(), kNoOption);
  }
  return arguments;
}

std::string without_mark(const std::string& argument) {
  return argument.starts_with(kNoOption) ? argument.substr(1) : argument;
}

}  // namespace

std::vector<std::string_view> OptionParser::Option::each_name() const { return split(names, ','); }

struct OptionParser::Impl {
  CLI::App app;
  std::vector<Option> declared;
  std::vector<CLI::Option*> added;  ///< The same options in CLI11.
  std::vector<std::function<Result<void>()>> checks;
  std::optional<Error> bad_value;

  CLI::Option* add(const Option& option, CLI::Option* to_cli11);
  bool take_all(const Option& option, const ValueSetter& take,
                const std::vector<std::string>& values);
  [[nodiscard]] const Option* find(std::string_view name) const;
  [[nodiscard]] std::optional<Error> bad_assignment(
      const std::vector<std::string>& arguments) const;
  [[nodiscard]] Error error_of(const CLI::ParseError& error, std::string_view last) const;
  [[nodiscard]] std::optional<Error> unexpected() const;
};

CLI::Option* OptionParser::Impl::add(const Option& option, CLI::Option* to_cli11) {
  declared.push_back(option);
  added.push_back(to_cli11);
  return to_cli11;
}

/// Returns false for an invalid value.
bool OptionParser::Impl::take_all(const Option& option, const ValueSetter& take,
                                  const std::vector<std::string>& values) {
  if (!option.many && values.size() > 1) {
    bad_value = Error{title_of(option) + " is given more than once"};
    return false;
  }
  for (const std::string& value : values) {
    if (const auto taken = take(without_mark(value)); !taken) {
      bad_value = Error{title_of(option) + " " + taken.error().message};
      return false;
    }
  }
  return true;
}

const OptionParser::Option* OptionParser::Impl::find(std::string_view name) const {
  const auto found = std::ranges::find_if(declared, [&](const Option& option) {
    const auto names = option.each_name();
    return std::ranges::find(names, name) != names.end();
  });
  return found == declared.end() ? nullptr : &*found;
}

/// Rejects "--name=", for which CLI11 uses the next argument as the value, and "--flag=value".
std::optional<Error> OptionParser::Impl::bad_assignment(
    const std::vector<std::string>& arguments) const {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const size_t equals = argument.find('=');
    if (!argument.starts_with("--") || equals == std::string::npos) continue;
    const std::string name = argument.substr(0, equals);
    const Option* const option = find(name);
    if (equals == argument.size() - 1) return Error{name + " needs a value"};
    if (option != nullptr && option->value.empty()) return Error{name + " takes no value"};
  }
  return std::nullopt;
}

/// Reports an unexpected argument.
std::optional<Error> OptionParser::Impl::unexpected() const {
  auto extra = app.remaining();
  std::erase(extra, "--");
  if (extra.empty()) return std::nullopt;
  const std::string word = extra[0].substr(0, extra[0].find('='));
  if (!word.starts_with('-')) {
    return Error{"'" + printable(without_mark(extra[0]), 200) + "' was not expected"};
  }
  std::vector<std::string> known;
  for (const Option& option : declared) known.push_back(title_of(option));
  return Error{unknown_word(word, "option", known)};
}

/// The texts of CLI11 are for programmers and can change. So the message is made from the type of
/// the error and the options. `last` is the last argument.
Error OptionParser::Impl::error_of(const CLI::ParseError& error, std::string_view last) const {
  if (bad_value) return *bad_value;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    // Without a value, the last option is the last word; in a word of several letters it is the
    // last letter.
    const std::string letter{'-', last.back()};
    const Option* const option = find(last.starts_with("--") ? last : letter);
    if (option != nullptr) return {title_of(*option) + " needs a value"};
  }
  for (size_t i = 0; i < added.size(); ++i) {
    if (declared[i].required && added[i]->count() == 0) {
      return {title_of(declared[i]) + " is required"};
    }
  }
  return {printable(error.what(), 1000)};
}

OptionParser::OptionParser() : impl_(std::make_unique<Impl>()) {
  impl_->app.allow_extras();
  const Option help{.names = "-h,--help", .meaning = "Print this help and exit."};
  impl_->add(help, impl_->app.set_help_flag(help.names));
}

OptionParser::~OptionParser() = default;

void OptionParser::add_flag(const Option& option, bool& out) {
  impl_->add(option, impl_->app.add_flag(option.names, out));
}

void OptionParser::add_value(const Option& option, ValueSetter take) {
  const auto set = [impl = impl_.get(), option,
                    take = std::move(take)](const CLI::results_t& values) {
    return impl->take_all(option, take, values);
  };
  CLI::Option* const added = impl_->add(option, impl_->app.add_option(option.names, set));
  added->required(option.required)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (option.many) added->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
}

void OptionParser::add_list(const Option& option, ValueSetter take) {
  Option list = option;
  list.many = true;
  add_value(list, std::move(take));
}

void OptionParser::add_check(std::function<Result<void>()> check) {
  impl_->checks.push_back(std::move(check));
}

const std::vector<OptionParser::Option>& OptionParser::options() const { return impl_->declared; }

Result<OptionParser::Parsed> OptionParser::parse(const std::vector<std::string>& arguments) {
  if (auto bad = impl_->bad_assignment(arguments)) return std::unexpected(*std::move(bad));
  std::optional<Error> problem;
  try {
    auto marked = with_marks(arguments);
    std::ranges::reverse(marked);
    impl_->app.parse(std::move(marked));
  } catch (const CLI::CallForHelp&) {
    return Parsed::help;
  } catch (const CLI::ParseError& error) {
    problem = impl_->error_of(error, arguments.empty() ? "" : arguments.back());
  }
  // An unknown option is often the cause of the other error.
  if (auto extra = impl_->unexpected()) problem = std::move(extra);
  if (problem) return std::unexpected(*std::move(problem));
  for (const auto& check : impl_->checks) {
    if (auto checked = check(); !checked) return std::unexpected(std::move(checked).error());
  }
  return Parsed::run;
}

std::vector<HelpText::Section> OptionParser::help() const {
  HelpText::Section arguments{.title = "Arguments", .entries = {}};
  HelpText::Section options{.title = "Options", .entries = {}};
  for (const Option& option : impl_->declared) {
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
