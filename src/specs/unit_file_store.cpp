#include "specs/unit_file_store.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "specs/cdi_spec.h"
#include "specs/device_info.h"

namespace patchbay::specs {
namespace {

bool writes_cdi(const rules::ResourcePlan& resource) {
  return std::ranges::any_of(resource.groups, &rules::GroupPlan::writes_cdi);
}

struct Files {
  std::vector<SpecFile> specs;
  std::vector<SpecFile> infos;
};

/// Reads paths of the units.
Result<Files> files_of(const UnitFileLocations& locations, const inventory::Snapshot& snapshot,
                       CurrentPath& current_path) {
  Files files;
  const auto& resource = *snapshot.resource;
  if (writes_cdi(resource)) {
    auto spec = cdi_spec(snapshot, [&](const std::string& path) {
      current_path.set(path);
      return locations.root.resolve(path);
    });
    if (!spec) return std::unexpected(std::move(spec).error());
    if (*spec) {
      files.specs.push_back(
          {locations.cdi_directory + '/' + cdi_file_name(resource.name), *std::move(*spec)});
    }
  }
  if (resource.writes_device_info) {
    for (DeviceInfo& info : device_infos(snapshot)) {
      files.infos.push_back(
          {locations.device_info_directory + '/' + info.name, std::move(info.content)});
    }
  }
  return files;
}

/// Writes the files of the resource, if it has or had files in that directory.
Result<void> write_to(SpecDirectory& directory, const inventory::Snapshot& snapshot, bool has_files,
                      const std::vector<SpecFile>& files, CurrentPath& current_path) {
  using Obsolete = SpecDirectory::Obsolete;
  const std::string& resource = snapshot.resource->name;
  if (!has_files && !directory.may_have(resource)) return {};
  current_path.set(directory.path());
  // A unit that is not known yet may be in use by a container.
  const bool may_be_more = has_files && !snapshot.complete;
  return directory.write(resource, files, may_be_more ? Obsolete::keep : Obsolete::remove);
}

bool is_our_info_file(std::string_view name, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return is_our_device_info(name, {std::istreambuf_iterator<char>(in), {}});
}

}  // namespace

bool has_unit_files(const rules::ResourcePlan& resource) {
  return resource.writes_device_info || writes_cdi(resource);
}

UnitFileStore::UnitFileStore(UnitFileLocations locations)
    : locations_(std::move(locations)),
      cdi_(locations_.cdi_directory,
           [](std::string_view name, const std::string& /*path*/) {
             return is_cdi_file_name(name);
           }),
      device_infos_(locations_.device_info_directory, is_our_info_file) {}

Result<void> UnitFileStore::write(const inventory::Snapshot& snapshot, CurrentPath& current_path) {
  const auto files = files_of(locations_, snapshot, current_path);
  if (!files) return std::unexpected(files.error());
  const rules::ResourcePlan& resource = *snapshot.resource;
  for (SpecDirectory* directory : {&cdi_, &device_infos_}) {
    current_path.set(directory->path());
    directory->remove_old_if_sole_writer();
  }
  auto done = write_to(cdi_, snapshot, writes_cdi(resource), files->specs, current_path);
  if (!done) return done;
  return write_to(device_infos_, snapshot, resource.writes_device_info, files->infos, current_path);
}

void UnitFileStore::expect(const std::vector<inventory::SnapshotPtr>& lists) {
  for (const inventory::SnapshotPtr& list : lists) {
    const auto& resource = *list->resource;
    if (writes_cdi(resource)) {
      cdi_.expect(resource.name, {locations_.cdi_directory + '/' + cdi_file_name(resource.name)});
    }
    if (!resource.writes_device_info) continue;
    if (!list->complete) device_infos_.expect_all(resource.name, device_info_prefix(resource.name));
    FilePaths paths;
    for (const DeviceInfo& info : device_infos(*list)) {
      paths.insert(locations_.device_info_directory + '/' + info.name);
    }
    device_infos_.expect(resource.name, std::move(paths));
  }
}

void UnitFileStore::set_sole_writer() {
  cdi_.set_sole_writer();
  device_infos_.set_sole_writer();
}

Result<size_t> UnitFileStore::remove_old(CurrentPath& current_path) {
  current_path.set(cdi_.path());
  const auto specs = cdi_.remove_old();
  current_path.set(device_infos_.path());
  auto infos = device_infos_.remove_old();
  if (!specs || !infos) return specs ? infos : specs;
  return *specs + *infos;
}

void UnitFileStore::remove_all(const std::string& resource) {
  cdi_.remove(resource);
  device_infos_.remove(resource);
}

}  // namespace patchbay::specs
