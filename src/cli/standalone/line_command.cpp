#include "cli/standalone/line_command.h"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/find_unit.h"
#include "cli/options/option_values.h"

namespace patchbay::cli {
namespace {

using LineKind = LineCommand::Kind;
using Words = std::vector<std::string>;

/// More units than fit into a device list.
constexpr int kMostUnits = 1'000'000;

/// The syntax of one command.
struct Form {
  const char* name;
  LineKind kind;
  const char* arguments;
  const char* meaning;
};
constexpr std::array<Form, 6> kForms = {{
    {"allocate", LineKind::allocate, "RESOURCE ID...",
     "what a container with these units would get"},
    {"prefer", LineKind::prefer, "RESOURCE COUNT [ID...]",
     "which units the kubelet would choose, with these among them"},
    {"start", LineKind::start, "RESOURCE ID...", "run the preStart steps for these units"},
    {"list", LineKind::list, "", "every resource and its units"},
    {"help", LineKind::help, "", "this help"},
    {"quit", LineKind::quit, "", "exit (also: Ctrl-C)"},
}};

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string synopsis(const Form& form) {
  return *form.arguments == '\0' ? form.name : fmt::format("{} {}", form.name, form.arguments);
}

Error unknown_command(const std::string& word) {
  Words names;
  for (const Form& form : kForms) names.emplace_back(form.name);
  const std::string meant = did_you_mean(word, names);
  return {fmt::format("unknown command '{}'{}", printable(word),
                      meant.empty() ? "; type: help" : meant)};
}

/// Reads the arguments: RESOURCE, for `prefer` COUNT, and ids.
Result<void> read_units(const Words& words, LineCommand& command) {
  if (words.size() < 2) return fail("needs a resource");
  command.resource = words[1];
  size_t ids_from = 2;
  if (command.kind == LineKind::prefer) {
    if (words.size() < 3) return fail("needs a number of units");
    const auto count = parse_number(words[2], 1, kMostUnits);
    if (!count) return std::unexpected(count.error());
    command.count = *count;
    ids_from = 3;
  } else if (words.size() < 3) {
    return fail("needs the id of a unit");
  }
  command.ids.assign(words.begin() + static_cast<ptrdiff_t>(ids_from), words.end());
  return {};
}

Result<void> read_arguments(const Form& form, const Words& words, LineCommand& command) {
  if (*form.arguments != '\0') return read_units(words, command);
  if (words.size() > 1 && form.kind != LineKind::help) {
    return fail(fmt::format("takes no '{}'", printable(words[1])));
  }
  return {};
}

}  // namespace

Result<LineCommand> read_line_command(const std::string& line) {
  const Words words = words_of(line);
  LineCommand command;
  if (words.empty()) return command;
  const auto* const form = std::ranges::find(kForms, words[0], &Form::name);
  if (form == kForms.end()) return std::unexpected(unknown_command(words[0]));
  command.kind = form->kind;
  if (const auto read = read_arguments(*form, words, command); !read) {
    return fail(fmt::format("{} {}\n{}", form->name, read.error().message, usage_of(form->kind)));
  }
  return command;
}

std::string usage_of(LineKind kind) {
  return "usage: " + synopsis(*std::ranges::find(kForms, kind, &Form::kind));
}

std::string line_help() {
  std::string text;
  for (const Form& form : kForms) text += fmt::format("{:<32}{}\n", synopsis(form), form.meaning);
  return text +
         "Commands run one after the other. RESOURCE needs no domain if only one resource "
         "matches.\n";
}

}  // namespace patchbay::cli
