#include "cli/line_completion.h"

#include <algorithm>

#include "base/text.h"
#include "cli/line_command.h"

namespace patchbay::cli {
namespace {

using Words = std::vector<std::string>;

/// The words before the cursor's word, and the cursor's word, which can be empty.
struct Typed {
  Words before;
  std::string word;
};

Typed typed_in(std::string_view text) {
  Typed typed;
  for (const char c : text) {
    if (c != ' ' && c != '\t') {
      typed.word += c;
    } else if (!typed.word.empty()) {
      typed.before.push_back(std::exchange(typed.word, {}));
    }
  }
  return typed;
}

Words beginning_with(const Words& words, const std::string& prefix) {
  Words found;
  for (const std::string& word : words) {
    if (word.starts_with(prefix)) found.push_back(word);
  }
  return found;
}

/// Without their domain, if that is unique.
Words resources(const std::vector<ListedUnits>& listed, const std::string& prefix) {
  Words whole;
  Words brief;
  for (const ListedUnits& units : listed) {
    whole.push_back(units.resource);
    brief.emplace_back(base_name(units.resource));
  }
  Words unique;
  for (const std::string& name : brief) {
    if (std::ranges::count(brief, name) == 1) unique.push_back(name);
  }
  Words found = beginning_with(unique, prefix);
  return found.empty() || unique.size() < brief.size() ? beginning_with(whole, prefix) : found;
}

Words ids_of(const std::vector<ListedUnits>& listed, const Words& before, size_t first_id) {
  Words ids;
  for (const ListedUnits& units : listed) {
    if (units.resource != before[1] && base_name(units.resource) != before[1]) continue;
    for (const std::string& id : units.ids) {
      const auto named =
          std::find(before.begin() + static_cast<ptrdiff_t>(first_id), before.end(), id);
      if (named == before.end()) ids.push_back(id);
    }
    break;
  }
  return ids;
}

Words choices_of(const Typed& typed, const std::vector<ListedUnits>& listed) {
  if (typed.before.empty()) return beginning_with(line_command_names(), typed.word);
  const LineArguments arguments = arguments_of(typed.before[0]);
  if (!arguments.resource) return {};
  if (typed.before.size() == 1) return resources(listed, typed.word);
  const size_t first_id = arguments.count ? 3 : 2;
  if (typed.before.size() < first_id) return {};
  return beginning_with(ids_of(listed, typed.before, first_id), typed.word);
}

size_t common_length(const Words& words) {
  size_t length = words.front().size();
  for (const std::string& word : words) {
    const auto differ = std::ranges::mismatch(words.front(), word).in1;
    length = std::min(length, static_cast<size_t>(differ - words.front().begin()));
  }
  return length;
}

}  // namespace

Completion complete_line(std::string_view before_cursor, const std::vector<ListedUnits>& listed) {
  const Typed typed = typed_in(before_cursor);
  Completion completion;
  completion.choices = choices_of(typed, listed);
  if (completion.choices.empty()) return completion;
  std::ranges::sort(completion.choices, natural_less);
  const std::string& first = completion.choices.front();
  const size_t known = typed.word.size();
  completion.insertion = first.substr(known, common_length(completion.choices) - known);
  if (completion.choices.size() == 1) completion.insertion += ' ';
  return completion;
}

}  // namespace patchbay::cli
