#include "plugin/candidate_directory.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/whole_number.h"
#include "rpc/endpoint_name.h"

namespace patchbay::plugin {
namespace {

constexpr mode_t kDirectoryMode = 0700;
/// Other instances start and end meanwhile: each failed attempt means that one of them succeeded.
constexpr int kAttempts = 100;

std::vector<std::string> list_names(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(directory.c_str()), closedir);
  while (const dirent* entry = entries ? readdir(entries.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

/// Deletes sockets without a listener, except the caller's own, and the directory if it is empty
/// then.
void remove_dead_sockets(const std::string& directory, const std::string& own = {}) {
  for (const std::string& name : list_names(directory)) {
    const std::string path = directory + "/" + name;
    if (name != own && !rpc::is_anyone_listening(path)) unlink(path.c_str());
  }
  rmdir(directory.c_str());
}

}  // namespace

CandidateDirectory::CandidateDirectory(std::string kubelet_directory, const std::string& resource)
    : kubelet_directory_(std::move(kubelet_directory)),
      parent_(kubelet_directory_ + "/" + kName),
      directory_(parent_ + "/" + rpc::resource_file_name(resource)) {}

bool CandidateDirectory::exists() const {
  struct stat status {};
  return ::stat(kubelet_directory_.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string CandidateDirectory::path_of(uint64_t number) const {
  return directory_ + "/" + std::to_string(number);
}

std::vector<uint64_t> CandidateDirectory::numbers() const {
  std::vector<uint64_t> numbers;
  for (const std::string& name : list_names(directory_)) {
    if (const auto number = parse_whole<uint64_t>(name)) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

Result<void> CandidateDirectory::make() const {
  for (const std::string& path : {parent_, directory_}) {
    struct stat status {};
    // Deletes a file in its place: the name is ours.
    if (::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) unlink(path.c_str());
    if (mkdir(path.c_str(), kDirectoryMode) != 0 && errno != EEXIST) {
      return fail_errno("cannot make " + path, errno);
    }
  }
  return {};
}

Result<CandidateDirectory::Candidate> CandidateDirectory::take_number(
    loop::EventLoop& loop, const std::string& id,
    const std::function<void(UniqueFd)>& on_connection) const {
  Error last;
  for (int i = 0; i < kAttempts; ++i) {
    // An ending instance may have just deleted the directory, or this socket: before it listens it
    // looks stale.
    const auto made = make();
    if (!made) {
      last = made.error();
      continue;
    }
    auto listener = rpc::UnixListener::open(loop, directory_ + "/." + id, on_connection);
    if (!listener) {
      last = listener.error();
      continue;
    }
    const auto others = numbers();
    const uint64_t number = others.empty() ? 1 : others.back() + 1;
    const auto moved = (*listener)->move_to(path_of(number));
    if (moved == rpc::UnixListener::MoveResult::moved)
      return Candidate{.number = number, .listener = std::move(*listener)};
    if (!moved) last = moved.error();
    if (moved == rpc::UnixListener::MoveResult::lost) last = {"another process deletes its socket"};
  }
  return std::unexpected(last);
}

void CandidateDirectory::remove_stale(uint64_t own) const {
  remove_dead_sockets(directory_, std::to_string(own));
  rmdir(parent_.c_str());
}

void CandidateDirectory::remove_all_stale(const std::string& kubelet_directory) {
  const std::string parent = kubelet_directory + "/" + kName;
  for (const std::string& resource : list_names(parent))
    remove_dead_sockets(parent + "/" + resource);
  rmdir(parent.c_str());
}

bool CandidateDirectory::any_listener_except(const std::string& kubelet_directory,
                                             const std::set<std::string>& ours) {
  const std::string parent = kubelet_directory + "/" + kName + "/";
  for (const std::string& resource : list_names(parent)) {
    for (const std::string& name : list_names(parent + resource)) {
      const std::string path = parent + resource + "/" + name;
      if (!ours.contains(path) && rpc::is_anyone_listening(path)) return true;
    }
  }
  return false;
}

}  // namespace patchbay::plugin
