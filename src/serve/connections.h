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

/// Which resource each accepted connection belongs to. No RPC carries the resource's name, and all
/// resources share one gRPC server, so the name comes from the connection: gRPC calls the peer of
/// an adopted descriptor "fd:N" (pinned by a test). Thread-safe.
class Connections {
 public:
  /// A silent peer stays for ever (nothing in gRPC ends it), so each resource has this many at
  /// most; for one more the oldest goes that has no call open.
  static constexpr size_t kMaxPerResource = 16;

  /// Notes the connection under a descriptor number that was not in use lately: gRPC closes
  /// descriptors without a word, and a number that came back at once could name the wrong resource
  /// for a call still in the queue. Returns the descriptor to hand to gRPC. Fails when all that the
  /// resource may have are in use. What floods is closed from then on.
  [[nodiscard]] Result<UniqueFd> add(UniqueFd accepted, std::shared_ptr<ResourceChannel> channel);

  /// The resource behind grpc::ServerContext::peer(); null if there is none.
  [[nodiscard]] std::shared_ptr<ResourceChannel> find(const std::string& peer) const;

  /// Whether a peer is connected to the resource that has not hung up.
  [[nodiscard]] bool has_open_connection(const ResourceChannel& channel) const;

  /// Copies of the descriptors of all connections that are open: gRPC closes its own without a
  /// word, and a copy says when the peer hangs up. While one lives the peer may not see our end.
  [[nodiscard]] std::vector<UniqueFd> duplicate_descriptors() const;

 private:
  struct Connection {
    uint64_t inode = 0;  ///< Of the socket: tells whether the number still means it.
    std::shared_ptr<ResourceChannel> channel;
    uint64_t number = 0;  ///< Counted since the start.
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
