// Tests that ResourceClaims end, whatever happens to the driver and its configuration.
#include <future>

#include "daemon/dra_daemon_fixture.h"

namespace patchbay {
namespace {

using fake::kUart;
using fake::Names;
using fake::wait_until;
using kube::kPool;

constexpr const char* kOther = "other.lab.example.com";

class DraEndTest : public fake::DraDaemonTest {
 protected:
  /// Starts the daemon, with the ResourceClaim "a" prepared for u1.
  void start_with_claim() {
    start_serving();
    allocate("a", "u1");
    ASSERT_EQ(driver_.prepare("a"), prepared("a", "u1"));
  }
  /// The same, and then the configuration names another driver, which gets the free device u2. It
  /// has waited for the deletion of the former slices.
  void start_with_claim_of_a_former_driver() {
    start_with_claim();
    plug("u2");
    ASSERT_TRUE(has_devices({"u1", "u2"}));
    edit(config({uart()}, kOther));
    ASSERT_NO_FATAL_FAILURE(other_.register_driver(registry(), kOther));
    ASSERT_TRUE(has_devices({"u2"}));
  }
  /// The drivers of the status: "NAME STATE CLAIM:PHASE".
  [[nodiscard]] std::string drivers() const {
    const auto status = Json::parse(fake::http_body(status_socket(), "/status"), nullptr, false);
    if (!status.is_object()) return "no status";
    std::string text;
    for (const auto& driver : status["draDrivers"]) {
      text += (text.empty() ? "" : ", ") + driver["name"].get<std::string>() + " " +
              driver["state"].get<std::string>();
      for (const auto& claim : driver["claims"]) {
        text += " " + claim["name"].get<std::string>() + ":" + claim["phase"].get<std::string>();
      }
    }
    return text;
  }
  [[nodiscard]] testing::AssertionResult drivers_become(const std::string& wanted) const {
    std::string last;
    const bool equal = wait_until([&] { return (last = drivers()) == wanted; });
    return equal ? testing::AssertionSuccess() : testing::AssertionFailure() << last;
  }
  /// Waits until the API server has no slice of the driver.
  [[nodiscard]] bool has_no_slice(const std::string& driver = kPool.driver) {
    return api_.wait_for_store(
        [&](const kube::SliceStore& store) { return store.list(driver)["items"].empty(); });
  }

  fake::DriverKubelet other_;  ///< For the driver kOther.
};

TEST_F(DraEndTest, DriverWithoutResourcesDrainsUntilItsLastResourceClaim) {
  start_with_claim();
  plug("u2");
  ASSERT_TRUE(has_devices({"u1", "u2"}));
  edit(gophers_.config());
  EXPECT_TRUE(drivers_become(std::string(kPool.driver) + " draining claim-a:prepared"));
  EXPECT_TRUE(has_no_slice());
  EXPECT_EQ(driver_.prepare("a"), prepared("a", "u1")) << "a known ResourceClaim";
  allocate("b", "u2");
  EXPECT_TRUE(driver_.prepare("b").contains("the configuration does not have the DRA driver"))
      << driver_.prepare("b");
  EXPECT_EQ(driver_.unprepare("b"), unprepared("b"));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_TRUE(drivers_become(""));
  EXPECT_EQ(files_in("plugins_registry"), Names{});
}

TEST_F(DraEndTest, DriverDrainsUntilItsLastCallHasEnded) {
  ASSERT_NO_FATAL_FAILURE(start_with_claim_of_a_former_driver());
  allocate("b", "u2");
  api_.fail({.method = "GET", .path_part = "claim-b", .slow = true});
  auto answer = std::async(std::launch::async, [this] { return driver_.prepare("b"); });
  const auto reads_b = [](const std::string& request) { return request.contains("claim-b"); };
  ASSERT_TRUE(wait_until([&] { return api_.requests().count(reads_b) > 0; }));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_TRUE(has_devices({"u1", "u2"}));
  EXPECT_TRUE(drivers_become(std::string(kOther) + " active, " + kPool.driver + " draining"));
  api_.release();
  EXPECT_TRUE(answer.get().contains("error"));
  EXPECT_EQ(driver_.unprepare("b"), unprepared("b"));
  EXPECT_TRUE(drivers_become(std::string(kOther) + " active"));
}

TEST_F(DraEndTest, DriverWithoutResourceClaimsEndsAtOnce) {
  start_serving();
  edit(gophers_.config());
  EXPECT_TRUE(has_no_slice());
  EXPECT_TRUE(drivers_become(""));
}

TEST_F(DraEndTest, DeviceIsPublishedByAnotherDriverWhenItsResourceClaimHasEnded) {
  ASSERT_NO_FATAL_FAILURE(start_with_claim_of_a_former_driver());
  EXPECT_TRUE(drivers_become(std::string(kOther) + " active, " + kPool.driver +
                             " draining claim-a:prepared"));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_TRUE(has_devices({"u1", "u2"}));
  EXPECT_TRUE(has_no_slice());
}

TEST_F(DraEndTest, EditBackEndsTheDraining) {
  start_with_claim();
  edit(gophers_.config());
  EXPECT_TRUE(drivers_become(std::string(kPool.driver) + " draining claim-a:prepared"));
  EXPECT_TRUE(has_devices({}));
  edit(config({uart()}));
  EXPECT_TRUE(has_devices({"u1"}));
  EXPECT_TRUE(drivers_become(std::string(kPool.driver) + " active claim-a:prepared"));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
}

TEST_F(DraEndTest, DevicePluginWithholdsTheUnitOfAResourceClaim) {
  start_with_claim();
  edit(config({uart("devicePlugin")}));
  EXPECT_TRUE(lists(kUart, "u1=Unhealthy"));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_TRUE(lists(kUart, "u1=Healthy"));
}

TEST_F(DraEndTest, RenamedResourcePublishesTheUnitLater) {
  start_with_claim();
  const std::string renamed = resource("lab.example.com/serial", "uarts");
  edit(config({renamed}));
  // The device of the ResourceClaim stays, under its name.
  EXPECT_TRUE(has_devices({"u1"}));
  EXPECT_TRUE(daemon_->wait_for_line("unit is withheld: a Pod or ResourceClaim has its device"));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_TRUE(has_devices({"u1"}, "lab.example.com/serial"));
}

TEST_F(DraEndTest, EditsWhileTheDaemonIsStoppedHaveTheSameEffect) {
  start_with_claim();
  stop_daemon();
  start(config({uart("devicePlugin")}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  EXPECT_TRUE(lists(kUart, "u1=Unhealthy"));
  EXPECT_EQ(kubelet_->history(kUart).size(), 1U) << "the first list has its state";
  EXPECT_TRUE(has_devices({}));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_TRUE(lists(kUart, "u1=Healthy"));
  EXPECT_TRUE(has_no_slice());
  EXPECT_TRUE(drivers_become(""));

  edit(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  ASSERT_TRUE(has_devices({"u1"}));
  ASSERT_EQ(driver_.prepare("a"), prepared("a", "u1"));
  stop_daemon();
  start(config({uart()}, kOther));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  fake::DriverKubelet other;
  ASSERT_NO_FATAL_FAILURE(other.register_driver(registry(), kOther));
  EXPECT_TRUE(has_devices({}));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_TRUE(has_devices({"u1"}));
}

TEST_F(DraEndTest, ReleaseRunsAtTheEndOfTheResourceClaim) {
  const std::string file = dir_.write("released", "no");
  more_ = "    release: [{write: {path: " + file + ", value: $(id)}}]\n";
  start_with_claim();
  EXPECT_EQ(fake::read_text(file), "no");
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_EQ(fake::read_text(file), "u1");
}

TEST_F(DraEndTest, FailedReleaseIsRepeatedByTheKubelet) {
  const std::string file = dir_ / "missing";
  more_ = "    release: [{write: {path: " + file + ", value: $(id)}}]\n";
  start_with_claim();
  const std::string failed = driver_.unprepare("a");
  EXPECT_TRUE(failed.contains("release: device ")) << failed;
  EXPECT_TRUE(daemon_->wait_for_line("a step of release failed: its device stays occupied"));
  EXPECT_TRUE(drivers_become(std::string(kPool.driver) + " active claim-a:releasing"));
  dir_.write("missing", "");
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_EQ(fake::read_text(file), "u1");
}

TEST_F(DraEndTest, ResourceClaimThatNothingHasIsReleased) {
  check_seconds_ = "1";
  start_with_claim();
  api_.remove_claim(kube::FakeApiServer::claim_path("a"));
  EXPECT_TRUE(wait_until([&] { return files_in("plugins/patchbay/claims").empty(); }));
  EXPECT_EQ(files_in("cdi"), Names{});
  EXPECT_TRUE(drivers_become(std::string(kPool.driver) + " active"));
}

TEST_F(DraEndTest, RecordOfANewerProgramAffectsDraOnly) {
  dir_.write("plugins/patchbay/claims/a.json", R"({"version": 2})");
  start(config({uart()}));
  EXPECT_TRUE(lists(fake::kGopher, "g1=Healthy"));
  EXPECT_TRUE(wait_until([&] { return state_of(kUart).contains("run the newer version"); }))
      << state_of(kUart);
  EXPECT_EQ(files_in("plugins_registry"), Names{});
}

}  // namespace
}  // namespace patchbay
