#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/event_loop.h"

namespace patchbay::rpc {

/// The owner of a listening socket and of its accepted connections, such as one resource of the
/// device plugin API. Each service derives its own type. A call gets the owner of its connection.
struct SocketOwner {
  explicit SocketOwner(std::string its_name) : name(std::move(its_name)) {}
  SocketOwner(const SocketOwner&) = delete;
  SocketOwner& operator=(const SocketOwner&) = delete;
  virtual ~SocketOwner() = default;

  const std::string name;  ///< Name for messages, such as that of the resource.
  /// Called on the loop thread when a peer has disconnected.
  std::function<void()> on_hang_up = [] {};
};

/// Finds the owner of the connection of each call. No RPC contains the name of the resource, and
/// all resources share one gRPC server, so only the connection determines the resource. gRPC gets
/// the descriptor N of a connection, and reports the peer of its calls as "fd:N" (a test checks
/// this).
///
/// N is a copy; this class keeps the accepted descriptor. gRPC does not report when it closes its
/// copy, but it shuts the connection down before. So the kept descriptor shows whether the peer or
/// gRPC has ended the connection. Loop thread, except for find() and has_open_connection(): any
/// thread.
class Connections {
 public:
  /// Maximum number of connections of an owner, because gRPC never closes an idle connection. To
  /// admit another one, the oldest connection without an open call is closed.
  static constexpr size_t kMaxPerOwner = 16;

  explicit Connections(loop::EventLoop& loop) : loop_(loop) {}

  /// Returns the descriptor for gRPC, with a number that was not used recently. With a reused
  /// number, a queued call of an ended connection could get the wrong resource. Fails if the owner
  /// has kMaxPerOwner connections, all with open calls.
  [[nodiscard]] Result<UniqueFd> add(UniqueFd accepted, const std::shared_ptr<SocketOwner>& owner);

  /// Returns the owner of the connection that grpc::ServerContext::peer() names. Null if the
  /// connection is unknown or has ended, or if its owner has another type. The call must keep the
  /// result, which marks the connection as in use.
  template <typename Owner>
  [[nodiscard]] std::shared_ptr<Owner> find(const std::string& peer) const {
    return std::dynamic_pointer_cast<Owner>(find_owner(peer));
  }

  /// Whether a peer of the owner is still connected.
  [[nodiscard]] bool has_open_connection(const SocketOwner& owner) const;

  /// Returns the accepted descriptors of all open connections.
  [[nodiscard]] std::vector<int> descriptors() const;

 private:
  struct Connection {
    UniqueFd fd;                         ///< The accepted descriptor.
    std::shared_ptr<SocketOwner> owner;  ///< Its use count is 1 if no call is open.
    uint64_t number = 0;                 ///< Sequence number, from 1.
    loop::Subscription hang_up{};
  };

  [[nodiscard]] std::shared_ptr<SocketOwner> find_owner(const std::string& peer) const;
  void on_hang_up(int grpc_fd);
  bool make_room(const SocketOwner& owner);
  [[nodiscard]] Result<UniqueFd> duplicate_as_fresh_number(int fd);

  loop::EventLoop& loop_;
  mutable std::mutex mutex_;
  std::map<int, Connection> by_grpc_fd_;  // Guarded by mutex_; changed by the loop thread only.
  int next_number_ = 0;
  uint64_t added_ = 0;
};

/// Waits until gRPC has read all data that the peers have sent, at most for `at_most`. Ignores
/// connections whose peer has disconnected. Blocks.
void wait_until_read(const std::vector<int>& connections, std::chrono::milliseconds at_most);

/// Waits until all peers have disconnected, at most for `at_most`. Blocks.
void wait_for_hang_up(const std::vector<int>& connections, std::chrono::milliseconds at_most);

}  // namespace patchbay::rpc
