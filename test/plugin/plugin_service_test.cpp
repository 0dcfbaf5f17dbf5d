#include "plugin/plugin_service.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake/manual_loop.h"
#include "fake/patience.h"

namespace patchbay::plugin {
namespace {

/// gRPC closes its descriptor of a connection while another one is kept.
TEST(PluginServiceTest, PeerSeesThatGrpcEndedTheConnection) {
  fake::ManualLoop loop;  // It does not run, so the kept descriptor stays open.
  AnswerPaths paths(loop, {});
  PluginService service(
      loop, {.paths = paths, .devices_changed = {}, .prepare_start = {}, .allocated = {}});
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
  const UniqueFd peer(pair[0]);
  service.serve(UniqueFd(pair[1]),
                std::make_shared<ResourceChannel>(
                    std::make_shared<const inventory::Snapshot>(inventory::Snapshot{
                        .resource = std::make_shared<const rules::ResourcePlan>(), .units = {}})));
  // A frame of an impossible length, instead of SETTINGS.
  const std::string said = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string(9, '\xff');
  ASSERT_EQ(write(peer.get(), said.data(), said.size()), static_cast<ssize_t>(said.size()));
  ssize_t length = -1;
  std::array<char, 1024> bytes{};
  while (length != 0) {
    pollfd polled{.fd = peer.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&polled, 1, static_cast<int>(fake::kPatience.count())), 1);
    length = read(peer.get(), bytes.data(), bytes.size());
    ASSERT_GE(length, 0);
  }
  EXPECT_NE(fcntl(pair[1], F_GETFD), -1) << "it is still open here";
}

}  // namespace
}  // namespace patchbay::plugin
