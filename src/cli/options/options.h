#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"

namespace patchbay::cli {

/// The output format: for people, or JSON for programs.
enum class OutputFormat { table, wide, json };

/// The shell of a completion script.
enum class Shell { bash, zsh, fish };

/// The options of every command that reads a configuration.
struct ConfigOptions {
  std::vector<std::string> paths;
  std::string node;  ///< Empty: $NODE_NAME, or the host name if that is not set.
};

/// The options of every command that scans the host.
struct HostCommandOptions {
  std::string host_root;
  /// A machine file, which is read instead of the host. Empty if there is none.
  std::string machine;
  size_t udev_buffer_bytes = size_t{8} << 20U;
  std::chrono::milliseconds rescan_period = std::chrono::minutes(5);  ///< 0: never.
};

/// The default directories of CDI specs (read by container runtimes) and of device-info files.
inline constexpr const char* kCdiDirectory = "/var/run/cdi";
inline constexpr const char* kDeviceInfoDirectory = "/var/run/k8s.cni.cncf.io/devinfo/dp";

/// The kubelet's PodResources socket, below its root.
inline constexpr const char* kPodResources = "/pod-resources/kubelet.sock";

/// The value of an option that disables a socket.
inline constexpr const char* kNoSocket = "none";

struct RunOptions {
  ConfigOptions config;
  HostCommandOptions host;
  std::string kubelet_directory = "/var/lib/kubelet/device-plugins";
  std::string kubelet_root = "/var/lib/kubelet";
  std::string pod_resources;   ///< Empty: below kubelet_root; with `standalone` none.
  std::string api_server;      ///< A URL. Empty: as in the environment of a Pod.
  std::string api_ca;          ///< A path. Empty: the file that a Pod has.
  std::string api_token_file;  ///< As `api_ca`.
  std::string cdi_directory;   ///< Empty: kCdiDirectory; with `standalone` a temporary directory.
  std::string device_info_directory;  ///< Empty: as for cdi_directory, with kDeviceInfoDirectory.
  size_t max_checks = 8;              ///< Maximum number of concurrent probes.
  std::string log_format = "text";
  std::string log_level = "info";
  bool standalone = false;
  bool no_reload = false;
  std::string status_socket;  ///< Empty: default_status_socket().
  std::string listen;         ///< HOST:PORT for HTTP; empty: disabled.
  bool page = false;
  bool metrics_per_unit = false;
};

/// The address of the daemon.
struct StatusClientOptions {
  std::string socket;  ///< Empty: default_status_socket().
  std::string url;     ///< Empty: the socket is used.
};

struct StatusOptions {
  StatusClientOptions client;
  std::string word;  ///< A resource or a unit; empty: all.
  OutputFormat output = OutputFormat::table;
  bool watch = false;
};

struct EventsOptions {
  StatusClientOptions client;
  std::string word;  ///< A resource or a unit; empty: all.
  OutputFormat output = OutputFormat::table;
  bool follow = false;
};

struct ValidateOptions {
  ConfigOptions config;
  HostCommandOptions host;  ///< Only `machine` is used. Without it no device is read.
  OutputFormat output = OutputFormat::table;
  bool strict = false;
};

struct DiffOptions {
  std::string before;
  std::string now;
  std::string node;
  bool here = false;        ///< Whether to compare the units of this machine, too.
  HostCommandOptions host;  ///< Only `machine` is used.
  OutputFormat output = OutputFormat::table;
};

struct DiscoverOptions {
  ConfigOptions config;
  HostCommandOptions host;
  OutputFormat output = OutputFormat::table;
  bool watch = false;
  bool dra = false;  ///< Whether to print the ResourceSlices instead.
};

struct AllocateOptions {
  std::string resource;
  std::vector<std::string> ids;
  int prefer = 0;      ///< Show the choice of this number of units; 0: show the answer for `ids`.
  bool start = false;  ///< Whether to run the preStart steps, too.
  ConfigOptions config;
  HostCommandOptions host;
  OutputFormat output = OutputFormat::table;
};

struct SnapshotOptions {
  ConfigOptions config;  ///< Optional.
  bool keep_serials = false;
};

struct SuggestOptions {
  /// The names that the user typed. Empty with `all` or `watch`.
  std::vector<std::string> devices;
  ConfigOptions config;     ///< Optional: the active configuration.
  HostCommandOptions host;  ///< Only `machine` is used.
  std::string domain = "example.com";
  std::string name;  ///< Name of the resource. Empty for the name in the hardware's kind.
  bool this_one = false;
  bool all = false;
  bool watch = false;
  bool force = false;
  bool resources_only = false;  ///< `--as resource`
  bool json = false;
};

/// Returns whether the test case with that name is run.
using NameFilter = std::function<bool(const std::string& name)>;

struct TestOptions {
  std::vector<std::string> directories;
  ConfigOptions config;  ///< For all cases. Without paths or node, each case has its own.
  NameFilter selects;    ///< Empty: all.
  OutputFormat output = OutputFormat::table;
  bool update = false;
  bool verbose = false;
};

struct ExplainOptions {
  std::string device;
  ConfigOptions config;
  HostCommandOptions host;
  OutputFormat output = OutputFormat::table;
};

}  // namespace patchbay::cli

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 3> kWords<cli::OutputFormat>{"table", "wide", "json"};
template <>
inline constexpr std::array<std::string_view, 3> kWords<cli::Shell>{"bash", "zsh", "fish"};
}  // namespace patchbay
