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
#include "standin/kubelet.h"
#include "standin/kubelet_core.h"

namespace patchbay::fake {

using standin::ClientRules;
using standin::ListedDevice;

/// One thing that happened at a FakeKubelet.
struct KubeletEvent {
  enum class Kind {
    started,   ///< kubelet.sock listens.
    stopped,   ///< All connections are gone.
    accepted,  ///< Someone connected to kubelet.sock.
    register_called,
    dialled,        ///< A connection to the plugin is up.
    refused,        ///< Register is answered with the error `why`.
    registered,     ///< Register was answered with OK.
    stream_opened,  ///< ListAndWatch was called.
    listed,         ///< A list was read.
    ended,          ///< The stream is over, because of `why`.
  };
  Kind kind;
  std::string resource = {};
  std::string endpoint = {};
  std::string why = {};
  std::shared_ptr<const std::vector<ListedDevice>> devices = {};  ///< Of `listed`.
  std::chrono::steady_clock::time_point at = {};                  ///< When it came.
};

/// What a FakeKubelet does wrong from now on.
struct KubeletFaults {
  int register_errors = 0;  ///< So many calls of Register are answered with `register_error`.
  grpc::Status register_error{grpc::StatusCode::UNKNOWN, "the kubelet is not in the mood"};
  bool block_register = false;  ///< Register is not looked at.
  int hang_ups = 0;             ///< So many plugins are disconnected instead of opening a stream.
  int stream_cancels = 0;       ///< So many streams are cancelled after `cancel_after` lists.
  size_t cancel_after = 0;      ///< 0: at once, after Register was answered with OK.
  bool block_reads = false;     ///< Streams are not read: back-pressure.
};

/// A kubelet as integration tests need it: the stand-in, with all it may do to a plugin (kubelet
/// contract 10.4) and a log of what happened. One test thread drives it; calls to plugins and the
/// log are for any thread. Throws std::runtime_error where it cannot start.
class FakeKubelet final : private standin::KubeletBehavior {
 public:
  using Kind = KubeletEvent::Kind;
  using Devices = std::vector<ListedDevice>;
  struct Options {
    std::string directory;
    ClientRules rules = ClientRules::by_name_and_path;
    std::chrono::milliseconds dial_timeout = kPatience;
    uint32_t seed = 1;  ///< Of the order in which a restart unlinks the sockets.
  };

  /// Starts.
  explicit FakeKubelet(Options options);
  ~FakeKubelet() override;

  // The life of its process.
  /// Drops all connections. kubelet.sock stays and refuses. What is held is let go.
  void stop();
  /// Unlinks all sockets in the directory, in random order, and listens on a new kubelet.sock.
  void start_again();
  void restart();

  // The files.
  [[nodiscard]] std::string socket() const { return options_.directory + "/kubelet.sock"; }
  /// Deletes the socket of the newest plugin of `resource`, as an admin's `rm` would. The plugin
  /// may have done so itself, if it registers anew.
  void unlink_plugin_socket(const std::string& resource);
  /// Deletes the directory with all that is in it, and makes it again, empty. If the kubelet runs,
  /// nobody finds it any more, but its connections live.
  void recreate_directory();
  /// A CREATE event of kubelet.sock without a new kubelet: the same socket, linked anew.
  void touch_socket();

  // What it does wrong. Replaces what was set for `resource` and lets go what that one held. The
  // faults of kEveryResource are for resources without faults of their own.
  static constexpr const char* kEveryResource = "";
  void set_faults(KubeletFaults faults, const std::string& resource = kEveryResource);

  // What happened.
  [[nodiscard]] const EventLog<KubeletEvent>& log() const { return log_; }
  /// The first event of this kind and resource at or after the mark `from` (see EventLog::size()).
  [[nodiscard]] std::optional<KubeletEvent> wait_for(
      Kind kind, const std::string& resource, size_t from = 0,
      std::chrono::milliseconds patience = kPatience) const;
  /// The first list of `resource`, at or after the mark, that `wanted` accepts.
  [[nodiscard]] std::optional<KubeletEvent> wait_for_list(
      const std::string& resource, const std::function<bool(const Devices&)>& wanted,
      size_t from = 0, std::chrono::milliseconds patience = kPatience) const;
  /// How often it happened, in all; an empty resource: of any.
  [[nodiscard]] size_t count(Kind kind, const std::string& resource = {}) const;
  [[nodiscard]] size_t register_calls(const std::string& resource = {}) const {
    return count(Kind::register_called, resource);
  }
  /// Connections to kubelet.sock so far.
  [[nodiscard]] size_t connections() const { return count(Kind::accepted); }
  /// ListAndWatch streams that are open now.
  [[nodiscard]] size_t streams_open(const std::string& resource = {}) const;
  /// The newest list of `resource`; all of them.
  [[nodiscard]] std::optional<KubeletEvent> latest(const std::string& resource) const;
  [[nodiscard]] std::vector<KubeletEvent> history(const std::string& resource) const;
  /// The log as text, a line each: "registered example.com/gpu gpu.sock".
  [[nodiscard]] std::string story() const;

  // What a kubelet asks: of the newest plugin of the resource.
  template <typename Request, typename Response>
  [[nodiscard]] grpc::Status call(const std::string& resource,
                                  standin::PluginRpc<Request, Response> rpc, const Request& request,
                                  Response& response,
                                  std::chrono::milliseconds deadline = kPatience) const {
    const standin::ClientPtr client = newest(resource);
    if (!client) return {grpc::StatusCode::NOT_FOUND, "no plugin for " + resource};
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + deadline);
    return client->link.call(rpc, context, request, response);
  }
  [[nodiscard]] Result<v1beta1::ContainerAllocateResponse> allocate(
      const std::string& resource, const std::vector<std::string>& ids,
      std::chrono::milliseconds deadline = kPatience) const;
  [[nodiscard]] Result<std::vector<std::string>> preferred_allocation(
      const std::string& resource, const standin::PreferenceQuery& query) const;
  [[nodiscard]] Result<void> pre_start(const std::string& resource,
                                       const std::vector<std::string>& ids) const;
  [[nodiscard]] std::optional<standin::PluginOptions> options(const std::string& resource) const;
  /// Name of the socket of the newest plugin, as it registered; none: empty.
  [[nodiscard]] std::string endpoint(const std::string& resource) const;

 private:
  grpc::Status on_register(const standin::PluginAddress& plugin) override;
  bool may_watch(const standin::PluginAddress& plugin) override;
  bool may_read(const standin::PluginAddress& plugin, size_t lists_read) override;
  void accepted() override;
  void dialled(const standin::PluginAddress& plugin) override;
  void refused(const standin::PluginAddress& plugin, const std::string& why) override;
  void registered(const standin::PluginAddress& plugin) override;
  void listed(const standin::PluginAddress& plugin, const v1beta1::ListAndWatchResponse& list,
              std::chrono::steady_clock::time_point at) override;
  void ended(const standin::PluginAddress& plugin, const std::string& why) override;

  /// The faults that hold for `resource`. With the lock held.
  [[nodiscard]] KubeletFaults& faults_of(const std::string& resource);
  [[nodiscard]] standin::ClientPtr newest(const std::string& resource) const;
  void unlink_sockets();
  void add(Kind kind, const standin::PluginAddress& plugin, const std::string& why = {});

  const Options options_;
  std::mt19937 random_;
  EventLog<KubeletEvent> log_;
  mutable std::mutex mutex_;  ///< Of all below.
  std::condition_variable let_go_;
  bool stopping_ = false;
  std::map<std::string, KubeletFaults> faults_;
  std::map<const standin::PluginAddress*, std::string> open_;  ///< Streams, and their resources.
  std::unique_ptr<standin::KubeletCore> core_;
};

}  // namespace patchbay::fake
