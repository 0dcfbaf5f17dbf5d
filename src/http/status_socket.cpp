#include "http/status_socket.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/scoped_signal_block.h"
#include "http/listening.h"

namespace patchbay::http {
namespace {

/// Maximum wait for the removal: its file system may hang.
constexpr std::chrono::milliseconds kRemovalTimeout{200};

/// Identifies a file. Inode numbers are reused, so it includes the time.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  time_t seconds = 0;
  long nanoseconds = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{.device = status.st_dev,
                      .inode = status.st_ino,
                      .seconds = status.st_mtim.tv_sec,
                      .nanoseconds = status.st_mtim.tv_nsec};
}

}  // namespace

/// Shared with the thread: a hung one keeps it alive.
struct StatusSocket::Shared {
  Shared(std::string at, std::chrono::milliseconds again, Callbacks what)
      : path(std::move(at)), check_again(again), callbacks(std::move(what)) {}

  void run();
  void check();

  const std::string path;
  const std::chrono::milliseconds check_again;
  const Callbacks callbacks;
  std::optional<FileIdentity> own_file;  ///< For the thread only.
  std::mutex mutex;
  std::condition_variable changed;
  bool ending = false;  // Guarded by mutex, as the next.
  bool ended = false;
};

void StatusSocket::Shared::run() {
  pthread_setname_np(pthread_self(), "status");
  std::unique_lock lock(mutex);
  while (!ending) {
    lock.unlock();
    check();
    lock.lock();
    changed.wait_for(lock, check_again, [this] { return ending; });
  }
  lock.unlock();
  if (own_file && identity_of(path) == own_file) unlink(path.c_str());
  lock.lock();
  ended = true;
  changed.notify_all();
}

void StatusSocket::Shared::check() {
  if (own_file && identity_of(path) == own_file) return;
  own_file.reset();
  auto socket = listen_unix(path);
  if (socket) own_file = identity_of(path);
  const std::lock_guard lock(mutex);
  if (ending) return;
  if (socket) {
    callbacks.made(*std::move(socket));
  } else {
    callbacks.refused(socket.error());
  }
}

StatusSocket::StatusSocket(std::string path, std::chrono::milliseconds check_again,
                           Callbacks callbacks)
    : shared_(std::make_shared<Shared>(std::move(path), check_again, std::move(callbacks))) {
  // Signals are for the loop's thread: a hung thread could not handle one.
  const ScopedSignalBlock signal_block;
  try {
    std::thread([shared = shared_] { shared->run(); }).detach();
  } catch (const std::system_error& error) {
    const std::lock_guard lock(shared_->mutex);
    shared_->ended = true;
    shared_->callbacks.refused(
        {std::string("cannot start the thread of the status socket: ") + error.what()});
  }
}

StatusSocket::~StatusSocket() {
  std::unique_lock lock(shared_->mutex);
  shared_->ending = true;
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, kRemovalTimeout, [this] { return shared_->ended; });
}

}  // namespace patchbay::http
