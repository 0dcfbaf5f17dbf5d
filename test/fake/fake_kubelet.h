#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/result.h"
#include "fake/event_log.h"
#include "fake/kubelet_core.h"
#include "fake/kubelet_requests.h"
#include "standin/kubelet.h"

namespace patchbay::fake {

using standin::ListedDevice;

/// One event of a FakeKubelet.
struct KubeletEvent {
  enum class Kind {
    started,   ///< kubelet.sock listens.
    stopped,   ///< All connections are closed.
    accepted,  ///< A client connected to kubelet.sock.
    register_called,
    dialled,        ///< A connection to the plugin is up.
    refused,        ///< Register was answered with the error `why`.
    registered,     ///< Register was answered with OK.
    stream_opened,  ///< ListAndWatch was called.
    listed,         ///< A list was read.
    ended,          ///< The stream ended; `why` has the cause.
  };
  Kind kind;
  std::string resource = {};
  std::string endpoint = {};
  std::string why = {};
  std::shared_ptr<const std::vector<ListedDevice>> devices = {};  ///< The list of `listed`.
  std::chrono::steady_clock::time_point at = {};                  ///< Time of the event.
};

/// Faults that a FakeKubelet simulates.
struct KubeletFaults {
  int register_errors = 0;  ///< Number of calls of Register to answer with `register_error`.
  grpc::Status register_error{grpc::StatusCode::UNKNOWN, "the kubelet is not in the mood"};
  bool block_register = false;  ///< Register gets no answer.
  int hang_ups = 0;             ///< Number of plugins to disconnect instead of opening a stream.
  int stream_cancels = 0;       ///< Number of streams to cancel after `cancel_after` lists.
  size_t cancel_after = 0;      ///< 0: at once, after Register was answered with OK.
  bool block_reads = false;     ///< Streams are not read; this causes back-pressure.
};

/// A kubelet for integration tests, with faults on request and a log of events. One test thread
/// drives it. Any thread can call plugins and read the log.
class FakeKubelet final : private KubeletBehavior {
 public:
  using Kind = KubeletEvent::Kind;
  using Devices = std::vector<ListedDevice>;
  struct Options {
    std::string directory;
    ClientRules rules = ClientRules::by_name_and_path;
    std::chrono::milliseconds dial_timeout = kPatience;
    uint32_t seed = 1;  ///< Seed for the order in which a restart unlinks the sockets.
  };

  /// Starts the kubelet. Throws std::runtime_error if it cannot start.
  explicit FakeKubelet(Options options);
  ~FakeKubelet() override;

  // Control of its process.
  /// Drops all connections. kubelet.sock stays and refuses connections. Blocked calls are released.
  void stop();
  /// Unlinks all sockets in the directory, in random order, and listens on a new kubelet.sock.
  void start_again();
  void restart();

  // Files.
  [[nodiscard]] std::string socket() const { return options_.directory + "/kubelet.sock"; }
  /// Deletes the socket of the newest plugin of `resource`, as an admin's `rm` would. A plugin that
  /// re-registers may have deleted it already.
  void unlink_plugin_socket(const std::string& resource);
  /// Deletes the directory with its content and creates it empty. A running kubelet keeps its
  /// connections, but its socket has no path.
  void recreate_directory();
  /// Causes a CREATE event of kubelet.sock without a new kubelet: links the same socket again.
  void touch_socket();

  // Replaces the faults of `resource` and releases the calls that the old ones blocked. The faults
  // of kEveryResource apply to resources without own faults.
  static constexpr const char* kEveryResource = "";
  void set_faults(KubeletFaults faults, const std::string& resource = kEveryResource);

  // Event log.
  [[nodiscard]] const EventLog<KubeletEvent>& log() const { return log_; }
  /// The first event of this kind and resource at or after the mark `from` (see EventLog::size()).
  [[nodiscard]] std::optional<KubeletEvent> wait_for(
      Kind kind, const std::string& resource, size_t from = 0,
      std::chrono::milliseconds patience = kPatience) const;
  /// The first list of `resource`, at or after the mark, that `wanted` accepts.
  [[nodiscard]] std::optional<KubeletEvent> wait_for_list(
      const std::string& resource, const std::function<bool(const Devices&)>& wanted,
      size_t from = 0, std::chrono::milliseconds patience = kPatience) const;
  /// Number of these events; of all resources if `resource` is empty.
  [[nodiscard]] size_t count(Kind kind, const std::string& resource = {}) const;
  [[nodiscard]] size_t register_calls(const std::string& resource = {}) const {
    return count(Kind::register_called, resource);
  }
  /// Connections to kubelet.sock so far.
  [[nodiscard]] size_t connections() const { return count(Kind::accepted); }
  /// ListAndWatch streams that are open now.
  [[nodiscard]] size_t streams_open(const std::string& resource = {}) const;
  /// latest() returns the newest list of `resource`, history() all its lists.
  [[nodiscard]] std::optional<KubeletEvent> latest(const std::string& resource) const;
  [[nodiscard]] std::vector<KubeletEvent> history(const std::string& resource) const;
  /// The log as text, one line for each event: "registered example.com/gpu gpu.sock".
  [[nodiscard]] std::string story() const;

  // Calls to the newest plugin of the resource.
  template <typename Request, typename Response>
  [[nodiscard]] grpc::Status call(const std::string& resource,
                                  standin::PluginRpc<Request, Response> rpc, const Request& request,
                                  Response& response,
                                  std::chrono::milliseconds deadline = kPatience) const {
    const ClientPtr client = newest(resource);
    if (!client) return {grpc::StatusCode::NOT_FOUND, "no plugin for " + resource};
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + deadline);
    return client->link.call(rpc, context, request, response);
  }
  [[nodiscard]] Result<v1beta1::ContainerAllocateResponse> allocate(
      const std::string& resource, const std::vector<std::string>& ids,
      std::chrono::milliseconds deadline = kPatience) const;
  [[nodiscard]] Result<std::vector<std::string>> preferred_allocation(
      const std::string& resource, const PreferenceQuery& query) const;
  [[nodiscard]] Result<void> pre_start(const std::string& resource,
                                       const std::vector<std::string>& ids) const;
  [[nodiscard]] std::optional<PluginOptions> options(const std::string& resource) const;
  /// Socket name in the registration of the newest plugin; empty if none is registered.
  [[nodiscard]] std::string endpoint(const std::string& resource) const;

 private:
  grpc::Status on_register(const PluginAddress& plugin) override;
  bool may_watch(const PluginAddress& plugin) override;
  bool may_read(const PluginAddress& plugin, size_t lists_read) override;
  void accepted() override;
  void dialled(const PluginAddress& plugin) override;
  void refused(const PluginAddress& plugin, const std::string& why) override;
  void registered(const PluginAddress& plugin) override;
  void listed(const PluginAddress& plugin, const v1beta1::ListAndWatchResponse& list,
              std::chrono::steady_clock::time_point at) override;
  void ended(const PluginAddress& plugin, const std::string& why) override;

  /// The faults that apply to `resource`. Requires the lock.
  [[nodiscard]] KubeletFaults& faults_of(const std::string& resource);
  [[nodiscard]] ClientPtr newest(const std::string& resource) const;
  void unlink_sockets();
  void add(Kind kind, const PluginAddress& plugin, const std::string& why = {});

  const Options options_;
  std::mt19937 random_;
  EventLog<KubeletEvent> log_;
  mutable std::mutex mutex_;  ///< Guards all members below.
  std::condition_variable let_go_;
  bool stopping_ = false;
  std::map<std::string, KubeletFaults> faults_;
  std::map<const PluginAddress*, std::string> open_;  ///< Resources of the open streams.
  std::unique_ptr<KubeletCore> core_;
};

}  // namespace patchbay::fake
