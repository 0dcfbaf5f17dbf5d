#include "driver/claim_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "paths/host_root.h"
#include "specs/spec_directory.h"

namespace patchbay::driver {
namespace {

constexpr std::string_view kRecordSuffix = ".json";
constexpr size_t kMaxPathShown = 500;
/// Far more than a record of 32 devices, the limit of Kubernetes, can need.
constexpr size_t kMaxRecordBytes = size_t{16} << 20U;

Result<ClaimRecord> read_record_file(const std::string& path, const std::string& uid) {
  errno = 0;
  const auto text = paths::HostRoot().read_file(path, kMaxRecordBytes);
  if (!text && errno != 0) return fail_errno("cannot read it", errno);
  if (!text) return fail("no regular file, or too large");
  auto record = read_claim_record(*text);
  if (record && record->uid != uid)
    return fail("the file has the uid " + printable(record->uid, kMaxShown));
  return record;
}

/// Writes the entries of a directory to the disk.
Result<void> sync_directory(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd && ::fsync(fd.get()) == 0) return {};
  return fail_errno("cannot sync the directory " + printable(path, kMaxPathShown), errno);
}

/// Returns the uids of all files in the directory.
Result<std::vector<std::string>> uids_in(const std::string& directory) {
  std::vector<std::string> uids;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.ends_with(kRecordSuffix)) continue;
    const std::string uid = name.substr(0, name.size() - kRecordSuffix.size());
    if (is_claim_uid(uid)) uids.push_back(uid);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail_errno("cannot read the directory " + printable(directory, kMaxPathShown),
                      error.value());
  }
  return uids;
}

}  // namespace

std::string ClaimStore::path_of(const std::string& uid) const {
  assert(is_claim_uid(uid));
  return directory_ + '/' + uid + std::string(kRecordSuffix);
}

Result<StoredClaims> ClaimStore::read_all(const std::string& cdi_directory) const {
  const auto none = [](std::string_view, const std::string&) { return false; };
  if (const auto cleaned = specs::remove_leftovers(directory_, {}, none); !cleaned) {
    log::debug("a temporary file cannot be removed", {{"reason", cleaned.error().message}});
  }
  const auto uids = uids_in(directory_);
  if (!uids) return std::unexpected(uids.error());
  StoredClaims stored;
  for (const std::string& uid : *uids) {
    const std::string path = path_of(uid);
    auto record = read_record_file(path, uid);
    if (record) {
      stored.records.emplace(uid, *std::move(record));
      continue;
    }
    const std::string subject = "state of a ResourceClaim " + printable(path, kMaxPathShown);
    if (record.error().number == kNewerFormat) return fail(subject, record.error());
    stored.unreadable.emplace(
        uid, UnreadableRecord{.error = {fmt::format("{}: {}; to discard it, delete the Pod of that "
                                                    "ResourceClaim, or run rm {}",
                                                    subject, record.error().message,
                                                    printable(path, kMaxPathShown))},
                              .spec = read_claim_spec(cdi_directory, uid)});
  }
  return stored;
}

Result<void> ClaimStore::write(const ClaimRecord& record) const {
  if (!is_claim_uid(record.uid)) {
    return fail(fmt::format("{}: invalid uid '{}'", claim_text(record.name_space, record.name),
                            printable(record.uid, kMaxShown)));
  }
  auto written = specs::write_spec_file({path_of(record.uid), to_text(record)});
  if (!written) return written;
  return sync_directory(directory_);
}

Result<void> ClaimStore::remove(const std::string& uid) const {
  auto removed = specs::remove_spec_file(path_of(uid));
  if (!removed) return removed;
  const auto synced = sync_directory(directory_);
  if (!synced && synced.error().number != ENOENT) return synced;
  return {};
}

}  // namespace patchbay::driver
