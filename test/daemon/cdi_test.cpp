// Tests the CDI specs that the running daemon writes.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fake/daemon_fixture.h"
#include "fake/hanging_mount.h"
#include "fake/http_client.h"

namespace patchbay {
namespace {

constexpr const char* kUart = "example.com/uart";

/// Links simulate adapters. A replug changes the target of a link.
class CdiTest : public fake::DaemonTest {
 protected:
  void plug(const std::string& name, const std::string& node) const {
    std::filesystem::create_directories(dir_ / "dev");
    std::filesystem::create_symlink(node, dir_ / ("dev/" + name));
  }
  /// Waits until the HTTP path reports why the daemon cannot write specs.
  [[nodiscard]] bool reports(const std::string& path, const std::string& before_reason) const {
    const std::string reason = before_reason +
                               "cannot write unit files: cannot create the "
                               "directory " +
                               (dir_ / "cdi") + ": Not a directory";
    return fake::wait_until(
        [&] { return fake::http_body(status_socket(), path).find(reason) != std::string::npos; });
  }
  void unplug(const std::string& name) const { std::filesystem::remove(dir_ / ("dev/" + name)); }
  void start(const std::string& more = {}) {
    start_kubelet();
    start_again({}, more);
  }
  void start_again(const std::vector<std::string>& prefix, const std::string& more) {
    start_daemon_in(prefix, "apiVersion: patchbay/v1\nkind: Config\nresources:\n  - name: " +
                                std::string(kUart) +
                                "\n    linger: 0s\n    match: {glob: " + (dir_ / "dev/uart*") +
                                ", type: char}\n    id: $(name)\n"
                                "    devices: [{hostPath: $(path), containerPath: /dev/$(name)}]\n"
                                "    envs: {UART: $(id)}\n    cdi: write\n" +
                                more);
  }
  [[nodiscard]] std::string spec() const {
    std::ifstream in(spec_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const std::string spec_ = dir_ / "cdi/patchbay-example.com_uart.json";
};

std::string spec_of(const std::string& name, const std::string& node) {
  return R"({
  "cdiVersion": "0.5.0",
  "kind": "example.com/uart",
  "devices": [
    {
      "name": ")" +
         name + R"(",
      "containerEdits": {
        "deviceNodes": [
          {
            "path": "/dev/)" +
         name + R"(",
            "hostPath": ")" +
         node + R"(",
            "permissions": "rw"
          }
        ]
      }
    }
  ]
}
)";
}

TEST_F(CdiTest, WritesSpecsBeforeListAndAfterReplug) {
  plug("uart0", "/dev/null");
  start();
  ASSERT_TRUE(lists(kUart, "uart0=Healthy"));
  EXPECT_EQ(spec(), spec_of("uart0", "/dev/null"));
  size_t mark = kubelet_->log().size();
  unplug("uart0");
  ASSERT_TRUE(lists(kUart, "", mark));
  EXPECT_FALSE(std::filesystem::exists(spec_));
  mark = kubelet_->log().size();
  plug("uart0", "/dev/zero");
  ASSERT_TRUE(lists(kUart, "uart0=Healthy", mark));
  EXPECT_EQ(spec(), spec_of("uart0", "/dev/zero"));
}

TEST_F(CdiTest, AllocateNamesCdiDevice) {
  plug("uart0", "/dev/null");
  plug("uart1", "/dev/zero");
  start();
  ASSERT_TRUE(lists(kUart, "uart0=Healthy uart1=Healthy"));
  const auto answer = kubelet_->allocate(kUart, {"uart1", "uart0"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->DebugString(), R"(envs {
  key: "UART"
  value: "uart0,uart1"
}
cdi_devices {
  name: "example.com/uart=uart0"
}
cdi_devices {
  name: "example.com/uart=uart1"
}
)");
}

TEST_F(CdiTest, RegistersOnlyWhenSpecsAreWritten) {
  dir_.write("cdi", "in the way");
  plug("uart0", "/dev/null");
  start("  - {name: example.com/other, match: {glob: /dev/full}, id: $(name)}\n");
  ASSERT_TRUE(lists("example.com/other", "full=Healthy")) << "others do not wait";
  ASSERT_TRUE(daemon_->wait_for_line("cannot write unit files: the resource is not registered"));
  EXPECT_EQ(kubelet_->register_calls(kUart), 0U);
  EXPECT_TRUE(reports("/readyz?verbose", "registration failed: "));
  std::filesystem::remove(dir_ / "cdi");
  plug("uart1", "/dev/zero");
  EXPECT_TRUE(lists(kUart, "uart0=Healthy uart1=Healthy"));
}

TEST_F(CdiTest, KeepsPreviousListWhileSpecsCannotBeWritten) {
  plug("uart0", "/dev/null");
  start();
  ASSERT_TRUE(lists(kUart, "uart0=Healthy"));
  const size_t mark = kubelet_->log().size();
  std::filesystem::remove_all(dir_ / "cdi");
  dir_.write("cdi", "in the way");
  plug("uart1", "/dev/zero");
  ASSERT_TRUE(daemon_->wait_for_line("cannot write unit files: keeping the previous device list"));
  EXPECT_TRUE(reports("/status", R"("reason":")"));
  std::filesystem::remove(dir_ / "cdi");
  plug("uart2", "/dev/full");
  EXPECT_TRUE(lists(kUart, "uart0=Healthy uart1=Healthy uart2=Healthy", mark));
}

TEST_F(CdiTest, SpecsStayWhileNoDaemonRuns) {
  plug("uart0", "/dev/null");
  start();
  ASSERT_TRUE(lists(kUart, "uart0=Healthy"));
  stop_daemon();
  EXPECT_EQ(spec(), spec_of("uart0", "/dev/null"));
  unplug("uart0");
  start();
  ASSERT_TRUE(lists(kUart, ""));
  EXPECT_FALSE(std::filesystem::exists(spec_));
}

/// When the other resource is listed, the daemon has written files. The spec of the hung unit must
/// still exist.
TEST_F(CdiTest, KeepsSpecsOfUnitsWithHungPath) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  const std::string other =
      "  - {name: example.com/other, match: {glob: /dev/null}, id: $(name), cdi: write}\n";
  plug("uart0", "/dev/null");
  start(other);
  ASSERT_TRUE(lists(kUart, "uart0=Healthy"));
  stop_daemon(SIGKILL);
  fake::HangingMount hanging{fake::HangingMount::Over{dir_ / "dev"}};
  size_t mark = kubelet_->log().size();
  start_again({"env", "ASAN_OPTIONS=detect_leaks=0"}, other);
  ASSERT_TRUE(lists("example.com/other", "null=Healthy", mark));
  EXPECT_EQ(spec(), spec_of("uart0", "/dev/null"));
  ASSERT_TRUE(lists(kUart, "", mark)) << "what hangs is not waited for";
  EXPECT_EQ(spec(), spec_of("uart0", "/dev/null"));
  mark = kubelet_->log().size();
  hanging.let_go();
  unplug("uart0");
  plug("uart1", "/dev/zero");
  ASSERT_TRUE(lists(kUart, "uart1=Healthy", mark));
  EXPECT_EQ(spec(), spec_of("uart1", "/dev/zero"));
}

}  // namespace
}  // namespace patchbay
