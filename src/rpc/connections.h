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

/// The owner of a listening socket and of the connections that it accepts: for instance one
/// resource of the device plugin API. Each service derives its own type, and its calls get the
/// owner of their connection.
struct SocketOwner {
  explicit SocketOwner(std::string its_name) : name(std::move(its_name)) {}
  SocketOwner(const SocketOwner&) = delete;
  SocketOwner& operator=(const SocketOwner&) = delete;
  virtual ~SocketOwner() = default;

  const std::string name;  ///< For the log and for refusals, such as the resource.
  /// A peer hung up. Called on the loop thread.
  std::function<void()> on_hang_up = [] {};
};

/// Finds the owner of each accepted connection, such as a resource. No RPC contains the resource's
/// name, and all resources share one gRPC server, so the connection determines it. The peer of an
/// adopted descriptor has the name "fd:N" in gRPC (pinned by a test).
///
/// It keeps the accepted descriptor, and gRPC gets a copy. gRPC closes its copy without a notice,
/// but shuts the connection down before, so the kept one shows both ends of the connection. Loop
/// thread, except for find() and has_open_connection(): any thread.
class Connections {
 public:
  /// Maximum number of connections of an owner: gRPC never closes a silent peer. For a further
  /// one, the oldest connection without an open call is closed.
  static constexpr size_t kMaxPerOwner = 16;

  explicit Connections(loop::EventLoop& loop) : loop_(loop) {}

  /// Returns the descriptor for gRPC, until the connection ends. Its number was not used lately:
  /// one that is reused at once could name the wrong resource for a call still in the queue. Fails
  /// if the owner has its maximum of connections, all in use.
  [[nodiscard]] Result<UniqueFd> add(UniqueFd accepted, const std::shared_ptr<SocketOwner>& owner);

  /// Returns the owner of grpc::ServerContext::peer(). Null: there is none, it has another type, or
  /// the connection has ended. A call keeps the result: it marks the connection as in use.
  template <typename Owner>
  [[nodiscard]] std::shared_ptr<Owner> find(const std::string& peer) const {
    return std::dynamic_pointer_cast<Owner>(find_owner(peer));
  }

  /// Whether a peer of the owner is still connected.
  [[nodiscard]] bool has_open_connection(const SocketOwner& owner) const;

  /// Returns the descriptors of all open connections.
  [[nodiscard]] std::vector<int> descriptors() const;

 private:
  struct Connection {
    UniqueFd fd;                         ///< The accepted descriptor.
    std::shared_ptr<SocketOwner> owner;  ///< Only this connection and its calls share it.
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

/// Waits until everything that the peers have sent is read, or for `at_most`. Connections whose
/// peer has hung up are ignored. Blocks.
void wait_until_read(const std::vector<int>& connections, std::chrono::milliseconds at_most);

/// Waits until all peers have hung up, or for `at_most`. Blocks.
void wait_for_hang_up(const std::vector<int>& connections, std::chrono::milliseconds at_most);

}  // namespace patchbay::rpc
