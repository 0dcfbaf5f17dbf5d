#pragma once

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/whole_number.h"
#include "dra/device_name.h"
#include "driver/driver_kubelet.h"
#include "fake/daemon_fixture.h"
#include "fake/golden.h"
#include "fake/gophers.h"
#include "fake/http_client.h"
#include "fake/pod_resources_server.h"
#include "kube/fake_api_server.h"

namespace patchbay::fake {

namespace fs = std::filesystem;
using kube::kPool;
using Names = std::set<std::string>;

inline constexpr const char* kUart = "lab.example.com/uart";
inline constexpr const char* kDisk = "lab.example.com/disk";

/// A kubelet that waits for the driver and for its answers.
class DriverKubelet {
 public:
  /// Registers the driver with this name by a live registration socket in `registry`.
  void register_driver(const std::string& registry, const std::string& driver = kPool.driver) {
    kubelet_ = {};
    ASSERT_TRUE(wait_until([&] { return kubelet_.register_driver(registry, driver); }));
  }

  std::string prepare(const std::string& uid) { return kubelet_.service()->prepare({uid}).get(); }
  std::string unprepare(const std::string& uid) {
    return kubelet_.service()->unprepare({uid}).get();
  }

 private:
  driver::DriverKubelet kubelet_;
};

/// Units are files: uarts of DRA, and gophers of the device plugin.
class DraDaemonTest : public DaemonTest {
 protected:
  DraDaemonTest() {
    fs::create_directories(registry());
    fs::create_directories(dir_ / "plugins");
    gophers_.plug("g1");
    plug("u1");
  }

  void start(const std::string& config) {
    if (!kubelet_) start_kubelet();
    const kube::Server api = api_.address();
    start_daemon_in({"env", "PATCHBAY_DRA_CHECK_SECONDS=" + check_seconds_}, config,
                    {"--node-name", kPool.node, "--kubelet-root", dir_.path(), "--api-server",
                     api.url, "--api-ca", api.ca_file, "--api-token-file", api.token_file});
  }
  /// Starts the daemon, and waits until the uart and the gopher can be used.
  void start_serving() {
    start(config({uart()}));
    ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
    ASSERT_TRUE(has_devices({"u1"}));
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  }

  [[nodiscard]] std::string config(const std::vector<std::string>& resources,
                                   const std::string& driver = kPool.driver) const {
    return gophers_.config() + join(resources, "") + "dra: {driver: " + driver + "}\n";
  }
  /// A resource, for config().
  [[nodiscard]] std::string resource(const std::string& name, const std::string& files,
                                     const std::string& serve = "dra") const {
    return "  - name: " + name + "\n    match: {glob: " + (dir_ / files) +
           "/*, type: file}\n    id: $(name)\n    linger: 0s\n    envs: {UNIT: $(id)}\n" +
           "    serve: " + serve + "\n" + more_;
  }
  [[nodiscard]] std::string uart(const std::string& serve = "dra") const {
    return resource(kUart, "uarts", serve);
  }
  void edit(const std::string& text) const {
    fs::rename(dir_.write("next.yaml", text), dir_ / "config.yaml");
  }

  void plug(const std::string& unit) const { dir_.write("uarts/" + unit, ""); }
  void unplug(const std::string& unit) const { fs::remove(dir_ / ("uarts/" + unit)); }
  [[nodiscard]] std::string registry() const { return dir_ / "plugins_registry"; }

  /// Waits until the stored slices have these units of a resource, and no other device. For no
  /// unit, there can be no slice.
  [[nodiscard]] testing::AssertionResult has_devices(const Names& units,
                                                     const std::string& resource = kUart) {
    Names wanted;
    for (const std::string& unit : units) wanted.insert(dra::device_name(resource, unit));
    Names stored;
    const bool equal = api_.wait_for_store([&](const kube::SliceStore& store) {
      stored = devices_of(store);
      return stored == wanted && (wanted.empty() || !store.objects().empty());
    });
    if (equal) return testing::AssertionSuccess();
    auto failure = testing::AssertionFailure() << testing::PrintToString(stored);
    for (const auto& line : daemon_->lines().all()) failure << "\n  " << line.text;
    return failure;
  }
  static Names devices_of(const kube::SliceStore& store) {
    Names names;
    for (const auto& [name, slice] : store.objects()) {
      for (const auto& device : slice["spec"].value("devices", Json::array())) {
        names.insert(device["name"].get<std::string>());
      }
    }
    return names;
  }

  /// The scheduler has given the unit to the ResourceClaim "lab/claim-UID".
  void allocate(const std::string& uid, const std::string& unit) {
    api_.allocate(uid, "uart", dra::device_name(kUart, unit));
  }
  /// The answer to Prepare for a ResourceClaim with that unit.
  static std::string prepared(const std::string& uid, const std::string& unit) {
    return R"(ok claims { key: ")" + uid +
           R"(" value { devices { request_names: "uart" pool_name: ")" + kPool.node +
           R"(" device_name: ")" + dra::device_name(kUart, unit) + R"(" cdi_device_ids: ")" +
           kPool.driver + "/claim=" + uid + R"(-uart" } } })";
  }
  static std::string unprepared(const std::string& uid) {
    return "ok claims { key: \"" + uid + "\" value { } }";
  }
  /// The files below a directory.
  [[nodiscard]] Names files_in(const std::string& directory) const {
    Names names;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(dir_ / directory, missing)) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  /// Waits for a "STATE: REASON" of the resource.
  [[nodiscard]] testing::AssertionResult becomes(const std::string& resource,
                                                 const std::string& wanted) const {
    std::string last;
    const bool equal = wait_until([&] {
      last = state_of(resource);
      return last == wanted;
    });
    return equal ? testing::AssertionSuccess() : testing::AssertionFailure() << last;
  }
  [[nodiscard]] std::string state_of(const std::string& resource) const {
    const auto status = Json::parse(http_body(status_socket(), "/status"), nullptr, false);
    if (!status.is_object()) return "no status";
    for (const auto& one : status["resources"]) {
      if (one["name"] != resource) continue;
      const auto& registration = one["registration"];
      return registration["kind"].get<std::string>() + " " +
             registration["state"].get<std::string>() + ": " +
             registration["reason"].get<std::string>();
    }
    return "no resource";
  }

  /// The process id of patchbay-kube. 0: not found, which can also mean that a thread of the daemon
  /// has ended meanwhile.
  [[nodiscard]] pid_t api_client() const {
    const std::string threads = "/proc/" + std::to_string(daemon_->pid()) + "/task";
    for (const auto& thread : fs::directory_iterator(threads)) {
      // Strings only: cpp-httplib brings a second libstdc++ into the release build of this test,
      // and then streams do not read numbers.
      const std::string children = read_text(thread.path() / "children");
      for (const std::string_view child : split(children, ' ')) {
        const auto pid = parse_whole<pid_t>(child);
        if (!pid) continue;  // The end of the list.
        if (read_text(fmt::format("/proc/{}/comm", *pid)) == "patchbay-kube\n") return *pid;
      }
    }
    return 0;
  }
  [[nodiscard]] std::string outage() const {
    return api_.address().url + ": cannot connect; check the address and the network";
  }
  static std::string held_back_by(const std::string& pods) {
    return "dra heldBack: Pods have units by the device plugin (" + pods +
           "): end them, or wait for their end";
  }
  using Json = nlohmann::json;

  std::string more_;  ///< Lines that resource() adds.
  std::string check_seconds_ = "600";
  Gophers gophers_{dir_};
  kube::FakeApiServer api_;
  PodResourcesServer pods_{pod_resources()};
  DriverKubelet driver_;
};

}  // namespace patchbay::fake
