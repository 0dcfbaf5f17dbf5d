#include "fake/kubelet_core.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "fake/extended_resource_name.h"

namespace patchbay::fake {
namespace {

using standin::to_text;

/// The gRPC status of a Go error.
grpc::Status refuse(const std::string& why) { return {grpc::StatusCode::UNKNOWN, why}; }

grpc::Status check(const v1beta1::RegisterRequest& request) {
  if (request.version() != "v1beta1") {
    return refuse(
        fmt::format("requested API version \"{}\" is not supported by kubelet. "
                    "Supported version is [\"v1beta1\"]",
                    printable(request.version())));
  }
  if (!is_extended_resource_name(request.resource_name())) {
    return refuse(
        fmt::format("the ResourceName \"{}\" is invalid", printable(request.resource_name())));
  }
  return {};
}

/// As Go's filepath.Join: an absolute endpoint is appended to the directory, too.
std::string join_path(const std::string& directory, const std::string& endpoint) {
  return std::filesystem::path(directory + "/" + endpoint).lexically_normal().string();
}

}  // namespace

Result<std::unique_ptr<KubeletCore>> KubeletCore::start(Options options,
                                                        KubeletBehavior& behavior) {
  std::unique_ptr<KubeletCore> kubelet(new KubeletCore(std::move(options), behavior));
  auto server = RegistrationServer::start(
      kubelet->options_.directory + "/kubelet.sock",
      {.accepted = [raw = kubelet.get()] { raw->notify(&KubeletBehavior::accepted); },
       .called = [raw = kubelet.get()](auto call) { raw->begin_session(std::move(call)); }});
  if (!server) return std::unexpected(std::move(server).error());
  kubelet->server_ = std::move(*server);
  return kubelet;
}

KubeletCore::KubeletCore(Options options, KubeletBehavior& behavior)
    : options_(std::move(options)), behavior_(behavior), clients_(options_.rules) {}

KubeletCore::~KubeletCore() {
  if (server_) server_->stop();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const Session& session : sessions_) session.client->link.close("the kubelet stops");
  }
  server_.reset();    // Waits until all Register calls are answered.
  sessions_.clear();  // Joins the threads.
}

ClientPtr KubeletCore::newest(const std::string& resource) const {
  const std::lock_guard lock(mutex_);
  return clients_.newest(resource);
}

template <typename... Parameters, typename... Arguments>
void KubeletCore::notify(void (KubeletBehavior::*event)(Parameters...),
                         const Arguments&... arguments) {
  const std::lock_guard lock(event_mutex_);
  (behavior_.*event)(arguments...);
}

void KubeletCore::begin_session(std::unique_ptr<IncomingRegister> call) {
  const auto& request = call->request();
  auto client = std::make_shared<Client>(
      PluginAddress{.resource = request.resource_name(),
                    .endpoint = request.endpoint(),
                    .path = join_path(options_.directory, request.endpoint())});
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  std::erase_if(sessions_, [](const Session& session) { return session.over.load(); });
  Session& session = sessions_.emplace_back();
  session.client = client;
  session.thread = std::jthread([this, client, &session, call = std::move(call)]() mutable {
    run_session(client, std::move(call));
    client.reset();
    session.over = true;
  });
}

void KubeletCore::run_session(const ClientPtr& client, std::unique_ptr<IncomingRegister> call) {
  const PluginAddress& address = client->link.address();
  const grpc::Status status = admit(client, *call);
  if (!status.ok()) {
    client->link.close("refused");
    notify(&KubeletBehavior::refused, address, status.error_message());
    call->answer(status);
    return;
  }
  call->answer(status);
  notify(&KubeletBehavior::registered, address);
  watch(client);
}

grpc::Status KubeletCore::admit(const ClientPtr& client, const IncomingRegister& call) {
  const PluginAddress& address = client->link.address();
  if (auto status = behavior_.on_register(address); !status.ok()) return status;
  if (auto status = check(call.request()); !status.ok()) return status;
  if (auto status = connect(*client, call); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  if (clients_.add(client)) return {};
  return refuse("device plugin already connected: " + address.path);
}

grpc::Status KubeletCore::connect(Client& client, const IncomingRegister& call) {
  const bool bounded = options_.rules == ClientRules::by_name_and_path;
  const auto dialled = client.link.dial(PluginClient::Clock::now() + options_.dial_timeout,
                                        [&] { return bounded && call.context().IsCancelled(); });
  if (!dialled) return refuse("failed to dial device plugin: " + dialled.error().message);
  notify(&KubeletBehavior::dialled, client.link.address());
  return ask_options(client, call);
}

grpc::Status KubeletCore::ask_options(Client& client, const IncomingRegister& call) const {
  const auto context = options_.rules == ClientRules::by_name_and_path
                           ? grpc::ClientContext::FromCallbackServerContext(call.context())
                           : std::make_unique<grpc::ClientContext>();
  v1beta1::DevicePluginOptions answer;
  const auto status = client.link.call(&v1beta1::DevicePlugin::Stub::GetDevicePluginOptions,
                                       *context, v1beta1::Empty{}, answer);
  if (!status.ok()) return refuse("failed to get device plugin options: " + to_text(status));
  client.options = {.pre_start_required = answer.pre_start_required(),
                    .preferred_allocation_available = answer.get_preferred_allocation_available()};
  return {};
}

void KubeletCore::watch(const ClientPtr& client) {
  const PluginAddress& address = client->link.address();
  const std::string why =
      behavior_.may_watch(address)
          ? client->link.watch(
                {.may_read =
                     [&](size_t lists_read) { return behavior_.may_read(address, lists_read); },
                 .listed = [&](const auto& list,
                               auto at) { notify(&KubeletBehavior::listed, address, list, at); }})
          : "disconnected before its stream";
  ClientPtr disconnected;
  {
    const std::lock_guard lock(mutex_);
    disconnected = clients_.remove_for(client);
  }
  client->link.close(why);
  notify(&KubeletBehavior::ended, address, why);
  if (disconnected && disconnected != client) {
    disconnected->link.close("disconnected, because an older stream of the resource ended");
  }
}

}  // namespace patchbay::fake
