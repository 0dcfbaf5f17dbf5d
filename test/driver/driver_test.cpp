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
#include "driver/claim_spec.h"
#include "driver/fake_api_client.h"
#include "driver/kubelet_side.h"
#include "driver/pool_fixture.h"
#include "fake/runner_fixture.h"
#include "rpc/endpoint_name.h"

namespace patchbay::driver {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A whole driver, with real sockets, threads and files, and a program in place of patchbay-kube.
class DriverTest : public fake::RunnerTest {
 protected:
  static constexpr const char* kName = "dra.lab.io";

  DriverTest() {
    fs::create_directories(dir / "plugins_registry");
    fs::create_directories(dir / "plugins");
  }

  void start() {
    driver_.emplace(Driver::Environment{.loop = loop,
                                        .inotify = *inotify_,
                                        .work = threads,
                                        .steps = *steps_,
                                        .service = service_},
                    Driver::Options{.name = kName,
                                    .node = "node-1",
                                    .kubelet_root = dir.path(),
                                    .cdi_directory = dir / "cdi",
                                    .boot_id = "boot-1",
                                    .root = {},
                                    .kube = api_.options()},
                    plan_, [this] { ++acknowledgements_; });
  }
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
  std::unique_ptr<steps::StepRunner> steps_ =
      steps::StepRunner::create(loop, *inotify_, threads, {});
  DriverService service_{loop, "01234567"};
  FakeApiClient api_{dir};
  rules::PlanPtr plan_ = inventory::plan_of(
      "  - name: a.io/disk\n    match: {static: [d]}\n    envs: {DISK: $(id)}\n");
  inventory::SnapshotPtr list_;
  int acknowledgements_ = 0;
  std::optional<Driver> driver_;
};

TEST_F(DriverTest, PublishesWhileRegisteredAndPreparesResourceClaims) {
  start();
  set({"d1"});
  driver_->hold(false);
  auto number = pool_with("d1 ");
  ASSERT_TRUE(number);
  EXPECT_FALSE(api_.received().contains(R"({"hold":false})")) << "no kubelet has registered it";
  const std::string registration_path = dir / "plugins_registry/" + name(1);
  ASSERT_TRUE(until([&] { return fs::exists(registration_path); }));
  RegistrationClient registration(registration_path);
  DraClient kubelet(dir / "plugins/patchbay/" + name(0));
  EXPECT_EQ(answer_of(registration.notify(true)), "ok ");
  EXPECT_TRUE(received(R"({"hold":false})"));

  api_.send("{\"stored\":" + std::to_string(*number) + "}\n");
  EXPECT_TRUE(until([&] { return driver_->state().stored; }));
  EXPECT_EQ(driver_->acknowledged("a.io/disk"), list_);
  EXPECT_EQ(acknowledgements_, 1);

  const std::string device = dra::device_name("a.io/disk", "d1");
  auto prepared = kubelet.prepare({"a"});
  EXPECT_TRUE(received(R"({"get":1,"namespace":"lab","name":"claim-a"})"));
  api_.send(R"({"got":1,"claim":{"metadata":{"uid":"a","namespace":"lab","name":"claim-a"},)"
            R"("status":{"allocation":{"devices":{"results":[{"driver":"dra.lab.io",)"
            R"("pool":"node-1","request":"disk","device":")" +
            device + R"("}]}},"reservedFor":[{"name":"pod"}]}}})" + "\n");
  EXPECT_EQ(answer_of(std::move(prepared)),
            "ok claims { key: \"a\" value { devices { request_names: \"disk\" pool_name: "
            "\"node-1\" device_name: \"" +
                device + "\" cdi_device_ids: \"dra.lab.io/claim=a-disk\" } } }");
  EXPECT_TRUE(fs::exists(dir / "cdi/" + claim_spec_name("a")));

  // The unit is lost, but its ResourceClaim has it.
  set({"d2"});
  EXPECT_TRUE(pool_with("d1 d2 "));
  EXPECT_EQ(answer_of(kubelet.unprepare({"a"})), "ok claims { key: \"a\" value { } }");
  EXPECT_TRUE(pool_with("d2 "));
  EXPECT_FALSE(fs::exists(dir / "cdi/" + claim_spec_name("a")));
}

TEST_F(DriverTest, StateHasTheProblemOfTheApiServer) {
  start();
  set({"d1"});
  ASSERT_TRUE(pool_with("d1 "));
  api_.send("{\"rejected\":1,\"reason\":\"too long\"}\n");
  EXPECT_TRUE(until([&] { return driver_->state().problem == "too long"; }));
  EXPECT_FALSE(driver_->state().stored);
  api_.send("{\"api\":\"down\",\"reason\":\"timed out\"}\n");
  EXPECT_TRUE(until([&] { return driver_->state().problem == "timed out"; }));
}

TEST_F(DriverTest, SocketsExistOnceTheRecordsCanBeRead) {
  const std::string records = dir.write("plugins/patchbay/claims", "a file");
  start();
  EXPECT_TRUE(until([&] { return !driver_->state().registration.reason.empty(); }));
  EXPECT_EQ(driver_->state().registration.state, DriverRegistration::State::no_socket);
  EXPECT_THAT(driver_->state().registration.reason, HasSubstr("Not a directory"));
  EXPECT_TRUE(fs::is_empty(dir / "plugins_registry"));
  fs::remove(records);
  EXPECT_TRUE(until([&] { return fs::exists(dir / "plugins_registry/" + name(1)); }));
}

}  // namespace
}  // namespace patchbay::driver
