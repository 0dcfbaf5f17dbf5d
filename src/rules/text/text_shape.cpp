#include "rules/text/text_shape.h"

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "rules/text/glob.h"
#include "rules/text/pattern_text.h"

namespace patchbay::rules {
namespace {

/// Adds any one character, which can have several bytes.
void add_character(TextShape& shape) {
  shape.push_back({any_byte(), false});
  shape.push_back({any_byte(), true});
}

/// Reads a regular expression from left to right, as long as its syntax is simple.
class RegexReader {
 public:
  explicit RegexReader(std::string_view text) : text_(text) {
    if (text_.starts_with('^')) text_.remove_prefix(1);
    if (text_.ends_with('$') && !text_.ends_with("\\$")) text_.remove_suffix(1);
  }

  std::optional<PatternShape> read();

 private:
  bool read_one();
  bool read_class();
  bool read_repetition(size_t start);

  std::string_view text_;
  PatternShape out_;
};

bool RegexReader::read_class() {
  const size_t end = text_.find(']', text_.starts_with("[^") ? 3 : 2);
  // Other syntax in a class is not supported.
  if (end == std::string_view::npos || text_.substr(1, end).find_first_of("[\\") < end - 1) {
    return false;
  }
  add_character(out_.shape);
  out_.literal = false;
  text_.remove_prefix(end + 1);
  return true;
}

/// Reads one character, or an escape or class. False for any other syntax.
bool RegexReader::read_one() {
  const char c = text_.front();
  if (c == '[') return read_class();
  if (std::string_view("()|*+?{}^$").find(c) != std::string_view::npos) return false;
  size_t length = 1;
  if (c == '.') {
    add_character(out_.shape);
  } else if (c != '\\') {
    add_literal(out_.shape, {&c, 1});
  } else if (text_.starts_with("\\d")) {
    out_.shape.push_back({one_of("0123456789"), false});
    out_.literal = false;
    length = 2;
  } else {
    const std::string_view next = text_.substr(1, 1);
    if (next.empty() || std::string_view(".-:/_").find(next.front()) == std::string_view::npos) {
      return false;
    }
    add_literal(out_.shape, next);
    length = 2;
  }
  text_.remove_prefix(length);
  return true;
}

/// Reads the repetition of the steps from `start` on, if there is one.
bool RegexReader::read_repetition(size_t start) {
  if (text_.empty() || std::string_view("*+?{").find(text_.front()) == std::string_view::npos) {
    return true;
  }
  const size_t length = text_.front() == '{' ? text_.find('}') + 1 : 1;
  if (length == 0) return false;
  out_.literal = false;
  if (text_.front() != '+') {
    for (size_t i = start; i < out_.shape.size(); ++i) out_.shape[i].repeated = true;
  } else {
    out_.shape.push_back({out_.shape[start].bytes, true});
  }
  text_.remove_prefix(length);
  if (text_.starts_with('?')) text_.remove_prefix(1);
  return true;
}

std::optional<PatternShape> RegexReader::read() {
  while (!text_.empty()) {
    const size_t start = out_.shape.size();
    if (!read_one() || !read_repetition(start)) return std::nullopt;
  }
  return std::move(out_);
}

}  // namespace

std::bitset<256> any_byte() { return std::bitset<256>().set(); }

std::bitset<256> one_of(std::string_view bytes) {
  std::bitset<256> out;
  for (const char c : bytes) out.set(static_cast<unsigned char>(c));
  return out;
}

void add_literal(TextShape& shape, std::string_view text) {
  for (const char c : text) shape.push_back({one_of({&c, 1}), false});
}

/// Walks the pairs of steps that can be reached together.
bool overlap(const TextShape& a, const TextShape& b) {
  std::set<std::pair<size_t, size_t>> seen;
  std::vector<std::pair<size_t, size_t>> open{{0, 0}};
  const auto reach = [&](size_t i, size_t j) {
    if (seen.emplace(i, j).second) open.emplace_back(i, j);
  };
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    if (i == a.size() && j == b.size()) return true;
    if (i < a.size() && a[i].repeated) reach(i + 1, j);
    if (j < b.size() && b[j].repeated) reach(i, j + 1);
    if (i == a.size() || j == b.size() || (a[i].bytes & b[j].bytes).none()) continue;
    reach(a[i].repeated ? i : i + 1, b[j].repeated ? j : j + 1);
  }
  return false;
}

std::optional<PatternShape> shape_of_glob(std::string_view glob) {
  const auto parsed = parse_glob(glob);
  if (!parsed) return std::nullopt;
  PatternShape out;
  if (parsed->form == Glob::Form::literal) {
    add_literal(out.shape, parsed->text);
    return out;
  }
  out.literal = false;
  const std::string bare = without_quoted(glob);
  for (size_t i = 0; i < bare.size(); ++i) {
    const char c = bare[i];
    if (c == kHidden) {
      // The escaped character, without its '\'.
      add_literal(out.shape, glob.substr(++i, 1));
    } else if (c == '*') {
      out.shape.push_back({any_byte(), true});
    } else if (c == '?' || c == '[') {
      add_character(out.shape);
      if (c == '[') i = bare.find(']', i);
    } else {
      add_literal(out.shape, {&c, 1});
    }
  }
  return out;
}

std::optional<PatternShape> shape_of_regex(std::string_view regex) {
  return RegexReader(regex).read();
}

}  // namespace patchbay::rules
