#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "driver/registration_calls.h"
#include "driver/service_calls.h"
#include "loop/event_loop.h"
#include "rpc/open_calls.h"
#include "rpc/server.h"

namespace patchbay::driver {

/// Serves the kubelet's services Registration and DRAPlugin for all drivers of this process, with
/// one gRPC server and its thread. Nothing on gRPC's thread blocks. Loop thread.
class DriverService {
 public:
  /// `loop` outlives this object. `start_id` is unique to this process.
  DriverService(loop::EventLoop& loop, std::string start_id);
  DriverService(const DriverService&) = delete;
  DriverService& operator=(const DriverService&) = delete;
  /// Fails the open calls, so that the kubelet tries again. Blocks, at most about 0.5 s.
  ~DriverService();

  /// Serves one accepted connection of `owner`: a ServiceOwner or a RegistrationOwner. A refused
  /// connection is logged and closed.
  void serve(UniqueFd connection, const std::shared_ptr<rpc::SocketOwner>& owner) {
    server_.serve(std::move(connection), owner);
  }
  [[nodiscard]] bool is_connected(const rpc::SocketOwner& owner) const {
    return server_.connections().has_open_connection(owner);
  }

  /// Calls `done` on gRPC's thread, so only if that thread is not stalled.
  void check_liveness(std::function<void()> done) { server_.thread().post(std::move(done)); }

  [[nodiscard]] const std::string& start_id() const { return start_id_; }
  /// The number of the next socket name, which rpc::open_endpoint() increments.
  [[nodiscard]] uint64_t& next_endpoint() { return next_endpoint_; }

 private:
  void wait_for_calls();

  std::string start_id_;
  uint64_t next_endpoint_ = 0;
  RegistrationService registration_service_;
  DraService dra_service_;
  // The open calls are used on gRPC's thread only.
  rpc::OpenCalls<GetInfoCall> open_infos_;
  rpc::OpenCalls<NotifyStatusCall> open_statuses_;
  rpc::OpenCalls<PrepareCall> open_prepares_;
  rpc::OpenCalls<UnprepareCall> open_unprepares_;
  rpc::Server server_;  ///< Destroyed first, because its calls use the members above.
};

}  // namespace patchbay::driver
