#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include "base/result.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"

namespace patchbay::standin {

/// The address of a plugin, from its Register call.
struct PluginAddress {
  std::string resource;
  std::string endpoint;  ///< As written in Register.
  std::string path;      ///< Path of its socket.
};

/// A unary RPC of a plugin, such as `&v1beta1::DevicePlugin::Stub::Allocate`.
template <typename Request, typename Response>
using PluginRpc = grpc::Status (v1beta1::DevicePlugin::Stub::*)(grpc::ClientContext*,
                                                                const Request&, Response*);

/// Returns the status for messages, such as "UNKNOWN: no such device".
[[nodiscard]] std::string to_text(const grpc::Status& status);

/// The kubelet's only connection to one registered plugin. Thread-safe.
class PluginClient {
 public:
  using Clock = std::chrono::steady_clock;
  /// Callbacks of watch(), called on the thread that runs watch(). They can block.
  struct ListEvents {
    /// Called before each read. If it returns false, watch() cancels the stream.
    std::function<bool(size_t lists_read)> may_read;
    /// Called for each list, with the time of its arrival.
    std::function<void(const v1beta1::ListAndWatchResponse&, Clock::time_point)> listed;
  };

  explicit PluginClient(PluginAddress address) : address_(std::move(address)) {}
  PluginClient(const PluginClient&) = delete;
  PluginClient& operator=(const PluginClient&) = delete;
  ~PluginClient() { close("done"); }

  [[nodiscard]] const PluginAddress& address() const { return address_; }

  /// Connects to the plugin, and waits until it answers. Fails at `until`, after close(), or when
  /// `given_up` returns true. `given_up` is called every 100 ms.
  [[nodiscard]] Result<void> dial(Clock::time_point until, const std::function<bool()>& given_up);

  template <typename Request, typename Response>
  [[nodiscard]] grpc::Status call(PluginRpc<Request, Response> rpc, grpc::ClientContext& context,
                                  const Request& request, Response& response) {
    const Use use(*this, context);
    return use.stub() ? (use.stub()->*rpc)(&context, request, &response) : closed_status();
  }

  /// Opens a ListAndWatch stream and reads it until it ends. Returns the reason of its end.
  [[nodiscard]] std::string watch(const ListEvents& events);

  /// Closes the connection. Calls and the stream end with `reason`. Only the first close() has an
  /// effect.
  void close(const std::string& reason);

 private:
  /// Keeps the connection alive for one call, and lets close() cancel that call.
  class Use {
   public:
    Use(PluginClient& client, grpc::ClientContext& context);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();
    [[nodiscard]] v1beta1::DevicePlugin::Stub* stub() const { return stub_.get(); }

   private:
    PluginClient& client_;
    grpc::ClientContext& context_;
    std::shared_ptr<v1beta1::DevicePlugin::Stub> stub_;
  };

  [[nodiscard]] grpc::Status closed_status() const;
  [[nodiscard]] bool closed() const;

  const PluginAddress address_;
  mutable std::mutex mutex_;
  std::shared_ptr<v1beta1::DevicePlugin::Stub> stub_;  ///< Null before dial() and after close().
  std::set<grpc::ClientContext*> running_;
  bool closed_ = false;
  std::string reason_;
};

}  // namespace patchbay::standin
