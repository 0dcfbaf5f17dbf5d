#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "standin/client_table.h"
#include "standin/registration_server.h"

namespace patchbay::standin {

/// How a kubelet conducts itself, and what happens to it. A well-behaved one overrides no decision.
class KubeletBehavior {
 public:
  KubeletBehavior() = default;
  KubeletBehavior(const KubeletBehavior&) = delete;
  KubeletBehavior& operator=(const KubeletBehavior&) = delete;
  virtual ~KubeletBehavior() = default;

  /// Decisions: on threads of the kubelet, several at a time. May block, but not for ever once the
  /// kubelet is being destroyed.
  ///
  /// Before Register is looked at. A status that is not OK is its answer.
  virtual grpc::Status on_register(const PluginAddress& /*plugin*/) { return {}; }
  /// Whether to read on in the stream of `plugin`, which is open; otherwise it is cancelled.
  virtual bool may_read(const PluginAddress& /*plugin*/, size_t /*lists_read*/) { return true; }
  /// Whether to open the stream of `plugin`, whose Register was answered with OK; otherwise it is
  /// disconnected, as by 1.25 to 1.36 when the end of an older stream is seen late.
  virtual bool may_watch(const PluginAddress& /*plugin*/) { return true; }

  /// Happenings: on threads of the kubelet, one at a time.
  ///
  /// Someone connected to kubelet.sock.
  virtual void accepted() {}
  /// A connection to the plugin's socket is up.
  virtual void dialled(const PluginAddress& /*plugin*/) {}
  virtual void refused(const PluginAddress& /*plugin*/, const std::string& /*why*/) {}
  virtual void registered(const PluginAddress& /*plugin*/) {}
  virtual void listed(const PluginAddress& /*plugin*/,
                      const v1beta1::ListAndWatchResponse& /*list*/,
                      PluginClient::Clock::time_point /*at*/) {}
  virtual void ended(const PluginAddress& /*plugin*/, const std::string& /*why*/) {}
};

/// The kubelet itself: kubelet contract 2.1, 2.3, 3.1 and 3.3, in terms of the protocol's messages.
/// One thread per plugin. Thread-safe.
class KubeletCore {
 public:
  struct Options {
    std::string directory;
    ClientRules rules = ClientRules::by_name_and_path;
    std::chrono::milliseconds dial_timeout = std::chrono::seconds(10);
  };
  /// `behavior` outlives the kubelet.
  [[nodiscard]] static Result<std::unique_ptr<KubeletCore>> start(Options options,
                                                                  KubeletBehavior& behavior);
  KubeletCore(const KubeletCore&) = delete;
  KubeletCore& operator=(const KubeletCore&) = delete;
  /// Drops all connections and waits for its threads.
  ~KubeletCore();

  /// The newest client of `resource`; none: empty.
  [[nodiscard]] ClientPtr newest(const std::string& resource) const;

  /// A unary call to the newest client of `resource`.
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
  /// One plugin from its Register to the end of its stream, on a thread of its own.
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
  std::mutex event_mutex_;    ///< Happenings are told one at a time.
  mutable std::mutex mutex_;  ///< Of all below, but not of what the clients do.
  ClientTable clients_;
  std::list<Session> sessions_;
  bool stopping_ = false;
  std::unique_ptr<RegistrationServer> server_;
};

}  // namespace patchbay::standin
