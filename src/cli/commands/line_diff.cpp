#include "cli/commands/line_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::cli {
namespace {

constexpr size_t kContext = 3;

using Lines = std::vector<std::string_view>;

/// `length` equal lines, from index `before` in the old text and `after` in the new one.
struct EqualLines {
  size_t before = 0;
  size_t after = 0;
  size_t length = 0;
};

Lines lines_of(std::string_view text) {
  Lines lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();  // After the last new line.
  return lines;
}

/// The lines that occur once in each text, as indexes in both, in the order of `before`.
std::vector<EqualLines> unique_lines(const Lines& before, const Lines& after) {
  struct Occurrences {
    size_t before = 0;
    size_t after = 0;
    size_t index_after = 0;
  };
  std::unordered_map<std::string_view, Occurrences> found;
  for (const auto line : before) ++found[line].before;
  for (size_t i = 0; i < after.size(); ++i) {
    Occurrences& line = found[after[i]];
    ++line.after;
    line.index_after = i;
  }
  std::vector<EqualLines> unique;
  for (size_t i = 0; i < before.size(); ++i) {
    const Occurrences& line = found.at(before[i]);
    if (line.before == 1 && line.after == 1) {
      unique.push_back({.before = i, .after = line.index_after, .length = 1});
    }
  }
  return unique;
}

/// The longest selection whose `after` increases, too (patience sorting).
std::vector<EqualLines> longest_increasing(const std::vector<EqualLines>& all) {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> ends;  // By length - 1: the selection of that length with the least end.
  std::vector<size_t> previous(all.size(), kNone);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto place = std::ranges::lower_bound(ends, all[i].after, {},
                                                [&](size_t end) { return all[end].after; });
    if (place != ends.begin()) previous[i] = *(place - 1);
    if (place == ends.end()) {
      ends.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<EqualLines> longest;
  for (size_t i = ends.empty() ? kNone : ends.back(); i != kNone; i = previous[i]) {
    longest.push_back(all[i]);
  }
  std::ranges::reverse(longest);
  return longest;
}

/// The equal lines in order. Each block is extended in both directions. The last block is the end
/// of both texts, and can be empty.
std::vector<EqualLines> equal_lines(const Lines& before, const Lines& after) {
  std::vector<EqualLines> anchors = longest_increasing(unique_lines(before, after));
  anchors.insert(anchors.begin(), EqualLines{});  // The begin of both texts.
  anchors.push_back({.before = before.size(), .after = after.size()});
  std::vector<EqualLines> blocks;
  size_t done_before = 0;
  size_t done_after = 0;
  for (EqualLines block : anchors) {
    if (block.before < done_before) continue;  // In the previous block.
    while (block.before > done_before && block.after > done_after &&
           before[block.before - 1] == after[block.after - 1]) {
      --block.before;
      --block.after;
      ++block.length;
    }
    const auto [end_before, end_after] = std::mismatch(
        before.begin() + static_cast<std::ptrdiff_t>(block.before + block.length), before.end(),
        after.begin() + static_cast<std::ptrdiff_t>(block.after + block.length), after.end());
    done_before = static_cast<size_t>(end_before - before.begin());
    done_after = static_cast<size_t>(end_after - after.begin());
    block.length = done_before - block.before;
    blocks.push_back(block);
    if (done_before == before.size() && done_after == after.size()) break;
  }
  return blocks;
}

/// One hunk while it is written.
class Hunk {
 public:
  Hunk(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  /// Begins it at these indexes.
  void start(size_t before, size_t after) {
    text_.clear();
    first_before_ = next_before_ = before;
    first_after_ = next_after_ = after;
    changed_ = false;
  }
  void add_equal(size_t count) {
    for (; count > 0; --count) {
      add(' ', before_[next_before_++]);
      ++next_after_;
    }
  }
  /// Adds the lines up to these indexes as removed and added.
  void add_changes(size_t before, size_t after) {
    changed_ = changed_ || next_before_ < before || next_after_ < after;
    while (next_before_ < before) add('-', before_[next_before_++]);
    while (next_after_ < after) add('+', after_[next_after_++]);
  }
  /// Empty without a change.
  [[nodiscard]] std::string text() const {
    if (!changed_) return "";
    return fmt::format("@@ -{} +{} @@\n{}", range(first_before_, next_before_),
                       range(first_after_, next_after_), text_);
  }

 private:
  void add(char mark, std::string_view line) {
    text_ += mark;
    text_ += line;
    text_ += '\n';
  }
  /// An empty range has the number of the line before it.
  static std::string range(size_t first, size_t end) {
    return fmt::format("{},{}", first < end ? first + 1 : first, end - first);
  }

  const Lines& before_;
  const Lines& after_;
  std::string text_;
  size_t first_before_ = 0;
  size_t first_after_ = 0;
  size_t next_before_ = 0;
  size_t next_after_ = 0;
  bool changed_ = false;
};

}  // namespace

std::string unified_diff(std::string_view before_text, std::string_view after_text) {
  const Lines before = lines_of(before_text);
  const Lines after = lines_of(after_text);
  const auto blocks = equal_lines(before, after);
  std::string text;
  Hunk hunk(before, after);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const EqualLines& block = blocks[i];
    hunk.add_changes(block.before, block.after);
    const bool first = i == 0;
    const bool last = i + 1 == blocks.size();
    if (!first && !last && block.length <= 2 * kContext) {
      hunk.add_equal(block.length);
      continue;
    }
    if (!first) {
      hunk.add_equal(std::min(block.length, kContext));
      text += hunk.text();
    }
    const size_t skipped = block.length - std::min(block.length, kContext);
    hunk.start(block.before + skipped, block.after + skipped);
    hunk.add_equal(block.length - skipped);
  }
  return text;
}

}  // namespace patchbay::cli
