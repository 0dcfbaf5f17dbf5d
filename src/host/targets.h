#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/facts/fact_reader.h"
#include "model/facts.h"
#include "paths/glob_pattern.h"
#include "paths/host_root.h"

namespace patchbay::host {

/// By canonical path of the directory: the patterns and paths that found it.
using SysfsListing = std::map<std::string, FoundByList>;

/// Knows which patterns find an entity. GlobSource and SysfsSource store the results of their
/// listings here. Refresher uses them before each read. Loop thread.
class Targets {
 public:
  Targets(const std::vector<std::string>& glob_patterns, const paths::HostRoot& root);

  /// The input for a read of the entity, with the patterns that find it.
  [[nodiscard]] Target target(const std::string& key);
  /// The patterns that find the entity.
  [[nodiscard]] std::vector<std::string> patterns_of(const std::string& key);

  /// The `glob:` patterns. The list never changes, so work threads may share it.
  [[nodiscard]] const std::shared_ptr<const std::vector<paths::GlobPattern>>& globs() const {
    return globs_;
  }
  /// Records that this `glob:` pattern exceeds its limit and finds only `matches`, sorted.
  void limit_glob(size_t glob, std::vector<std::string> matches);
  /// Records that the pattern does not exceed its limit.
  void unlimit_glob(size_t glob) { limited_globs_.erase(glob); }
  /// Whether a pattern that does not exceed its limit matches the path.
  [[nodiscard]] bool unlimited_glob_matches(const std::string& path) const;

  /// The result of the last listing of all `sysfs:` patterns; empty before the first.
  [[nodiscard]] const std::shared_ptr<const SysfsListing>& sysfs() const { return sysfs_; }
  void set_sysfs(SysfsListing found) {
    sysfs_ = std::make_shared<const SysfsListing>(std::move(found));
  }
  [[nodiscard]] bool sysfs_finds(const std::string& key) const { return sysfs_->contains(key); }

 private:
  [[nodiscard]] FoundByList found_by_globs(const std::string& path);
  [[nodiscard]] bool is_beyond_limit(size_t glob, const std::string& path) const;

  std::shared_ptr<const std::vector<paths::GlobPattern>> globs_;
  /// Matches within the limit, sorted, of each pattern that exceeds its limit.
  std::map<size_t, std::vector<std::string>> limited_globs_;
  /// Results of found_by_globs(), by indexes of patterns: most paths share one result.
  std::map<std::vector<size_t>, FoundByList> lists_;
  std::shared_ptr<const SysfsListing> sysfs_ = std::make_shared<const SysfsListing>();
};

}  // namespace patchbay::host
