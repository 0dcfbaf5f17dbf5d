#include "driver/driver_sockets.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "driver/kubelet_side.h"
#include "driver/scripted_handler.h"
#include "fake/manual_inotify.h"
#include "fake/manual_loop.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "rpc/endpoint_name.h"

namespace patchbay::driver {
namespace {

namespace fs = std::filesystem;
using State = DriverRegistration::State;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kDriver = "patchbay.lab.example.com";

/// A driver below a directory in place of /var/lib/kubelet, on the real loop.
class DriverSocketsTest : public testing::Test {
 protected:
  DriverSocketsTest() {
    fs::create_directories(dir_ / "plugins_registry");
    fs::create_directories(dir_ / "plugins");
  }

  void start(const std::string& root) {
    sockets_ = std::make_unique<DriverSockets>(
        loop_, *inotify_, *service_, calls_,
        DriverSockets::Options{.kubelet_root = root, .driver = kDriver, .on_change = [] {}});
  }
  void start() { start(dir_.path()); }

  /// The names of the files in a directory below the root.
  [[nodiscard]] std::vector<std::string> files(const std::string& directory) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_ / directory)) {
      names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }
  static std::string name(uint64_t n) { return rpc::short_endpoint_name(kDriver, "01234567", n); }
  [[nodiscard]] std::string service_path(uint64_t n = 0) const {
    return dir_ / "plugins/patchbay/" + name(n);
  }
  [[nodiscard]] std::string registration_path(uint64_t n = 1) const {
    return dir_ / "plugins_registry/" + name(n);
  }

  [[nodiscard]] bool wait_for(const std::function<bool()>& done) {
    return fake::run_until(loop_, done);
  }
  [[nodiscard]] bool wait_for(State state) {
    return wait_for([&] { return sockets_->registration().state == state; });
  }
  /// Waits until the handler has got `calls` calls.
  [[nodiscard]] bool wait_for_calls(size_t calls) {
    return wait_for([&] { return handler_.log().size() == calls; });
  }
  /// Runs the loop until the answer.
  std::string answer_of(CallText text) {
    const bool ready = wait_for(
        [&] { return text.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    return ready ? text.get() : "no answer";
  }

  fake::TempDir dir_;
  loop::UvLoop loop_;
  std::unique_ptr<loop::Inotify> inotify_ = loop::Inotify::create(loop_).value();
  ScriptedHandler handler_;
  CallQueue calls_{handler_, [](const std::string&) {}};
  std::unique_ptr<DriverService> service_ = std::make_unique<DriverService>(loop_, "01234567");
  std::unique_ptr<DriverSockets> sockets_;
};

TEST_F(DriverSocketsTest, CreatesBothSocketsForRootOnly) {
  start();
  EXPECT_THAT(files("plugins_registry"), ElementsAre(name(1)));
  EXPECT_THAT(files("plugins/patchbay"), ElementsAre(name(0)));
  for (const std::string& path : {service_path(), registration_path()}) {
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
  EXPECT_EQ(fs::status(dir_ / "plugins/patchbay").permissions(), fs::perms::owner_all);
  sockets_.reset();
  EXPECT_THAT(files("plugins_registry"), IsEmpty());
  EXPECT_THAT(files("plugins/patchbay"), IsEmpty());
}

TEST_F(DriverSocketsTest, AnswersGetInfo) {
  start();
  RegistrationClient kubelet(registration_path());
  EXPECT_EQ(answer_of(kubelet.get_info()),
            "ok type: \"DRAPlugin\" name: \"patchbay.lab.example.com\" endpoint: \"" +
                service_path() + "\" supported_versions: \"v1.DRAPlugin\"");
}

TEST_F(DriverSocketsTest, ReportsTheKubeletsAnswerAndConnection) {
  start();
  EXPECT_EQ(sockets_->registration().state, State::waiting);
  RegistrationClient registration(registration_path());
  EXPECT_EQ(answer_of(registration.notify(false, "no handler")), "ok ");
  EXPECT_TRUE(wait_for(State::rejected));
  EXPECT_EQ(sockets_->registration().reason,
            "the kubelet rejects it (no handler); check that Kubernetes is 1.34 or newer");
  auto kubelet = std::make_unique<DraClient>(service_path());
  EXPECT_EQ(answer_of(registration.notify(true)), "ok ");
  EXPECT_TRUE(wait_for(State::registered));
  kubelet.reset();
  EXPECT_TRUE(wait_for(State::disconnected));
  kubelet = std::make_unique<DraClient>(service_path());
  EXPECT_TRUE(wait_for(State::registered));
}

TEST_F(DriverSocketsTest, AnswersEachResourceClaimOfACall) {
  start();
  DraClient kubelet(service_path());
  auto prepared = kubelet.prepare({"a", "b"});
  ASSERT_TRUE(wait_for_calls(2));
  EXPECT_THAT(handler_.take_log(), ElementsAre("prepare a lab/claim-a", "prepare b lab/claim-b"));
  handler_.end("b", fail("/dev/ttyUSB0: unplugged"));
  handler_.end(
      "a", ClaimOutcome{{{.requests = {"uart", "spare"},
                          .pool = "node-1",
                          .device = "uart-1",
                          .cdi_ids = {"d/claim=a-1", "d/claim=a-uart"}},
                         {.requests = {}, .pool = "node-1", .device = "uart-2", .cdi_ids = {}}}});
  EXPECT_EQ(answer_of(std::move(prepared)),
            "ok claims { key: \"a\" value { "
            "devices { request_names: \"uart\" request_names: \"spare\" pool_name: \"node-1\" "
            "device_name: \"uart-1\" cdi_device_ids: \"d/claim=a-1\" "
            "cdi_device_ids: \"d/claim=a-uart\" } "
            "devices { pool_name: \"node-1\" device_name: \"uart-2\" } } } "
            "claims { key: \"b\" value { error: \"/dev/ttyUSB0: unplugged\" } }");
  auto unprepared = kubelet.unprepare({"a", "b"});
  ASSERT_TRUE(wait_for_calls(2));
  EXPECT_THAT(handler_.take_log(),
              ElementsAre("unprepare a lab/claim-a", "unprepare b lab/claim-b"));
  handler_.end("a");
  handler_.end("b", fail("busy"));
  EXPECT_EQ(answer_of(std::move(unprepared)),
            "ok claims { key: \"a\" value { } } claims { key: \"b\" value { error: \"busy\" } }");
}

TEST_F(DriverSocketsTest, AnswersOtherCallsWhileOneIsOpen) {
  start();
  DraClient kubelet(service_path());
  auto slow = kubelet.prepare({"slow"});
  ASSERT_TRUE(wait_for_calls(1));
  auto fast = kubelet.prepare({"fast"});
  ASSERT_TRUE(wait_for_calls(2));
  handler_.end("fast");
  EXPECT_EQ(answer_of(std::move(fast)), "ok claims { key: \"fast\" value { } }");
  auto ended = kubelet.unprepare({"slow"});
  ASSERT_TRUE(wait_for_calls(3));
  EXPECT_EQ(handler_.log().back(), "stop slow");
  handler_.end("slow", fail("stopped"));
  EXPECT_EQ(answer_of(std::move(slow)), "ok claims { key: \"slow\" value { error: \"stopped\" } }");
  ASSERT_TRUE(wait_for_calls(4));
  handler_.end("slow");
  EXPECT_EQ(answer_of(std::move(ended)), "ok claims { key: \"slow\" value { } }");
}

TEST_F(DriverSocketsTest, OpenCallOutlivesTheSockets) {
  start();
  DraClient kubelet(service_path());
  auto open = kubelet.prepare({"a"});
  ASSERT_TRUE(wait_for_calls(1));
  sockets_.reset();
  handler_.end("a", fail("unplugged"));
  EXPECT_EQ(answer_of(std::move(open)), "ok claims { key: \"a\" value { error: \"unplugged\" } }");
  // The connection lasts until the kubelet closes it.
  EXPECT_EQ(answer_of(kubelet.prepare({"b"})), "14 patchbay no longer serves this driver");
}

/// As when the loop has ended before it ran the task of a call.
TEST_F(DriverSocketsTest, OpenCallsFailWhenTheServiceEnds) {
  const auto owner = std::make_shared<ServiceOwner>(kDriver);
  std::atomic<int> calls = 0;
  std::vector<CallAnswer> unanswered;  // Changed on gRPC's thread.
  owner->on_call = [&](CallKind /*kind*/, const auto& /*claims*/, CallAnswer answer) {
    unanswered.push_back(std::move(answer));
    ++calls;
  };
  const auto listener = rpc::UnixListener::open(
      loop_, dir_ / "s", [&](UniqueFd fd) { service_->serve(std::move(fd), owner); });
  ASSERT_TRUE(listener);
  DraClient kubelet(dir_ / "s");
  auto prepared = kubelet.prepare({"a"});
  auto unprepared = kubelet.unprepare({"b"});
  ASSERT_TRUE(wait_for([&] { return calls == 2; }));
  service_.reset();
  EXPECT_EQ(prepared.get(), "14 patchbay is shutting down");
  EXPECT_EQ(unprepared.get(), "14 patchbay is shutting down");
}

TEST_F(DriverSocketsTest, ServiceIsNotReachableByTheRegistrationSocket) {
  start();
  DraClient kubelet(registration_path());
  EXPECT_THAT(answer_of(kubelet.prepare({"a"})), HasSubstr(" has no owner"));
  EXPECT_THAT(handler_.log(), IsEmpty());
}

TEST_F(DriverSocketsTest, SecondDriverHasItsOwnHandler) {
  start();
  ScriptedHandler second_handler;
  CallQueue second_calls(second_handler, [](const std::string&) {});
  second_handler.at_once = true;
  const DriverSockets second(
      loop_, *inotify_, *service_, second_calls,
      {.kubelet_root = dir_.path(), .driver = "b.example.com", .on_change = [] {}});
  DraClient kubelet(dir_ / "plugins/patchbay/" +
                    rpc::short_endpoint_name("b.example.com", "01234567", 2));
  EXPECT_EQ(answer_of(kubelet.prepare({"a"})), "ok claims { key: \"a\" value { } }");
  EXPECT_THAT(second_handler.log(), ElementsAre("prepare a lab/claim-a"));
  EXPECT_THAT(handler_.log(), IsEmpty());
}

TEST_F(DriverSocketsTest, DeletedRegistrationSocketIsReplacedWithBoth) {
  start();
  RegistrationClient registration(registration_path());
  const DraClient kubelet(service_path());
  EXPECT_EQ(answer_of(registration.notify(true)), "ok ");
  EXPECT_TRUE(wait_for(State::registered));
  fs::remove(registration_path());
  ASSERT_TRUE(wait_for(State::waiting));
  EXPECT_THAT(files("plugins_registry"), ElementsAre(name(3)));
  EXPECT_THAT(files("plugins/patchbay"), ElementsAre(name(2)));
  // The answer is about the sockets before.
  EXPECT_EQ(answer_of(registration.notify(true)), "ok ");
  EXPECT_EQ(
      answer_of(RegistrationClient(registration_path(3)).get_info()).find(service_path(2)),
      std::string("ok type: \"DRAPlugin\" name: \"patchbay.lab.example.com\" endpoint: \"").size());
  EXPECT_EQ(sockets_->registration().state, State::waiting);
}

TEST_F(DriverSocketsTest, DeletedServiceSocketIsReplacedWhenTheKubeletDisconnects) {
  start();
  auto kubelet = std::make_unique<DraClient>(service_path());
  EXPECT_EQ(answer_of(RegistrationClient(registration_path()).notify(true)), "ok ");
  EXPECT_TRUE(wait_for(State::registered));
  fs::remove(service_path());
  kubelet.reset();
  EXPECT_TRUE(wait_for(State::waiting));
  EXPECT_THAT(files("plugins/patchbay"), ElementsAre(name(2)));
}

TEST_F(DriverSocketsTest, WaitsForTheKubeletsDirectory) {
  fs::remove_all(dir_ / "plugins_registry");
  start();
  EXPECT_EQ(sockets_->registration().state, State::no_socket);
  EXPECT_EQ(sockets_->registration().reason,
            "cannot create a socket in " + dir_ / "plugins_registry" +
                ": No such file or directory: check --kubelet-root and its mounts");
  EXPECT_THAT(files("plugins/patchbay"), IsEmpty());
  fs::create_directories(dir_ / "plugins_registry");
  EXPECT_TRUE(wait_for(State::waiting));
  fs::remove_all(dir_ / "plugins_registry");
  EXPECT_TRUE(wait_for(State::no_socket));
  fs::create_directories(dir_ / "plugins_registry");
  EXPECT_TRUE(wait_for(State::waiting));
}

TEST_F(DriverSocketsTest, RemovesStaleSocketsOfEarlierProcesses) {
  start();
  const auto living = std::move(sockets_);
  for (const std::string& directory : {dir_ / "plugins_registry/", dir_ / "plugins/patchbay/"}) {
    // The file of a socket without a listener, as a killed process leaves it.
    const auto dead =
        rpc::UnixListener::open(loop_, directory + "dead", [](UniqueFd /*connection*/) {});
    ASSERT_TRUE(dead);
    fs::create_hard_link(directory + "dead", directory + "patchbay-0-0-0.sock");
  }
  start();
  EXPECT_THAT(files("plugins_registry"), ElementsAre(name(1), name(3)));
  EXPECT_THAT(files("plugins/patchbay"), ElementsAre(name(0), name(2)));
}

TEST_F(DriverSocketsTest, SocketsFitBelowTheLongRootOfMicroK8s) {
  std::string root = dir_ / "";
  root.resize(std::string("/var/snap/microk8s/common/var/lib/kubelet").size(), 'k');
  fs::create_directories(root + "/plugins_registry");
  fs::create_directories(root + "/plugins");
  start(root);
  EXPECT_EQ(sockets_->registration().state, State::waiting) << sockets_->registration().reason;
}

TEST_F(DriverSocketsTest, TooLongRootIsReportedOnce) {
  const std::string root = dir_ / std::string(80, 'k');
  fs::create_directories(root + "/plugins_registry");
  fs::create_directories(root + "/plugins");
  fake::ManualLoop loop;
  fake::ManualInotify inotify;
  DriverService service(loop, "01234567");
  int changes = 0;
  const DriverSockets sockets(
      loop, inotify, service, calls_,
      {.kubelet_root = root, .driver = kDriver, .on_change = [&] { ++changes; }});
  loop.advance(std::chrono::minutes(1));
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(sockets.registration().reason,
            "socket path " + root + "/plugins/patchbay/patchbay-" + stable_hash_hex(kDriver, 8) +
                "-01234567-99999999.sock has 159 bytes, a unix socket takes 107: check "
                "--kubelet-root and its mounts");
}

TEST_F(DriverSocketsTest, PollReplacesDeletedServiceSocket) {
  fake::ManualLoop loop;
  fake::ManualInotify inotify;
  DriverService service(loop, "01234567");
  const DriverSockets sockets(loop, inotify, service, calls_,
                              {.kubelet_root = dir_.path(), .driver = kDriver, .on_change = [] {}});
  loop.advance(std::chrono::minutes(1));
  EXPECT_THAT(files("plugins/patchbay"), ElementsAre(name(0)));
  fs::remove(service_path());
  loop.advance(std::chrono::seconds(10));
  EXPECT_THAT(files("plugins/patchbay"), ElementsAre(name(2)));
  EXPECT_THAT(files("plugins_registry"), ElementsAre(name(3)));
}

}  // namespace
}  // namespace patchbay::driver
