#include "specs/unit_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "base/log.h"
#include "specs/cdi_spec.h"
#include "specs/device_info.h"

namespace patchbay::specs {
namespace {

bool writes_cdi(const rules::ResourcePlan& resource) {
  return std::ranges::any_of(resource.groups, &rules::GroupPlan::writes_cdi);
}

Result<std::vector<SpecFile>> files_of(const Places& places, const inventory::Snapshot& snapshot) {
  std::vector<SpecFile> files;
  const auto& resource = *snapshot.resource;
  if (writes_cdi(resource)) {
    const HostPaths host{
        .exists = [&](const std::string& path) { return places.root.exists(path); },
        .resolve = [&](const std::string& path) { return places.root.resolve(path); }};
    auto spec = cdi_spec(snapshot, host);
    if (!spec) return std::unexpected(std::move(spec).error());
    if (*spec) {
      files.push_back(
          {places.cdi_directory + '/' + cdi_file_name(resource.name), *std::move(*spec)});
    }
  }
  if (resource.writes_device_info) {
    for (DeviceInfo& info : device_infos(snapshot)) {
      files.push_back({places.device_info_directory + '/' + info.name, std::move(info.content)});
    }
  }
  return files;
}

/// Where the files of the units are, or would be.
FilePaths paths_of(const Places& places, const inventory::Snapshot& snapshot) {
  FilePaths paths;
  const auto& resource = *snapshot.resource;
  if (writes_cdi(resource)) {
    paths.insert(places.cdi_directory + '/' + cdi_file_name(resource.name));
  }
  if (resource.writes_device_info) {
    for (const DeviceInfo& info : device_infos(snapshot)) {
      paths.insert(places.device_info_directory + '/' + info.name);
    }
  }
  return paths;
}

/// What cannot be removed now is removed at the next start.
void remove_or_leave(const std::string& path) {
  if (const auto gone = remove_spec_file(path); !gone) {
    log::debug("a file of a unit stays", {{"reason", gone.error().message}});
  }
}

}  // namespace

bool has_unit_files(const rules::ResourcePlan& resource) {
  return resource.writes_device_info || writes_cdi(resource);
}

Result<void> UnitFileStore::write(const inventory::Snapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  if (alone_) take_over();
  FilePaths& written = written_[snapshot.resource->name];
  const auto files = files_of(places_, snapshot);
  if (!files) return std::unexpected(files.error());
  FilePaths wanted;
  for (const SpecFile& file : *files) {
    if (auto done = write_spec_file(file); !done) return done;
    written.insert(file.path);
    wanted.insert(file.path);
  }
  FilePaths old;
  std::ranges::set_difference(written, wanted, std::inserter(old, old.end()));
  for (const std::string& path : old) {
    if (auto gone = remove_spec_file(path); !gone) return gone;
    written.erase(path);
  }
  return {};
}

void UnitFileStore::expect(std::vector<inventory::SnapshotPtr> lists) {
  const std::lock_guard lock(mutex_);
  expected_ = std::move(lists);
}

void UnitFileStore::nobody_else_writes() {
  const std::lock_guard lock(mutex_);
  alone_ = true;
}

Result<size_t> UnitFileStore::remove_old() {
  const std::lock_guard lock(mutex_);
  take_over();
  return *old_removed_;
}

void UnitFileStore::take_over() {
  if (old_removed_) return;
  for (const inventory::SnapshotPtr& list : std::exchange(expected_, {})) {
    if (has_unit_files(*list->resource)) written_[list->resource->name] = paths_of(places_, *list);
  }
  FilePaths keep;
  for (const auto& [resource, written] : written_) keep.insert(written.begin(), written.end());
  auto specs = remove_leftovers(
      places_.cdi_directory, keep,
      [](std::string_view name, const std::string&) { return is_cdi_file_name(name); });
  auto infos = remove_leftovers(
      places_.device_info_directory, keep, [](std::string_view name, const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        return is_our_device_info(name, {std::istreambuf_iterator<char>(in), {}});
      });
  if (specs && infos) {
    old_removed_ = *specs + *infos;
  } else {
    old_removed_ = specs ? std::move(infos) : std::move(specs);
  }
}

void UnitFileStore::remove_device_infos(const std::string& resource) {
  const std::lock_guard lock(mutex_);
  const std::string begin = places_.device_info_directory + '/';
  for (const std::string& path : written_[resource]) {
    if (path.starts_with(begin)) remove_or_leave(path);
  }
}

void UnitFileStore::remove_all(const std::string& resource) {
  const std::lock_guard lock(mutex_);
  for (const std::string& path : written_[resource]) remove_or_leave(path);
  written_.erase(resource);
}

}  // namespace patchbay::specs
