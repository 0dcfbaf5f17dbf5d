#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fake/event_log.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"

namespace patchbay::fake {

/// An action of a kubelet on a ScriptedPlugin.
struct PluginEvent {
  enum class Kind {
    options_asked,
    stream_opened,
    list_written,      ///< The connection accepted a complete list.
    stream_cancelled,  ///< Cancelled by the kubelet, or with its connection.
    stream_closed,     ///< gRPC has freed the stream.
    allocate_called,
    preferred_called,
    pre_start_called,
  };
  Kind kind;
  std::vector<std::string> ids = {};  ///< For the last three kinds.
  std::string authority = {};         ///< For options_asked.
};

/// A device plugin that a test controls, to observe a kubelet. Serves DevicePlugin on
/// `DIRECTORY/ENDPOINT` from the start. Registers only on request.
class ScriptedPlugin {
 public:
  using Kind = PluginEvent::Kind;

  ScriptedPlugin(std::string directory, std::string endpoint);
  ScriptedPlugin(const ScriptedPlugin&) = delete;
  ScriptedPlugin& operator=(const ScriptedPlugin&) = delete;
  /// Drops all connections, as when the process of a plugin ends.
  ~ScriptedPlugin();

  /// Calls Register at `DIRECTORY/kubelet.sock`.
  [[nodiscard]] grpc::Status register_as(const std::string& resource,
                                         const std::string& version = "v1beta1",
                                         std::chrono::milliseconds deadline = kPatience) const;

  /// The answer of GetDevicePluginOptions.
  void set_options(const v1beta1::DevicePluginOptions& options, const grpc::Status& status = {});
  /// Blocks or releases GetDevicePluginOptions or Allocate.
  void block_options(bool hold);
  void block_allocate(bool hold);
  /// Writes a list to all open streams. Later streams get it as their first list.
  void send(const v1beta1::ListAndWatchResponse& list);
  /// Sends a list of healthy devices with these ids.
  void send(const std::vector<std::string>& ids);
  /// Ends all streams.
  void end_streams(const grpc::Status& status = {});
  /// Sets the answer of Allocate. The default gives one container the variable IDS.
  void set_allocate(v1beta1::AllocateResponse answer, const grpc::Status& status = {});

  [[nodiscard]] const EventLog<PluginEvent>& log() const { return log_; }
  [[nodiscard]] size_t count(Kind kind) const;
  /// Waits until this event has occurred `times` times.
  [[nodiscard]] bool wait_for(Kind kind, size_t times = 1) const;

 private:
  class Service;
  class Stream;

  const std::string directory_;
  const std::string endpoint_;
  EventLog<PluginEvent> log_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace patchbay::fake
