#include "driver/driver.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "dra/device_name.h"
#include "driver/fake_api_client.h"
#include "driver/kubelet_side.h"
#include "driver/pool_fixture.h"
#include "driver/scripted_handler.h"
#include "fake/runner_fixture.h"
#include "rpc/endpoint_name.h"

namespace patchbay::driver {
namespace {

namespace fs = std::filesystem;

/// A whole driver, with real sockets, threads and files, and a program in place of patchbay-kube.
class DriverTest : public fake::RunnerTest {
 protected:
  static constexpr const char* kName = "dra.lab.io";

  DriverTest() {
    fs::create_directories(dir / "plugins_registry");
    fs::create_directories(dir / "plugins");
  }

  void start(const rules::PlanPtr& plan) {
    driver_.emplace(
        Driver::Environment{.loop = loop,
                            .inotify = *inotify_,
                            .work = threads,
                            .service = service_,
                            .calls = calls_,
                            .counters = counters_},
        Driver::Options{.name = kName, .kubelet_root = dir.path(), .kube = api_.options()}, plan,
        Driver::Callbacks{.acknowledged = [this] { ++acknowledgements_; },
                          .prepared =
                              [this] {
                                std::vector<const RecordedDevice*> devices;
                                for (const auto& device : prepared_) devices.push_back(&device);
                                return devices;
                              }});
  }
  void start() { start(plan_); }
  /// The kubelet registers the driver.
  void register_driver() {
    const std::string path = dir / "plugins_registry/" + name(1);
    ASSERT_TRUE(until([&] { return fs::exists(path); }));
    registration_.emplace(path);
    kubelet_.emplace(dir / "plugins/patchbay/" + name(0));
    EXPECT_EQ(answer_of(registration_->notify(true)), "ok ");
    EXPECT_TRUE(received(R"({"hold":false})"));
  }
  void stored(int64_t number) { api_.send("{\"stored\":" + std::to_string(number) + "}\n"); }
  void set(const std::vector<std::string>& ids) {
    list_ = list_of(plan_->resources.at(0), ids);
    driver_->set(list_);
  }
  static std::string name(uint64_t n) { return rpc::short_endpoint_name(kName, "01234567", n); }

  /// The number of the newest wanted pool of which the program has all slices, and its ids; waits
  /// for these ids.
  [[nodiscard]] std::optional<int64_t> pool_with(const std::string& ids) {
    std::optional<int64_t> number;
    const bool found = until([&] {
      std::istringstream lines(api_.received());
      bool is_newest = false;
      for (std::string line; std::getline(lines, line);) {
        const Json message = Json::parse(line, nullptr, false);
        if (message.contains("wanted")) number = message["wanted"].get<int64_t>();
        if (message.contains("devices")) is_newest = text_of({message["devices"]}) == ids;
      }
      return is_newest;
    });
    return found ? number : std::nullopt;
  }
  [[nodiscard]] bool received(const std::string& text) {
    return until([&] { return api_.received().contains(text); });
  }
  std::string answer_of(CallText text) {
    EXPECT_TRUE(
        until([&] { return text.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
    return text.get();
  }

  std::unique_ptr<loop::Inotify> inotify_ = loop::Inotify::create(loop).value();
  ScriptedHandler handler_;
  CallQueue calls_{handler_, [](const std::string&) {}};
  DriverService service_{loop, "01234567"};
  status::Counters counters_;
  FakeApiClient api_{dir};
  rules::PlanPtr plan_ = inventory::plan_of(
      "  - name: a.io/disk\n    match: {static: [d]}\n    envs: {DISK: $(id)}\n");
  inventory::SnapshotPtr list_;
  std::vector<RecordedDevice> prepared_;
  std::optional<RegistrationClient> registration_;
  std::optional<DraClient> kubelet_;
  int acknowledgements_ = 0;
  std::optional<Driver> driver_;
};

TEST_F(DriverTest, PublishesWhileRegistered) {
  start();
  set({"d1"});
  driver_->hold(false);
  const auto number = pool_with("d1 ");
  ASSERT_TRUE(number);
  EXPECT_FALSE(api_.received().contains(R"({"hold":false})")) << "no kubelet has registered it";
  ASSERT_NO_FATAL_FAILURE(register_driver());
  stored(*number);
  EXPECT_TRUE(until([&] { return driver_->state().stored; }));
  EXPECT_EQ(driver_->acknowledged("a.io/disk"), list_);
  EXPECT_EQ(acknowledgements_, 1);
  EXPECT_EQ(driver_->find(dra::device_name("a.io/disk", "d1"))->unit, &list_->units.front());
}

TEST_F(DriverTest, CallsAndResourceClaimsHaveTheNameOfTheDriver) {
  start();
  driver_->hold(false);
  ASSERT_NO_FATAL_FAILURE(register_driver());
  auto prepared = kubelet_->prepare({"a"});
  EXPECT_TRUE(until([&] { return !handler_.log().empty(); }));
  EXPECT_EQ(handler_.last().driver, kName);
  handler_.end("a");
  EXPECT_TRUE(answer_of(std::move(prepared)).starts_with("ok "));
  auto unprepared = kubelet_->unprepare({"a"});
  EXPECT_TRUE(until([&] { return handler_.log().size() == 2; }));
  handler_.end("a");
  EXPECT_TRUE(answer_of(std::move(unprepared)).starts_with("ok "));
  EXPECT_EQ(counters_.dra_prepares.values().up_to.back(), 1U) << "Unprepare does not count";

  std::string got;
  driver_->get_claim(handler_.last(),
                     [&](const Result<Json>& claim) { got = json_text(*claim, -1); });
  EXPECT_TRUE(received(R"({"get":1,"namespace":"lab","name":"claim-a"})"));
  api_.send("{\"got\":1,\"claim\":{\"kind\":\"ResourceClaim\"}}\n");
  EXPECT_TRUE(until([&] { return !got.empty(); }));
  EXPECT_EQ(got, "{\"kind\":\"ResourceClaim\"}\n");
}

TEST_F(DriverTest, LostUnitOfAResourceClaimStaysPublished) {
  start();
  prepared_ = {recorded(plan_->resources.at(0), "d1")};
  set({"d2"});
  EXPECT_TRUE(pool_with("d1* d2 "));
  prepared_.clear();
  driver_->claims_changed();
  EXPECT_TRUE(pool_with("d2 "));
}

TEST_F(DriverTest, DrainingDriverDeletesItsSlices) {
  start();
  prepared_ = {recorded(plan_->resources.at(0), "d1")};
  set({"d1", "d2"});
  const auto full = pool_with("d1 d2 ");
  ASSERT_TRUE(full);
  EXPECT_FALSE(driver_->is_draining());
  driver_->drain();
  EXPECT_TRUE(driver_->is_draining());
  EXPECT_TRUE(received(R"({"wanted":)" + std::to_string(*full + 1) + R"(,"slices":0})"));
  ASSERT_NO_FATAL_FAILURE(register_driver());
  EXPECT_FALSE(driver_->is_withdrawn());
  stored(*full + 1);
  EXPECT_TRUE(until([&] { return driver_->is_withdrawn(); }));
  EXPECT_EQ(acknowledgements_, 1);
  EXPECT_EQ(driver_->acknowledged("a.io/disk"), nullptr);
  EXPECT_EQ(driver_->find(dra::device_name("a.io/disk", "d1")), std::nullopt);
}

/// As before Kubernetes 1.34, whose kubelet deletes the slices of other drivers.
TEST_F(DriverTest, DrainingDriverThatTheKubeletRejectsIsWithdrawn) {
  start(nullptr);
  const std::string path = dir / "plugins_registry/" + name(1);
  ASSERT_TRUE(until([&] { return fs::exists(path); }));
  RegistrationClient registration(path);
  EXPECT_FALSE(driver_->is_withdrawn());
  EXPECT_EQ(answer_of(registration.notify(false, "no handler")), "ok ");
  EXPECT_TRUE(until([&] { return driver_->is_withdrawn(); }));
  EXPECT_GT(acknowledgements_, 0);
}

TEST_F(DriverTest, OpenRequestFailsWhenTheDriverEnds) {
  start();
  std::string got;
  driver_->get_claim({.driver = kName, .uid = "a", .namespace_name = "lab", .name = "a"},
                     [&](const Result<Json>& claim) { got = claim.error().message; });
  driver_.reset();
  EXPECT_TRUE(until([&] { return !got.empty(); }));
  EXPECT_EQ(got, "the DRA driver has ended; the kubelet calls again");
}

TEST_F(DriverTest, DriverWithoutAPlanDrains) {
  start(nullptr);
  EXPECT_TRUE(driver_->is_draining());
  EXPECT_TRUE(received(R"({"wanted":1,"slices":0})"));
  ASSERT_NO_FATAL_FAILURE(register_driver());
}

TEST_F(DriverTest, StateHasTheProblemOfTheApiServer) {
  start();
  set({"d1"});
  ASSERT_TRUE(pool_with("d1 "));
  api_.send("{\"wrote\":\"succeeded\"}\n{\"wrote\":\"rejected\"}\n{\"wrote\":\"rejected\"}\n");
  api_.send("{\"rejected\":1,\"reason\":\"too long\"}\n");
  EXPECT_TRUE(until([&] { return driver_->state().rejection == "too long"; }));
  EXPECT_FALSE(driver_->state().stored);
  std::vector<uint64_t> writes;
  for (const status::Counter& counter : counters_.slice_writes) writes.push_back(counter.value());
  EXPECT_THAT(writes, testing::ElementsAre(1, 0, 2));
  api_.send("{\"api\":\"down\",\"reason\":\"timed out\"}\n");
  EXPECT_TRUE(until([&] { return driver_->state().api_problem == "timed out"; }));
}

}  // namespace
}  // namespace patchbay::driver
