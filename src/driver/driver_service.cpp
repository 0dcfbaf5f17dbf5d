#include "driver/driver_service.h"

#include <utility>

namespace patchbay::driver {
namespace {

/// A Pod has few ResourceClaims, and each takes some hundred bytes.
constexpr size_t kMaxCallBytes = size_t{1} << 20U;

}  // namespace

DriverService::DriverService(loop::EventLoop& loop, std::string start_id)
    : start_id_(std::move(start_id)),
      server_(loop, {&registration_service_, &dra_service_}, kMaxCallBytes) {
  server_.thread().post([this] { wait_for_calls(); });
}

DriverService::~DriverService() {
  server_.thread().post([this] {
    open_prepares_.finish_all();
    open_unprepares_.finish_all();
  });
}

void DriverService::wait_for_calls() {
  const auto environment_of = [this](auto& service) {
    return rpc::CallEnvironment{
        .service = service, .connections = server_.connections(), .thread = server_.thread()};
  };
  const auto registration = environment_of(registration_service_);
  GetInfoCall::wait_for_next(registration, open_infos_);
  NotifyStatusCall::wait_for_next(registration, open_statuses_);
  const auto dra = environment_of(dra_service_);
  PrepareCall::wait_for_next(dra, open_prepares_);
  UnprepareCall::wait_for_next(dra, open_unprepares_);
}

}  // namespace patchbay::driver
