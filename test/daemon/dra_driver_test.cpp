// Tests resources with `serve: dra`. The daemon and patchbay-kube are processes. The API server is
// a fake. The kubelet has two stand-ins: one for device plugins, and one for DRA drivers.
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
#include "driver/kubelet_side.h"
#include "fake/daemon_fixture.h"
#include "fake/golden.h"
#include "fake/gophers.h"
#include "fake/http_client.h"
#include "fake/pod_resources_server.h"
#include "kube/fake_api_server.h"
#include "rpc/unix_listener.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kGopher;
using fake::wait_until;
using kube::kPool;
using testing::ElementsAre;
using Kind = fake::KubeletEvent::Kind;
using Names = std::set<std::string>;

constexpr const char* kUart = "lab.example.com/uart";
constexpr const char* kDisk = "lab.example.com/disk";

/// A kubelet that registers the driver and calls it.
class DriverKubelet {
 public:
  /// Registers the driver with a live registration socket in `registry`.
  void register_driver(const std::string& registry) {
    std::string socket;
    ASSERT_TRUE(wait_until([&] {
      socket = find_socket(registry);
      return !socket.empty();
    }));
    registration_ = std::make_unique<driver::RegistrationClient>(socket);
    const std::string info = registration_->get_info().get();
    const std::string key = "endpoint: \"";
    const size_t begin = info.find(key) + key.size();
    service_ =
        std::make_unique<driver::DraClient>(info.substr(begin, info.find('"', begin) - begin));
    ASSERT_EQ(registration_->notify(true).get(), "ok ");
  }

  std::string prepare(const std::string& uid) { return service_->prepare({uid}).get(); }
  std::string unprepare(const std::string& uid) { return service_->unprepare({uid}).get(); }

 private:
  static std::string find_socket(const std::string& registry) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(registry, missing)) {
      // As the kubelet, which ignores sockets that do not have their final name.
      if (entry.path().filename().string().starts_with('.')) continue;
      if (rpc::connect_unix(entry.path())) return entry.path();
    }
    return {};
  }

  std::unique_ptr<driver::RegistrationClient> registration_;
  std::unique_ptr<driver::DraClient> service_;
};

/// Units are files: uarts of DRA, and gophers of the device plugin.
class DraDriverTest : public fake::DaemonTest {
 protected:
  DraDriverTest() {
    fs::create_directories(registry());
    fs::create_directories(dir_ / "plugins");
    gophers_.plug("g1");
    plug("u1");
  }

  void start(const std::string& config) {
    if (!kubelet_) start_kubelet();
    const kube::Server api = api_.address();
    start_daemon(config, {"--node-name", kPool.node, "--kubelet-root", dir_.path(), "--api-server",
                          api.url, "--api-ca", api.ca_file, "--api-token-file", api.token_file});
  }
  /// Starts the daemon, and waits until the uart and the gopher can be used.
  void start_serving() {
    start(config({uart()}));
    ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
    ASSERT_TRUE(has_devices({"u1"}));
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  }

  [[nodiscard]] std::string config(const std::vector<std::string>& resources) const {
    return gophers_.config() + join(resources, "") + "dra: {driver: " + kPool.driver + "}\n";
  }
  /// A resource, for config().
  [[nodiscard]] std::string resource(const std::string& name, const std::string& files,
                                     const std::string& serve = "dra") const {
    return "  - name: " + name + "\n    match: {glob: " + (dir_ / files) +
           "/*, type: file}\n    id: $(name)\n    linger: 0s\n    envs: {UNIT: $(id)}\n" +
           "    serve: " + serve + "\n";
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

  /// Waits until the stored slices have these units of a resource, and no other device.
  [[nodiscard]] testing::AssertionResult has_devices(const Names& units,
                                                     const std::string& resource = kUart) {
    Names wanted;
    for (const std::string& unit : units) wanted.insert(dra::device_name(resource, unit));
    Names stored;
    const bool equal = api_.wait_for_store([&](const kube::SliceStore& store) {
      stored = devices_of(store);
      return !store.objects().empty() && stored == wanted;
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
    const Json result{{"request", "uart"},
                      {"driver", kPool.driver},
                      {"pool", kPool.node},
                      {"device", dra::device_name(kUart, unit)}};
    api_.add_claim("/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/claim-" + uid,
                   {{"metadata", {{"namespace", "lab"}, {"name", "claim-" + uid}, {"uid", uid}}},
                    {"status",
                     {{"reservedFor", {{{"resource", "pods"}, {"name", "p"}, {"uid", "p"}}}},
                      {"allocation", {{"devices", {{"results", {result}}}}}}}}});
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
    const auto status = Json::parse(fake::http_body(status_socket(), "/status"), nullptr, false);
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
      const std::string children = fake::read_text(thread.path() / "children");
      for (const std::string_view child : split(children, ' ')) {
        const auto pid = parse_whole<pid_t>(child);
        if (!pid) continue;  // The end of the list.
        if (fake::read_text(fmt::format("/proc/{}/comm", *pid)) == "patchbay-kube\n") return *pid;
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
  /// The number of reads of ResourceClaims.
  [[nodiscard]] size_t claim_reads() const {
    return api_.requests().count([](const std::string& request) {
      return request.find("resourceclaims") != std::string::npos;
    });
  }

  using Json = nlohmann::json;

  fake::Gophers gophers_{dir_};
  kube::FakeApiServer api_;
  fake::PodResourcesServer pods_{pod_resources()};
  DriverKubelet driver_;
};

TEST_F(DraDriverTest, EditMovesResourceToDraAndBack) {
  start(config({uart("devicePlugin")}));
  ASSERT_TRUE(lists(kUart, "u1=Healthy"));
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  edit(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  EXPECT_TRUE(has_devices({"u1"}));
  EXPECT_TRUE(becomes(kUart, "dra registered: "));
  EXPECT_TRUE(wait_until([&] { return kubelet_->streams_open(kUart) == 0; }));
  const size_t mark = kubelet_->log().size();
  edit(config({uart("devicePlugin")}));
  EXPECT_TRUE(has_devices({}));
  EXPECT_TRUE(lists(kUart, "u1=Healthy", mark));
  EXPECT_EQ(kubelet_->register_calls(kGopher), 1U);
  EXPECT_EQ(kubelet_->history(kGopher).size(), 1U);
  EXPECT_EQ(kubelet_->streams_open(kGopher), 1U);
}

TEST_F(DraDriverTest, PreparesAndUnpreparesAResourceClaim) {
  start_serving();
  allocate("a", "u1");
  EXPECT_EQ(driver_.prepare("a"), prepared("a", "u1"));
  EXPECT_THAT(files_in("plugins/patchbay/claims"), ElementsAre("a.json"));
  ASSERT_EQ(files_in("cdi").size(), 1U);
  std::ifstream file(dir_ / ("cdi/" + *files_in("cdi").begin()));
  EXPECT_EQ(Json::parse(file)["devices"],
            Json::parse(R"([{"name": "a-uart", "containerEdits": {"env": ["UNIT=u1"]}}])"));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_EQ(files_in("plugins/patchbay/claims"), Names{});
  EXPECT_EQ(files_in("cdi"), Names{});
}

TEST_F(DraDriverTest, UnpluggedDeviceLeavesSlice) {
  plug("u2");
  start(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  ASSERT_TRUE(has_devices({"u1", "u2"}));
  unplug("u1");
  EXPECT_TRUE(has_devices({"u2"}));
}

TEST_F(DraDriverTest, KilledApiClientIsReplaced) {
  start_serving();
  pid_t before = 0;
  ASSERT_TRUE(wait_until([&] { return (before = api_client()) != 0; }));
  kill(before, SIGKILL);
  EXPECT_TRUE(daemon_->wait_for_line("the API client ended: it is started again"));
  plug("u2");
  EXPECT_TRUE(has_devices({"u1", "u2"}));
  EXPECT_NE(api_client(), before);
  allocate("a", "u2");
  EXPECT_EQ(driver_.prepare("a"), prepared("a", "u2"));
}

TEST_F(DraDriverTest, KilledDaemonLeavesPreparedResourceClaim) {
  start_serving();
  allocate("a", "u1");
  ASSERT_EQ(driver_.prepare("a"), prepared("a", "u1"));
  stop_daemon(SIGKILL);
  EXPECT_EQ(files_in("cdi").size(), 1U);
  api_.with_store([](kube::SliceStore& store) { EXPECT_EQ(devices_of(store).size(), 1U); });
  start(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  const size_t reads = claim_reads();
  EXPECT_EQ(driver_.prepare("a"), prepared("a", "u1"));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_EQ(claim_reads(), reads);
  EXPECT_EQ(files_in("plugins/patchbay/claims"), Names{});
  EXPECT_EQ(files_in("cdi"), Names{});
}

TEST_F(DraDriverTest, ApiOutageIsShownAndAffectsDraOnly) {
  start_serving();
  ASSERT_TRUE(becomes(kUart, "dra registered: "));
  api_.stop();
  plug("u2");
  EXPECT_TRUE(becomes(kUart, "dra notPublished: " + outage()));
  EXPECT_EQ(fake::http_body(status_socket(), "/readyz"), "ready\n");
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_EQ(state_of(kGopher), "devicePlugin registered: ");
  api_.start();
  EXPECT_TRUE(has_devices({"u1", "u2"}));
  EXPECT_TRUE(becomes(kUart, "dra registered: "));
}

TEST_F(DraDriverTest, DevicePluginWaitsUntilSlicesAreStored) {
  start_serving();
  api_.stop();
  edit(config({uart("devicePlugin")}));
  EXPECT_TRUE(becomes(kUart, "dra withdrawing: " + outage()));
  EXPECT_EQ(kubelet_->history(kUart).size(), 0U);
  api_.start();
  EXPECT_TRUE(lists(kUart, "u1=Healthy"));
  EXPECT_TRUE(becomes(kUart, "devicePlugin registered: "));
}

TEST_F(DraDriverTest, RecentAllocateHoldsBackItsResource) {
  start(config({uart("devicePlugin")}));
  ASSERT_TRUE(lists(kUart, "u1=Healthy"));
  ASSERT_TRUE(kubelet_->allocate(kUart, {"u1"}));
  edit(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  // The kubelet lists the Pod later, when it has admitted it.
  pods_.hold({{"lab", "p", "c", kUart, {"u1"}}});
  EXPECT_TRUE(becomes(kUart, held_back_by("lab/p")));
  api_.with_store([](kube::SliceStore& store) { EXPECT_EQ(devices_of(store), Names{}); });
}

TEST_F(DraDriverTest, PodWithAUnitHoldsBackItsResourceOnly) {
  dir_.write("disks/d1", "");
  pods_.hold({{"lab", "p", "c", kUart, {"u1"}}});
  start(config({uart(), resource(kDisk, "disks")}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  EXPECT_TRUE(has_devices({"d1"}, kDisk));
  EXPECT_TRUE(becomes(kUart, held_back_by("lab/p")));
  EXPECT_TRUE(becomes(kDisk, "dra registered: "));
  EXPECT_EQ(fake::http_body(status_socket(), "/readyz"), "ready\n");
  edit(config({uart()}));
  pods_.hold({});
  EXPECT_TRUE(has_devices({"u1"}));
}

TEST_F(DraDriverTest, NothingIsWrittenBeforeTheKubeletAnswers) {
  start_serving();
  stop_daemon();
  pods_.stop();
  unplug("u1");
  plug("u2");
  start(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  EXPECT_TRUE(wait_until([&] {
    return state_of(kUart).starts_with("dra heldBack: Pods may have units by the device plugin (");
  })) << state_of(kUart);
  EXPECT_TRUE(has_devices({"u1"})) << "slices of an earlier run stay";
  pods_.start();
  EXPECT_TRUE(has_devices({"u2"}));
}

}  // namespace
}  // namespace patchbay
