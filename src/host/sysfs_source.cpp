#include "host/sysfs_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "paths/glob_walk.h"
#include "paths/resource_exhaustion.h"

namespace patchbay::host {
namespace {

/// The kernel reports the removal of a device before its directory disappears.
constexpr loop::Milliseconds kUntilGone{100};
/// Root of all sysfs patterns.
constexpr const char* kSysfs = "/sys";
/// Pause after a listing, in multiples of its duration: bounds the cost of continuous events.
constexpr int kPauses = 5;

}  // namespace

SysfsListing list_sysfs(const DeviceTree& tree, const std::vector<std::string>& patterns,
                        PatternTruncations* truncations) {
  std::map<std::string, std::vector<FoundBy>> found;
  for (const std::string& pattern : patterns) {
    paths::GlobFound walked =
        paths::walk_glob(tree.files, pattern.ends_with('/') ? pattern : pattern + '/');
    if (truncations != nullptr) (*truncations)[pattern] = std::move(walked.truncation);
    for (std::string& path : walked.paths) {
      path.pop_back();
      const auto key = tree.files.resolve(path);
      if (key && key->starts_with(tree.sysfs + '/'))
        found[*key].push_back({pattern, std::move(path)});
    }
  }
  SysfsListing listing;
  for (auto& [key, found_by] : found) listing.emplace(key, std::move(found_by));
  return listing;
}

SysfsSource::SysfsSource(loop::EventLoop& loop, DeviceTree tree, std::vector<std::string> patterns,
                         Targets& targets, Hints& hints, UnresponsiveReads& unresponsive,
                         HostListener& listener)
    : loop_(loop),
      tree_(std::move(tree)),
      patterns_(std::make_shared<const std::vector<std::string>>(std::move(patterns))),
      targets_(targets),
      hints_(hints),
      unresponsive_(unresponsive),
      listener_(listener) {}

void SysfsSource::start(loop::Task listed) {
  on_listed_ = std::move(listed);
  rescan();
}

void SysfsSource::tree_changed(bool removed) {
  list();
  if (!removed || after_removal_ || patterns_->empty()) return;
  after_removal_ = loop_.after(kUntilGone, [this] {
    after_removal_.reset();
    list();
  });
}

void SysfsSource::rescan() {
  rescan_requested_ = true;
  list();
}

void SysfsSource::list() {
  if (patterns_->empty()) {
    if (on_listed_) std::exchange(on_listed_, nullptr)();
    return;
  }
  if (listing_ || pause_) {
    again_ = true;
    return;
  }
  listing_ = true;
  const auto listing = std::make_shared<Listing>();
  loop_.work(
      [listing, tree = tree_, patterns = patterns_, before = targets_.sysfs()] {
        *listing = list_all(tree, *patterns, *before);
      },
      weak_self_.guard([listing](SysfsSource& source) { source.apply(std::move(*listing)); }));
}

SysfsSource::Listing SysfsSource::list_all(const DeviceTree& tree,
                                           const std::vector<std::string>& patterns,
                                           const SysfsListing& before) {
  const auto begin = std::chrono::steady_clock::now();
  const paths::ResourceExhaustion exhaustion;
  Listing listing;
  listing.found = list_sysfs(tree, patterns, &listing.truncations);
  for (const auto& [key, found_by] : listing.found) {
    const auto old = before.find(key);
    if (old == before.end() || old->second != found_by) listing.changed.push_back(key);
  }
  for (const auto& [key, found_by] : before) {
    if (!listing.found.contains(key)) listing.changed.push_back(key);
  }
  listing.exhaustion_errno = exhaustion.error();
  listing.took =
      std::chrono::duration_cast<loop::Milliseconds>(std::chrono::steady_clock::now() - begin);
  return listing;
}

void SysfsSource::apply(Listing listing) {
  listing_ = false;
  if (listing.exhaustion_errno != 0) {
    return unresponsive_.listing_refused(
        kSysfs, *patterns_, listing.exhaustion_errno,
        weak_self_.guard([](SysfsSource& source) { source.list(); }));
  }
  unresponsive_.listed(kSysfs);
  const bool first = static_cast<bool>(on_listed_);
  targets_.set_sysfs(std::move(listing.found));
  for (const auto& [pattern, why] : listing.truncations) listener_.pattern_truncated(pattern, why);
  if (std::exchange(rescan_requested_, false)) {
    std::vector<std::string> keys;
    for (const auto& [key, found_by] : *targets_.sysfs()) keys.push_back(key);
    hints_.scan(std::move(keys), ReadReason::found);
  }
  for (const std::string& key : listing.changed) {
    // After the first listing everything has changed; the scan reads what nothing else found.
    first ? hints_.refresh_if_known(key) : hints_.refresh(key);
  }
  if (first) std::exchange(on_listed_, nullptr)();
  pause_ = loop_.after(std::max(loop::Milliseconds(1), listing.took * kPauses), [this] {
    pause_.reset();
    if (std::exchange(again_, false)) list();
  });
}

}  // namespace patchbay::host
