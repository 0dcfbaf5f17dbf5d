#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "fake/client_table.h"
#include "standin/registration_server.h"

namespace patchbay::fake {

using standin::IncomingRegister;
using standin::PluginRpc;
using standin::RegistrationServer;

/// Hooks that make a kubelet misbehave or report its events. The defaults do neither.
class KubeletBehavior {
 public:
  KubeletBehavior() = default;
  KubeletBehavior(const KubeletBehavior&) = delete;
  KubeletBehavior& operator=(const KubeletBehavior&) = delete;
  virtual ~KubeletBehavior() = default;

  /// Decisions: called on threads of the kubelet, several at a time. They can block, but must
  /// return when the kubelet is destroyed.
  ///
  /// Called before Register is checked. A status other than OK becomes the answer.
  virtual grpc::Status on_register(const PluginAddress& /*plugin*/) { return {}; }
  /// Whether to continue reading the open stream of `plugin`. If false, the stream is cancelled.
  virtual bool may_read(const PluginAddress& /*plugin*/, size_t /*lists_read*/) { return true; }
  /// Whether to open the stream of `plugin` after its Register was answered with OK. If false, the
  /// plugin is disconnected, as 1.25 to 1.36 do if they notice the end of an older stream late.
  virtual bool may_watch(const PluginAddress& /*plugin*/) { return true; }

  /// Notifications: called on threads of the kubelet, one at a time.
  ///
  /// A client connected to kubelet.sock.
  virtual void accepted() {}
  /// A connection to the plugin's socket is established.
  virtual void dialled(const PluginAddress& /*plugin*/) {}
  virtual void refused(const PluginAddress& /*plugin*/, const std::string& /*why*/) {}
  virtual void registered(const PluginAddress& /*plugin*/) {}
  virtual void listed(const PluginAddress& /*plugin*/,
                      const v1beta1::ListAndWatchResponse& /*list*/,
                      PluginClient::Clock::time_point /*at*/) {}
  virtual void ended(const PluginAddress& /*plugin*/, const std::string& /*why*/) {}
};

/// The kubelet's side of the protocol, as in docs/dev/kubelet.md. One thread per plugin.
/// Thread-safe.
class KubeletCore {
 public:
  struct Options {
    std::string directory;
    ClientRules rules = ClientRules::by_name_and_path;
    std::chrono::milliseconds dial_timeout = std::chrono::seconds(10);
  };
  /// `behavior` must outlive the kubelet.
  [[nodiscard]] static Result<std::unique_ptr<KubeletCore>> start(Options options,
                                                                  KubeletBehavior& behavior);
  KubeletCore(const KubeletCore&) = delete;
  KubeletCore& operator=(const KubeletCore&) = delete;
  /// Drops all connections and joins its threads.
  ~KubeletCore();

  /// The newest client of `resource`; null if there is none.
  [[nodiscard]] ClientPtr newest(const std::string& resource) const;

  /// Makes a unary call to the newest client of `resource`.
  template <typename Request, typename Response>
  [[nodiscard]] grpc::Status call(const std::string& resource, PluginRpc<Request, Response> rpc,
                                  const Request& request, Response& response,
                                  std::chrono::milliseconds deadline) const {
    const ClientPtr client = newest(resource);
    if (!client) {
      return {grpc::StatusCode::NOT_FOUND, "cannot allocate unregistered device " + resource};
    }
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + deadline);
    return client->link.call(rpc, context, request, response);
  }

 private:
  /// One plugin from its Register call to the end of its stream, on its own thread.
  struct Session {
    ClientPtr client;
    std::atomic<bool> over = false;
    std::jthread thread;
  };

  KubeletCore(Options options, KubeletBehavior& behavior);
  void begin_session(std::unique_ptr<IncomingRegister> call);
  void run_session(const ClientPtr& client, std::unique_ptr<IncomingRegister> call);
  [[nodiscard]] grpc::Status admit(const ClientPtr& client, const IncomingRegister& call);
  [[nodiscard]] grpc::Status connect(Client& client, const IncomingRegister& call);
  [[nodiscard]] grpc::Status ask_options(Client& client, const IncomingRegister& call) const;
  void watch(const ClientPtr& client);
  template <typename... Parameters, typename... Arguments>
  void notify(void (KubeletBehavior::*event)(Parameters...), const Arguments&... arguments);

  const Options options_;
  KubeletBehavior& behavior_;
  std::mutex event_mutex_;    ///< Serialises notifications.
  mutable std::mutex mutex_;  ///< Guards the fields below, but not calls to the clients.
  ClientTable clients_;
  std::list<Session> sessions_;
  bool stopping_ = false;
  std::unique_ptr<RegistrationServer> server_;
};

}  // namespace patchbay::fake
