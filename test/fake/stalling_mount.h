#pragma once

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "fake/temp_dir.h"

namespace patchbay::fake {

/// A file system in which only read() hangs. It answers all other calls at once. A reader cannot be
/// killed; it waits until answer() or the end of this object. Every name is an executable file.
/// Requires root and /dev/fuse.
class StallingMount {
 public:
  StallingMount() : server_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
    const std::string options = fmt::format("fd={},rootmode=40755,user_id={},group_id={}",
                                            server_.get(), ::geteuid(), ::getegid());
    mounted_ = ::mount("patchbay", dir_.path().c_str(), "fuse", MS_NOSUID | MS_NODEV,
                       options.c_str()) == 0;
    if (mounted_) thread_ = std::jthread([this] { serve(); });
  }
  StallingMount(const StallingMount&) = delete;
  StallingMount& operator=(const StallingMount&) = delete;
  ~StallingMount() {
    if (!mounted_) return;
    ::umount2(dir_.path().c_str(), MNT_DETACH);
    const uint64_t one = 1;
    static_cast<void>(::write(end_.get(), &one, sizeof one));
    thread_.join();
    server_.reset();  // Waiting calls fail.
  }

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return dir_ / name; }

  /// Number of reads of a file's contents.
  [[nodiscard]] size_t reads() const {
    const std::lock_guard lock(mutex_);
    return reads_;
  }
  /// Sets the contents of all files, padded with newlines, also for waiting readers.
  void answer(std::string contents) {
    const std::lock_guard lock(mutex_);
    contents.resize(kSize, '\n');
    for (const uint64_t waiting : waiting_) reply(waiting, contents);
    contents_ = std::move(contents);
    waiting_.clear();
  }

 private:
  static constexpr uint32_t kSize = 4096;  ///< Reported size of all files.

  void serve() {
    std::vector<char> request(size_t{1} << 17U);
    while (true) {
      std::array<pollfd, 2> waiting{pollfd{.fd = server_.get(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = end_.get(), .events = POLLIN, .revents = 0}};
      if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
      if (waiting[1].revents != 0) return;
      const ssize_t size = ::read(server_.get(), request.data(), request.size());
      if (size < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT)) continue;
      if (size < static_cast<ssize_t>(sizeof(fuse_in_header))) return;
      fuse_in_header head{};
      std::memcpy(&head, request.data(), sizeof head);
      serve(head);
    }
  }

  void serve(const fuse_in_header& head) {
    const std::lock_guard lock(mutex_);
    switch (head.opcode) {
      case FUSE_INIT: {
        fuse_init_out out{};
        out.major = FUSE_KERNEL_VERSION;
        out.minor = FUSE_KERNEL_MINOR_VERSION;
        out.max_write = kSize;
        return reply(head.unique, bytes_of(out));
      }
      case FUSE_LOOKUP: {
        fuse_entry_out out{};
        out.nodeid = kFile;
        out.attr = attributes_of(kFile);
        return reply(head.unique, bytes_of(out));
      }
      case FUSE_GETATTR: {
        fuse_attr_out out{};
        out.attr = attributes_of(head.nodeid);
        return reply(head.unique, bytes_of(out));
      }
      case FUSE_OPEN:
      case FUSE_OPENDIR: {
        const fuse_open_out out{};
        return reply(head.unique, bytes_of(out));
      }
      case FUSE_READ:
        ++reads_;
        if (contents_) return reply(head.unique, *contents_);
        return waiting_.push_back(head.unique);
      case FUSE_FLUSH:
      case FUSE_RELEASE:
      case FUSE_RELEASEDIR:
        return reply(head.unique, {});
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT:
        return;  // Needs no answer.
      default:
        return reply(head.unique, {}, -ENOSYS);
    }
  }

  template <typename Out>
  static std::string_view bytes_of(const Out& out) {
    return {reinterpret_cast<const char*>(&out), sizeof out};
  }

  static fuse_attr attributes_of(uint64_t node) {
    fuse_attr attributes{};
    attributes.ino = node;
    attributes.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0755;
    attributes.nlink = 1;
    attributes.size = kSize;
    return attributes;
  }

  void reply(uint64_t unique, std::string_view body, int error = 0) {
    fuse_out_header head{};
    head.len = static_cast<uint32_t>(sizeof head + body.size());
    head.error = error;
    head.unique = unique;
    const std::array<iovec, 2> parts{
        iovec{.iov_base = &head, .iov_len = sizeof head},
        iovec{.iov_base = const_cast<char*>(body.data()), .iov_len = body.size()}};
    static_cast<void>(::writev(server_.get(), parts.data(), parts.size()));
  }

  static constexpr uint64_t kFile = 2;

  TempDir dir_;
  UniqueFd server_;
  UniqueFd end_{::eventfd(0, EFD_CLOEXEC)};
  bool mounted_ = false;
  mutable std::mutex mutex_;  ///< Guards all members below.
  size_t reads_ = 0;
  std::vector<uint64_t> waiting_;
  std::optional<std::string> contents_;
  std::jthread thread_;
};

}  // namespace patchbay::fake
