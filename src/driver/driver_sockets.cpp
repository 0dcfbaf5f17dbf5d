#include "driver/driver_sockets.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/log.h"
#include "base/unix_address.h"
#include "rpc/endpoint_name.h"

namespace patchbay::driver {
namespace {

/// For lost events, and for failures that have no event, such as a full disk.
constexpr loop::Milliseconds kPollPeriod{10'000};
/// The files in it may contain serial numbers and environment variables of Pods.
constexpr mode_t kDirectoryMode = 0700;
/// For the length of names: two sockets every ten seconds reach this number after 15 years.
constexpr uint64_t kMaxEndpoint = 99'999'999;

bool is_intact(const rpc::Endpoint& endpoint) {
  return endpoint.listener && endpoint.listener->is_at_path();
}

}  // namespace

DriverSockets::DriverSockets(loop::EventLoop& loop, loop::Inotify& inotify, DriverService& service,
                             CallQueue& calls, Options options)
    : loop_(loop),
      service_(service),
      driver_(std::move(options.driver)),
      prepares_(options.prepares),
      registry_(options.kubelet_root + "/plugins_registry"),
      directory_(driver_directory(options.kubelet_root)),
      calls_(calls),
      tracker_(loop, driver_, std::move(options.on_change)),
      watch_(inotify, registry_,
             {.on_event = [this](const loop::InotifyEvent& event) { on_event(event); },
              .on_changed = [this](bool /*is_there*/) { check(); }}) {
  for (const std::string& directory : {registry_, directory_}) {
    const size_t removed = rpc::remove_stale_endpoints(directory);
    if (removed > 0) log::info("removed stale sockets", {{"count", std::to_string(removed)}});
  }
  watch_.start();
  check();
  poll_ = loop_.every(kPollPeriod, [this] {
    watch_.start();
    check();
  });
}

void DriverSockets::on_event(const loop::InotifyEvent& event) {
  if (event.overflow() || event.name == registration_endpoint_.name) check();
}

void DriverSockets::check() {
  if (is_intact(registration_endpoint_) && is_intact(service_endpoint_)) return;
  if (const auto opened = open(); !opened) {
    tracker_.sockets_failed(opened.error().message + ": check --kubelet-root and its mounts");
  }
}

Result<void> DriverSockets::open() {
  registration_endpoint_ = {};
  service_endpoint_ = {};
  if (mkdir(directory_.c_str(), kDirectoryMode) != 0 && errno != EEXIST) {
    return fail_errno("cannot make " + directory_, errno);
  }
  owner_ = make_service_owner();
  auto service = open_endpoint(directory_, [this, owner = owner_](UniqueFd connection) {
    service_.serve(std::move(connection), owner);
    tracker_.set_connected(service_.is_connected(*owner));
  });
  if (!service) return std::unexpected(std::move(service).error());
  const std::string service_path = directory_ + "/" + service->name;
  // From now on, because the kubelet may call as soon as the other socket exists.
  auto registration = open_endpoint(
      registry_, [this, owner = make_registration_owner(service_path)](UniqueFd connection) {
        service_.serve(std::move(connection), owner);
      });
  if (!registration) return std::unexpected(std::move(registration).error());
  service_endpoint_ = *std::move(service);
  registration_endpoint_ = *std::move(registration);
  tracker_.sockets_opened(
      {.registration = registry_ + "/" + registration_endpoint_.name, .service = service_path});
  return {};
}

/// Error texts do not contain the number of the attempt, so that repeated ones are logged once.
Result<rpc::Endpoint> DriverSockets::open_endpoint(
    const std::string& directory, const std::function<void(UniqueFd)>& on_connection) {
  const auto name_of = [this](uint64_t n) {
    return rpc::short_endpoint_name(driver_, service_.start_id(), n);
  };
  const auto longest = UnixAddress::of(directory + "/" + name_of(kMaxEndpoint));
  if (!longest) return std::unexpected(longest.error());
  auto opened = rpc::open_endpoint(
      loop_, {.directory = directory, .start_id = service_.start_id(), .name = name_of},
      service_.next_endpoint(), on_connection);
  if (!opened && opened.error().number != 0) {
    return fail_errno("cannot create a socket in " + directory, opened.error().number);
  }
  return opened;
}

std::shared_ptr<ServiceOwner> DriverSockets::make_service_owner() {
  auto owner = std::make_shared<ServiceOwner>(driver_);
  owner->prepares = prepares_;
  owner->on_hang_up = weak_self_.guard([](DriverSockets& sockets) {
    sockets.tracker_.set_connected(sockets.service_.is_connected(*sockets.owner_));
    sockets.check();
  });
  owner->on_call = [&loop = loop_,
                    add_here = weak_self_.guard([](DriverSockets& sockets, CallKind kind,
                                                   auto claims, CallAnswer answer) {
                      for (ResourceClaimName& claim : claims) claim.driver = sockets.driver_;
                      sockets.calls_.add(kind, claims, std::move(answer));
                    })](CallKind kind, std::vector<ResourceClaimName> claims, CallAnswer answer) {
    loop.post([add_here, kind, claims = std::move(claims), answer = std::move(answer)]() mutable {
      add_here(kind, std::move(claims), std::move(answer));
    });
  };
  return owner;
}

std::shared_ptr<RegistrationOwner> DriverSockets::make_registration_owner(
    const std::string& endpoint) {
  auto owner = std::make_shared<RegistrationOwner>(driver_, endpoint);
  owner->on_status = [&loop = loop_,
                      answered_here =
                          weak_self_.guard([endpoint](DriverSockets& sockets, bool registered,
                                                      const std::string& error) {
                            // Not for earlier sockets.
                            if (!endpoint.ends_with("/" + sockets.service_endpoint_.name)) return;
                            sockets.tracker_.kubelet_answered(registered, error);
                          })](bool registered, std::string error) {
    loop.post([answered_here, registered, error = std::move(error)]() mutable {
      answered_here(registered, error);
    });
  };
  return owner;
}

}  // namespace patchbay::driver
