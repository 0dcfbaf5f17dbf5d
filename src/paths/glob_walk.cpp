#include "paths/glob_walk.h"

#include <fnmatch.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::paths {
namespace {

/// One component of a pattern between slashes.
struct Segment {
  std::string text;
  bool literal = true;  ///< `text` is the name itself.
};

std::vector<Segment> segments_of(const std::string& pattern) {
  std::vector<Segment> segments;
  for (const std::string_view segment : split(pattern, '/')) {
    if (segment.empty()) continue;
    const bool literal = !has_wildcard(segment);
    segments.push_back({literal ? unescape_glob(segment) : std::string(segment), literal});
  }
  return segments;
}

/// One walk, depth first, so that a truncated result has complete subtrees.
class Walk {
 public:
  Walk(const HostRoot& root, const std::string& pattern, const GlobLimits& limits)
      : root_(root),
        segments_(segments_of(pattern)),
        ends_in_slash_(pattern.ends_with('/')),
        limits_(limits) {}

  GlobFound run() {
    step("", 0, 0);
    return std::move(found_);
  }

 private:
  void step(const std::string& directory, size_t level, int links) {
    if (level == segments_.size()) return;
    const Segment& segment = segments_[level];
    if (segment.literal) return visit(directory + '/' + segment.text, level, links);
    // A listed name exists. Its status is read when the entity is read.
    const bool is_last_segment = level + 1 == segments_.size() && !ends_in_slash_;
    for (const std::string& name : names_in(directory, segment.text)) {
      if (full_) return;
      const std::string path = directory + '/' + name;
      is_last_segment ? add(path) : visit(path, level, links);
    }
  }

  void visit(const std::string& path, size_t level, int links) {
    auto status = root_.link_status(path);
    if (!status) return;
    const bool is_last = level + 1 == segments_.size();
    if (is_last && !ends_in_slash_) return add(path);
    const bool is_link = S_ISLNK(status->st_mode);
    if (is_link) status = root_.status(path);
    const bool is_directory = status && S_ISDIR(status->st_mode);
    if (!is_directory && !(is_last && is_link && limits_.all_links)) return;
    if (is_link && ++links > limits_.links) return too_many_links(path);
    if (!count()) return;
    if (is_last) {
      found_.paths.push_back(path + '/');
    } else {
      step(path, level + 1, links);
    }
  }

  void add(const std::string& path) {
    if (count()) found_.paths.push_back(path);
  }

  /// The matching names, sorted, so that a truncated result is stable.
  [[nodiscard]] std::vector<std::string> names_in(const std::string& directory,
                                                  const std::string& text) const {
    auto names = root_.names_in(directory.empty() ? "/" : directory);
    std::erase_if(names, [&](const std::string& name) {
      return ::fnmatch(text.c_str(), name.c_str(), FNM_PERIOD) != 0;
    });
    std::ranges::sort(names);
    return names;
  }

  /// False: the limit is exceeded.
  bool count() {
    if (visited_++ < limits_.paths) return true;
    full_ = true;
    found_.truncation =
        fmt::format("it matches more than {} paths: the rest is ignored; write a narrower pattern",
                    limits_.paths);
    return false;
  }

  void too_many_links(const std::string& path) {
    if (!found_.truncation.empty()) return;
    found_.truncation = fmt::format(
        "{} is behind more than {} links: the paths below it are ignored; write the path without "
        "links",
        printable(path), limits_.links);
  }

  const HostRoot& root_;
  std::vector<Segment> segments_;
  bool ends_in_slash_;
  GlobLimits limits_;
  GlobFound found_;
  size_t visited_ = 0;
  bool full_ = false;
};

}  // namespace

GlobFound walk_glob(const HostRoot& root, const std::string& pattern, const GlobLimits& limits) {
  return Walk(root, pattern, limits).run();
}

std::string escape_glob(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string unescape_glob(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    name += text[i];
  }
  return name;
}

bool has_wildcard(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '*' || text[i] == '?' || text[i] == '[') {
      return true;
    }
  }
  return false;
}

}  // namespace patchbay::paths
