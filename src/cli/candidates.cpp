#include "cli/candidates.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "base/text.h"
#include "cli/command_table.h"
#include "cli/commands/config_input.h"
#include "cli/commands/status_client.h"
#include "cli/commands/status_fields.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"
#include "inventory/snapshot.h"

namespace patchbay::cli {
namespace {

using Option = OptionParser::Option;
using Words = std::vector<std::string>;

constexpr unsigned kTimeoutSeconds = 5;
constexpr size_t kMaxShares = 100'000;

/// The candidates for the last word of a command line.
class Candidates {
 public:
  explicit Candidates(std::string word) : word_(std::move(word)) {}

  /// Adds the candidate if it completes the word. The shells do not quote it, so a word with other
  /// characters, which another daemon can send, is skipped.
  void add(const std::string& word, std::string_view meaning = {}) {
    const auto is_plain = [](char c) {
      return is_alphanumeric(c) || std::string_view("._:/=-").contains(c);
    };
    if (!word.starts_with(word_) || !std::ranges::all_of(word, is_plain)) return;
    text_ += word;
    if (!meaning.empty()) text_ += "\t" + std::string(meaning);
    text_ += '\n';
  }

  void add_paths(OptionParser::Paths paths) { paths_ = std::max(paths_, paths); }

  void print() const {
    constexpr std::array<std::string_view, 3> kPaths{":none", ":directories", ":files"};
    cli::print(text_ + std::string(kPaths.at(static_cast<size_t>(paths_))) + "\n");
  }

 private:
  std::string word_;
  std::string text_;
  OptionParser::Paths paths_ = OptionParser::Paths::none;
};

/// The first sentence of a text.
std::string_view first_sentence(std::string_view text) {
  text = text.substr(0, text.find(". "));
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

void add_commands(Candidates& candidates) {
  for (const Command& command : commands()) {
    candidates.add(command.name, first_sentence(command.summary));
  }
}

void add_option_names(const OptionParser& parser, const std::string& word, Candidates& candidates) {
  for (const Option& option : parser.options()) {
    if (option.is_argument()) continue;
    for (const std::string_view name : option.each_name()) {
      candidates.add(std::string(name), first_sentence(option.meaning));
    }
    const std::string assignment = std::string(option.each_name().back()) + "=";
    if (!word.starts_with(assignment)) continue;
    candidates.add_paths(option.paths);
    for (const std::string& value : option.words) candidates.add(assignment + value);
  }
}

/// `before`: the words between the command and `word`.
void add_words_of(const Command& command, const Words& before, const std::string& word,
                  Candidates& candidates) {
  OptionParser parser;
  const auto unused = command.declare(parser);  // It owns the targets of the options.
  const OptionParser::Next next = parser.next(before);
  if (next.option_name && word.starts_with('-')) {
    return add_option_names(parser, word, candidates);
  }
  for (const Option* option : next.values) {
    candidates.add_paths(option->paths);
    for (const std::string& value : option->words) candidates.add(value);
    if (!option->offer) continue;
    for (const std::string& value : option->offer(word)) {
      if (std::ranges::find(before, value) == before.end()) candidates.add(value);
    }
  }
}

void add_words(Words before, const std::string& word, Candidates& candidates) {
  if (before.empty()) {
    add_commands(candidates);
    candidates.add("help", "Print the help of a command");
    if (!word.starts_with('-')) return;
    for (const char* name : {"-h", "--help"}) candidates.add(name, "Print this help and exit");
    return candidates.add("--version", "Print the version and exit");
  }
  const std::string name = before.front();
  before.erase(before.begin());
  if (name == "help" && before.empty()) return add_commands(candidates);
  const auto all = commands();
  const auto command = std::ranges::find(all, name, &Command::name);
  if (command != all.end()) add_words_of(*command, before, word, candidates);
}

Json status_of(const StatusClientOptions& daemon, const std::string& target) {
  const auto address = address_of(daemon);
  const auto body = address ? ask_daemon(*address, target) : std::unexpected(address.error());
  return body ? Json::parse(*body, nullptr, false) : Json();
}

Words without_domains(const Words& names, const std::string& beginning) {
  Words words;
  for (const std::string& name : names) {
    const auto same = [&](const std::string& other) { return base_name(other) == base_name(name); };
    const bool unique = std::ranges::count_if(names, same) == 1;
    words.push_back(unique ? std::string(base_name(name)) : name);
  }
  const auto begins = [&](const std::string& word) { return word.starts_with(beginning); };
  return std::ranges::any_of(words, begins) ? words : names;
}

}  // namespace

int complete(const Words& words) {
  signal(SIGALRM, SIG_DFL);
  alarm(kTimeoutSeconds);
  const std::string word = words.empty() ? "" : words.back();
  Candidates candidates(word);
  add_words(words.empty() ? Words() : Words(words.begin(), std::prev(words.end())), word,
            candidates);
  candidates.print();
  return kOk;
}

Words resource_names(const ConfigOptions& config, const StatusClientOptions& daemon,
                     const std::string& beginning) {
  Words names;
  if (config.paths.empty()) {
    const Json status = status_of(daemon, "/status?units=false&refused=false");
    for (const Json& resource : field_at(status, "resources")) {
      names.push_back(text_at(resource, "name"));
    }
  } else if (std::ranges::find(config.paths, "-") == config.paths.end()) {
    const auto read = read_configuration(config);
    if (!read || read->plan == nullptr) return {};
    for (const auto& resource : read->plan->resources) names.push_back(resource->name);
  }
  return without_domains(names, beginning);
}

Words unit_ids(const StatusClientOptions& daemon) {
  Words ids;
  const Json status = status_of(daemon, "/status?refused=false");
  for (const Json& resource : field_at(status, "resources")) {
    for (const Json& unit : field_at(resource, "units")) ids.push_back(text_at(unit, "id"));
  }
  return ids;
}

Words device_ids(const StatusClientOptions& daemon, const std::string& resource) {
  Words ids;
  const Json status = status_of(daemon, "/status?refused=false");
  for (const Json& one : field_at(status, "resources")) {
    const std::string name = text_at(one, "name");
    if (name != resource && base_name(name) != resource) continue;
    for (const Json& json : field_at(one, "units")) {
      inventory::Unit unit;
      unit.id = text_at(json, "id");
      unit.shares = std::min<size_t>(number_at(json, "shares"), kMaxShares);
      for (size_t share = 0; share < unit.listed(); ++share) ids.push_back(unit.listed_id(share));
    }
  }
  return ids;
}

}  // namespace patchbay::cli
