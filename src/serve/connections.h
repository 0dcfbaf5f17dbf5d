#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "serve/flood_guard.h"
#include "serve/resource_channel.h"

namespace patchbay::serve {

/// Finds the resource of each accepted connection. No RPC contains the resource's name, and all
/// resources share one gRPC server, so the connection determines it. The peer of an adopted
/// descriptor has the name "fd:N" in gRPC (pinned by a test). Thread-safe.
class Connections {
 public:
  /// Maximum number of connections of a resource: gRPC never closes a silent peer. For a further
  /// one, the oldest connection without an open call is closed.
  static constexpr size_t kMaxPerResource = 16;

  /// Records the connection under a descriptor number that was not used lately, and returns the
  /// descriptor for gRPC. gRPC closes descriptors without a notice. A number that is reused at once
  /// could name the wrong resource for a call still in the queue.
  ///
  /// Fails if the resource has its maximum of connections, all in use. FloodGuard watches the
  /// connection from then on.
  [[nodiscard]] Result<UniqueFd> add(UniqueFd accepted, std::shared_ptr<ResourceChannel> channel);

  /// Returns the resource of grpc::ServerContext::peer(); null if there is none.
  [[nodiscard]] std::shared_ptr<ResourceChannel> find(const std::string& peer) const;

  /// Whether a peer of the resource is still connected.
  [[nodiscard]] bool has_open_connection(const ResourceChannel& channel) const;

  /// Returns copies of the descriptors of all open connections. gRPC closes its own without a
  /// notice; a copy shows when the peer hangs up. While a copy is open, the peer may not see our
  /// end of the connection.
  [[nodiscard]] std::vector<UniqueFd> duplicate_descriptors() const;

 private:
  struct Connection {
    uint64_t inode = 0;  ///< Inode of the socket, to detect a reused descriptor number.
    std::shared_ptr<ResourceChannel> channel;
    uint64_t number = 0;  ///< Sequence number, from 1.
    std::shared_ptr<std::atomic<bool>> hung_up;
  };

  void forget_closed();
  [[nodiscard]] size_t count(const std::shared_ptr<ResourceChannel>& channel) const;
  bool close_oldest_idle(const std::shared_ptr<ResourceChannel>& channel);
  [[nodiscard]] Result<UniqueFd> move_to_fresh_descriptor(UniqueFd fd);

  mutable std::mutex mutex_;
  std::map<int, Connection> by_fd_;  // Guarded by mutex_.
  int next_number_ = 0;              // Guarded by mutex_.
  uint64_t added_ = 0;               // Guarded by mutex_.
  FloodGuard guard_;
};

}  // namespace patchbay::serve
