#include "standin/kubelet.h"

#include <atomic>
#include <chrono>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "standin/kubelet_messages.h"
#include "standin/plugin_client.h"
#include "standin/registration_server.h"

namespace patchbay::standin {
namespace {

constexpr std::chrono::seconds kDialTimeout{10};

class ListingKubelet final : public Kubelet {
 public:
  ListingKubelet(std::string directory, KubeletEvents events)
      : directory_(std::move(directory)), events_(std::move(events)) {}

  ~ListingKubelet() override {
    if (server_) server_->stop();
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (const Session& session : sessions_) session.plugin->close("the kubelet stops");
    }
    server_.reset();    // Waits until all Register calls are answered.
    sessions_.clear();  // Joins the threads.
  }

  Result<void> begin() {
    auto server = RegistrationServer::start(
        directory_ + "/kubelet.sock",
        {.accepted = {}, .called = [this](auto call) { begin_session(std::move(call)); }});
    if (!server) return std::unexpected(std::move(server).error());
    server_ = std::move(*server);
    return {};
  }

 private:
  /// One plugin from its Register call to the end of its stream, on its own thread.
  struct Session {
    std::unique_ptr<PluginClient> plugin;
    std::atomic<bool> over = false;
    std::jthread thread;
  };

  void begin_session(std::unique_ptr<IncomingRegister> call) {
    const auto& request = call->request();
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    std::erase_if(sessions_, [](const Session& session) { return session.over.load(); });
    Session& session = sessions_.emplace_back();
    session.plugin = std::make_unique<PluginClient>(
        PluginAddress{.resource = request.resource_name(),
                      .endpoint = request.endpoint(),
                      .path = directory_ + "/" + request.endpoint()});
    session.thread = std::jthread([this, &session, call = std::move(call)]() mutable {
      run_session(*session.plugin, *call);
      session.over = true;
    });
  }

  void run_session(PluginClient& plugin, IncomingRegister& call) {
    const auto up = plugin.dial(PluginClient::Clock::now() + kDialTimeout,
                                [&] { return call.context().IsCancelled(); });
    if (!up) {
      return call.answer(
          {grpc::StatusCode::UNKNOWN, "failed to dial device plugin: " + up.error().message});
    }
    call.answer(grpc::Status::OK);
    const std::string& resource = plugin.address().resource;
    static_cast<void>(plugin.watch({.may_read = [](size_t) { return true; },
                                    .listed =
                                        [&](const auto& list, auto /*at*/) {
                                          const std::lock_guard lock(event_mutex_);
                                          events_.listed(resource, to_devices(list));
                                        }}));
    const std::lock_guard lock(event_mutex_);
    events_.ended(resource);
  }

  const std::string directory_;
  const KubeletEvents events_;
  std::mutex event_mutex_;  ///< Serialises callbacks.
  std::mutex mutex_;        ///< Guards the fields below.
  std::list<Session> sessions_;
  bool stopping_ = false;
  std::unique_ptr<RegistrationServer> server_;
};

}  // namespace

Result<std::unique_ptr<Kubelet>> Kubelet::start(const std::string& directory,
                                                KubeletEvents events) {
  auto kubelet = std::make_unique<ListingKubelet>(directory, std::move(events));
  if (auto begun = kubelet->begin(); !begun) return std::unexpected(std::move(begun).error());
  return kubelet;
}

}  // namespace patchbay::standin
