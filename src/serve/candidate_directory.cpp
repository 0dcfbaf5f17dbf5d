#include "serve/candidate_directory.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/whole_number.h"
#include "serve/endpoint_name.h"

namespace patchbay::serve {
namespace {

constexpr mode_t kOursAlone = 0700;
/// Others come and go meanwhile: each attempt that fails is one of theirs that succeeded.
constexpr int kAttempts = 100;

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(directory.c_str()), closedir);
  while (const dirent* entry = entries ? readdir(entries.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

/// The sockets that nobody listens on, but for the caller's own, and the directory if none is left.
void remove_dead(const std::string& directory, const std::string& own = {}) {
  for (const std::string& name : names_in(directory)) {
    const std::string path = directory + "/" + name;
    if (name != own && !is_anyone_listening(path)) unlink(path.c_str());
  }
  rmdir(directory.c_str());
}

}  // namespace

CandidateDirectory::CandidateDirectory(std::string kubelet_directory, const std::string& resource)
    : kubelet_directory_(std::move(kubelet_directory)),
      parent_(kubelet_directory_ + "/" + kName),
      directory_(parent_ + "/" + resource_file_name(resource)) {}

bool CandidateDirectory::is_there() const {
  struct stat status {};
  return ::stat(kubelet_directory_.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string CandidateDirectory::path_of(uint64_t number) const {
  return directory_ + "/" + std::to_string(number);
}

std::vector<uint64_t> CandidateDirectory::numbers() const {
  std::vector<uint64_t> numbers;
  for (const std::string& name : names_in(directory_)) {
    if (const auto number = parse_whole<uint64_t>(name)) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

Result<void> CandidateDirectory::make() const {
  for (const std::string& path : {parent_, directory_}) {
    struct stat status {};
    // A file in its place is removed: the name is ours.
    if (::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) unlink(path.c_str());
    if (mkdir(path.c_str(), kOursAlone) != 0 && errno != EEXIST) {
      return fail_errno("cannot make " + path, errno);
    }
  }
  return {};
}

Result<CandidateDirectory::Place> CandidateDirectory::enter(
    loop::EventLoop& loop, const std::string& id,
    const std::function<void(UniqueFd)>& on_connection) const {
  Error last;
  for (int i = 0; i < kAttempts; ++i) {
    // Who ends may have just removed the directory, or taken this for a dead socket, which it is
    // until it listens.
    const auto made = make();
    if (!made) {
      last = made.error();
      continue;
    }
    auto listener = UnixListener::open(loop, directory_ + "/." + id, on_connection);
    if (!listener) {
      last = listener.error();
      continue;
    }
    const auto others = numbers();
    const uint64_t number = others.empty() ? 1 : others.back() + 1;
    const auto moved = (*listener)->move_to(path_of(number));
    if (moved == UnixListener::Move::moved)
      return Place{.number = number, .listener = std::move(*listener)};
    if (!moved) last = moved.error();
    if (moved == UnixListener::Move::lost) last = {"somebody deletes its socket"};
  }
  return std::unexpected(last);
}

void CandidateDirectory::clean(uint64_t own) const {
  remove_dead(directory_, std::to_string(own));
  rmdir(parent_.c_str());
}

void CandidateDirectory::clean_all(const std::string& kubelet_directory) {
  const std::string parent = kubelet_directory + "/" + kName;
  for (const std::string& resource : names_in(parent)) remove_dead(parent + "/" + resource);
  rmdir(parent.c_str());
}

bool CandidateDirectory::anybody_but(const std::string& kubelet_directory,
                                     const std::set<std::string>& ours) {
  const std::string parent = kubelet_directory + "/" + kName + "/";
  for (const std::string& resource : names_in(parent)) {
    for (const std::string& name : names_in(parent + resource)) {
      const std::string path = parent + resource + "/" + name;
      if (!ours.contains(path) && is_anyone_listening(path)) return true;
    }
  }
  return false;
}

}  // namespace patchbay::serve
