// Tests the notifications of `run` to a service manager, in the protocol of sd_notify().
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>

#include "base/unique_fd.h"
#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

/// The service manager: a socket that receives datagrams.
class Manager {
 public:
  explicit Manager(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(path, std::begin(address.sun_path));
    if (path.starts_with('@')) address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
      throw std::runtime_error("cannot listen at " + path);
    }
  }

  /// Waits for the next datagram. Empty if none comes.
  std::string heard() {
    pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    const auto patience = std::chrono::milliseconds(fake::kPatience).count();
    if (::poll(&waiting, 1, static_cast<int>(patience)) <= 0) return "";
    std::array<char, 256> text{};
    const ssize_t size = ::recv(socket_.get(), text.data(), text.size(), 0);
    return {text.data(), static_cast<size_t>(std::max<ssize_t>(size, 0))};
  }

  /// Whether no datagram is queued.
  bool silent() const {
    pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 0) == 0;
  }

 private:
  UniqueFd socket_;
};

/// Runs the daemon on a node where no kubelet has run.
class ServiceManagerTest : public CliTest {
 protected:
  ServiceManagerTest() {
    dir_.write("host/dev/line1", "");
    dir_.write("a.yaml",
               "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
               "  - {name: example.com/a, match: {glob: /dev/line*}}\n");
  }

  fake::Process start(Environment environment) {
    return fake::Process(
        patchbay({"run", dir_ / "a.yaml", "--host-root", dir_ / "host", "--kubelet-dir",
                  dir_ / "kubelet/device-plugins", "--cdi-dir", dir_ / "cdi", "--device-info-dir",
                  dir_ / "info", "--status-socket", dir_ / "status.sock"}),
        with_node(std::move(environment)));
  }

  static int ended(fake::Process& daemon) {
    daemon.send_signal(SIGTERM);
    return daemon.wait().exit_code;
  }
};

TEST_F(ServiceManagerTest, SendsReadyBeforeKubeletAppears) {
  Manager manager(dir_ / "notify.sock");
  auto daemon = start({{"NOTIFY_SOCKET", dir_ / "notify.sock"}});
  EXPECT_EQ(manager.heard(), "READY=1");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "kubelet"));
  EXPECT_EQ(ended(daemon), 0);
  EXPECT_EQ(manager.heard(), "STOPPING=1");
  EXPECT_TRUE(manager.silent());  // The manager did not request watchdog messages.
}

TEST_F(ServiceManagerTest, SupportsAbstractSocket) {
  const std::string name = "@patchbay-test" + (dir_ / "notify.sock");
  Manager manager(name);
  auto daemon = start({{"NOTIFY_SOCKET", name}});
  EXPECT_EQ(manager.heard(), "READY=1");
  EXPECT_EQ(ended(daemon), 0);
}

TEST_F(ServiceManagerTest, SendsWatchdogPingsOnRequest) {
  Manager manager(dir_ / "notify.sock");
  auto daemon = start({{"NOTIFY_SOCKET", dir_ / "notify.sock"}, {"WATCHDOG_USEC", "20000"}});
  std::string heard = manager.heard();
  // The first scan may take longer than the first watchdog message.
  while (heard == "WATCHDOG=1") heard = manager.heard();
  EXPECT_EQ(heard, "READY=1");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(manager.heard(), "WATCHDOG=1");
  EXPECT_EQ(ended(daemon), 0);
}

TEST_F(ServiceManagerTest, SendsNoWatchdogPingsForOtherProcess) {
  Manager manager(dir_ / "notify.sock");
  auto daemon = start(
      {{"NOTIFY_SOCKET", dir_ / "notify.sock"}, {"WATCHDOG_USEC", "20000"}, {"WATCHDOG_PID", "1"}});
  EXPECT_EQ(manager.heard(), "READY=1");
  EXPECT_EQ(ended(daemon), 0);
  EXPECT_EQ(manager.heard(), "STOPPING=1");
}

TEST_F(ServiceManagerTest, LogsMissingServiceManager) {
  auto daemon = start({{"NOTIFY_SOCKET", dir_ / "notify.sock"}, {"WATCHDOG_USEC", "20000"}});
  EXPECT_TRUE(daemon.wait_for_line("cannot notify the service manager"));
  EXPECT_EQ(ended(daemon), 0);
}

}  // namespace
}  // namespace patchbay::cli
