#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/patience.h"
#include "kube/daemon_end.h"
#include "kube/fake_api_server.h"

namespace patchbay::kube {
namespace {

/// The program as a process, with the socket as descriptor 3.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* daemon_program = std::getenv("PATCHBAY_BINARY");
    if (daemon_program == nullptr) GTEST_SKIP() << "PATCHBAY_BINARY is not set; use ctest";
    const std::string path = daemon_program;
    program_ = path.substr(0, path.rfind('/') + 1) + "patchbay-kube";
  }
  ~ProgramTest() override { EXPECT_FALSE(running_) << "not waited for"; }

  void start(const std::vector<std::string>& arguments) {
    std::array<int, 2> pair{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
    std::vector<char*> argv = {program_.data()};
    std::vector<std::string> copies = arguments;
    for (std::string& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(pair[1], 3);
      execv(argv[0], argv.data());
      _exit(127);
    }
    running_ = true;
    close(pair[1]);
    daemon.emplace(UniqueFd(pair[0]));
  }

  /// Waits for the end. Returns the exit code.
  int wait() {
    int status = -1;
    running_ = !fake::wait_until([&] { return waitpid(pid_, &status, WNOHANG) == pid_; });
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[nodiscard]] int rss_kib() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::atoi(line.c_str() + 6);
    }
    return 0;
  }

  std::optional<DaemonEnd> daemon;

 private:
  std::string program_;
  pid_t pid_ = -1;
  bool running_ = false;
};

/// A device like those that the daemon publishes.
Json device(int number) {
  Json attributes;
  for (const char* name : {"resource", "id", "usbVendor", "usbProduct", "usbSerial", "usbSocket"}) {
    attributes[name] = {{"string", std::string(name) + std::to_string(number)}};
  }
  attributes["resource.kubernetes.io/numaNode"] = {{"int", number % 2}};
  return {{"name", "uart-" + std::to_string(number)}, {"attributes", attributes}};
}

TEST_F(ProgramTest, StoresALargePoolAndEndsWithItsSocket) {
  FakeApiServer api;
  const Server server = api.address();
  start({"--driver", kPool.driver, "--node", kPool.node, "--api-server", server.url, "--api-ca",
         server.ca_file, "--api-token-file", server.token_file});
  daemon->send(R"({"hold": false})");
  EXPECT_EQ(daemon->wait_for("up"), R"({"api":"up"})");
  RecordProperty("rss_kib_started", rss_kib());
  std::string rows;
  for (int number = 1; number <= 20; ++number) {
    daemon->send(Json{{"wanted", number}, {"slices", 16}}.dump());
    for (int slice = 0; slice < 16; ++slice) {
      Json devices = Json::array();
      for (int i = 0; i < 64; ++i) devices.push_back(device(slice * 64 + i));
      if (slice == 15) devices[0]["attributes"]["id"]["string"] = std::to_string(number);
      daemon->send(Json{{"devices", devices}}.dump());
    }
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_NE(daemon->wait_for("\"stored\":" + std::to_string(number)), "");
    const auto took = std::chrono::steady_clock::now() - begin;
    rows += " " + std::to_string(std::chrono::round<std::chrono::microseconds>(took).count());
  }
  api.with_store([](const SliceStore& store) { EXPECT_EQ(store.objects().size(), 16U); });
  RecordProperty("stored_us", rows);
  RecordProperty("rss_kib_stored", rss_kib());
  daemon.reset();
  EXPECT_EQ(wait(), 0);
}

TEST_F(ProgramTest, NamesAWrongArgument) {
  testing::internal::CaptureStderr();
  start({"--nodes", "n"});
  EXPECT_EQ(wait(), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "patchbay-kube: unknown argument --nodes\n");
}

}  // namespace
}  // namespace patchbay::kube
