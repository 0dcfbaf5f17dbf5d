// The only file that includes CLI11: it takes five seconds to compile.
#include "cli/option_parser.h"

#include <optional>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace patchbay::cli {
namespace {

std::string title_of(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return names.empty() ? option.get_name() : "--" + names[0];
}

/// As --help shows it: long names stand one below the other.
std::string help_word(const CLI::Option& option) {
  const auto& letters = option.get_snames();
  std::string word = "  " + option.get_name();
  if (option.nonpositional()) {
    word = letters.empty() ? "      " : "  -" + letters[0] + ", ";
    word += title_of(option);
  }
  const std::string value = option.get_type_name();
  return value.empty() ? word : word + " " + value;
}

/// CLI11 has "--name=" take the next argument.
std::optional<Error> empty_value(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      return Error{argument.substr(0, argument.size() - 1) + " needs a value"};
    }
  }
  return std::nullopt;
}

void take_all(const CLI::Option& option, const OptionParser::Take& take,
              const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (const auto taken = take(value); !taken) {
      throw CLI::ParseError(title_of(option) + " " + taken.error().message,
                            CLI::ExitCodes::ValidationError);
    }
  }
}

}  // namespace

struct OptionParser::Impl {
  CLI::App app;
  std::vector<Option> declared;
  std::vector<std::function<Result<void>()>> checks;

  void add(const Option& option, Take take);
  [[nodiscard]] Error error_of(const CLI::ParseError& error) const;
  [[nodiscard]] std::optional<Error> unexpected() const;
};

void OptionParser::Impl::add(const Option& option, Take take) {
  declared.push_back(option);
  auto place = std::make_shared<const CLI::Option*>(nullptr);
  CLI::callback_t set = [place, take = std::move(take)](const CLI::results_t& values) {
    take_all(**place, take, values);
    return true;
  };
  CLI::Option* added = app.add_option(option.names, std::move(set), option.meaning);
  *place = added;
  added->type_name(option.value);
  added->required(option.required);
  if (!option.many) return;
  added->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
}

/// What is there and should not be.
std::optional<Error> OptionParser::Impl::unexpected() const {
  auto extra = app.remaining();
  std::erase(extra, "--");
  if (extra.empty()) return std::nullopt;
  const std::string word = extra[0].substr(0, extra[0].find('='));
  if (!word.starts_with('-')) {
    return Error{"'" + printable(extra[0], 200) + "' was not expected"};
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) known.push_back(title_of(*option));
  return Error{unknown_word(word, "option", known)};
}

/// CLI11's own words are for programmers.
Error OptionParser::Impl::error_of(const CLI::ParseError& error) const {
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  const std::string_view what = error.what();
  for (const CLI::Option* option : app.get_options()) {
    const std::string title = title_of(*option);
    if (required && what.starts_with(title)) return {title + " is required"};
    // Of a flag it says the name without its dashes.
    if (!mismatch || !(what.starts_with(title) || what.starts_with(option->get_single_name()))) {
      continue;
    }
    if (option->get_expected_max() == 0) return {title + " takes no value"};
    return {title + (option->count() > 1 ? " is given more than once" : " needs a value")};
  }
  return {printable(what, 1000)};
}

OptionParser::OptionParser() : impl_(std::make_unique<Impl>()) {
  impl_->app.allow_extras();
  const Option help{.names = "-h,--help", .meaning = "Print this help and exit."};
  impl_->app.set_help_flag(help.names, help.meaning);
  impl_->declared.push_back(help);
}

OptionParser::~OptionParser() = default;

void OptionParser::add_flag(const Option& option, bool& out) {
  impl_->declared.push_back(option);
  impl_->app.add_flag(option.names, out, option.meaning)->disable_flag_override();
}

void OptionParser::add_value(const Option& option, Take take) {
  impl_->add(option, std::move(take));
}

void OptionParser::add_list(const Option& option, Take take) {
  Option list = option;
  list.many = true;
  impl_->add(list, std::move(take));
}

void OptionParser::add_check(std::function<Result<void>()> check) {
  impl_->checks.push_back(std::move(check));
}

const std::vector<OptionParser::Option>& OptionParser::options() const { return impl_->declared; }

Result<OptionParser::Parsed> OptionParser::parse(const std::vector<std::string>& arguments) {
  if (auto empty = empty_value(arguments)) return std::unexpected(*std::move(empty));
  std::optional<Error> problem;
  try {
    impl_->app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return Parsed::help;
  } catch (const CLI::ParseError& error) {
    problem = impl_->error_of(error);
  }
  // A mistyped option explains what else is wrong.
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
  for (const CLI::Option* option : impl_->app.get_options()) {
    auto& section = option->nonpositional() ? options : arguments;
    section.entries.push_back({help_word(*option), option->get_description()});
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
