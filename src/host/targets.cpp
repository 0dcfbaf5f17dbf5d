#include "host/targets.h"

#include <algorithm>
#include <utility>

namespace patchbay::host {
namespace {

std::vector<paths::GlobPattern> parse_all(const std::vector<std::string>& patterns,
                                          const paths::HostRoot& root) {
  std::vector<paths::GlobPattern> parsed;
  for (const std::string& pattern : patterns) parsed.emplace_back(pattern, root);
  return parsed;
}

}  // namespace

Targets::Targets(const std::vector<std::string>& glob_patterns, const paths::HostRoot& root)
    : globs_(
          std::make_shared<const std::vector<paths::GlobPattern>>(parse_all(glob_patterns, root))) {
}

Target Targets::target(const std::string& key) {
  Target target{.key = key};
  if (const auto found = sysfs_->find(key); found != sysfs_->end()) target.found_by = found->second;
  target.by_sysfs = !target.found_by.empty();
  const FoundByList by_glob = found_by_globs(key);
  target.by_glob = !by_glob.empty();
  target.found_by = target.by_sysfs ? target.found_by.with(by_glob) : by_glob;
  return target;
}

std::vector<std::string> Targets::patterns_of(const std::string& key) {
  std::vector<std::string> patterns;
  for (const FoundBy& found : target(key).found_by) patterns.push_back(found.pattern);
  return patterns;
}

void Targets::limit_glob(size_t glob, std::vector<std::string> matches) {
  limited_globs_[glob] = std::move(matches);
}

bool Targets::unlimited_glob_matches(const std::string& path) const {
  for (size_t i = 0; i < globs_->size(); ++i) {
    if (!limited_globs_.contains(i) && (*globs_)[i].matches(path)) return true;
  }
  return false;
}

FoundByList Targets::found_by_globs(const std::string& path) {
  std::vector<size_t> finding;
  for (size_t i = 0; i < globs_->size(); ++i) {
    if (!is_beyond_limit(i, path) && (*globs_)[i].matches(path)) finding.push_back(i);
  }
  const auto [list, is_new] = lists_.try_emplace(std::move(finding));
  if (is_new) {
    std::vector<FoundBy> all;
    for (const size_t i : list->first) all.push_back({.pattern = (*globs_)[i].written()});
    list->second = FoundByList(std::move(all));
  }
  return list->second;
}

bool Targets::is_beyond_limit(size_t glob, const std::string& path) const {
  const auto limited = limited_globs_.find(glob);
  return limited != limited_globs_.end() && !std::ranges::binary_search(limited->second, path);
}

}  // namespace patchbay::host
