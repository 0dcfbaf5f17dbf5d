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

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "fake/manual_loop.h"
#include "fake/patience.h"
#include "proto/deviceplugin_v1beta1.grpc.pb.h"

namespace patchbay::plugin {
namespace {

std::shared_ptr<ResourceChannel> channel_without_units() {
  return std::make_shared<ResourceChannel>(std::make_shared<const inventory::Snapshot>(
      inventory::Snapshot{.resource = std::make_shared<const rules::ResourcePlan>(), .units = {}}));
}

/// gRPC closes its descriptor while the daemon keeps another one of the same connection.
TEST(PluginServiceTest, PeerSeesThatGrpcEndedTheConnection) {
  fake::ManualLoop loop;  // Does not run, so the kept descriptor stays open.
  AnswerPaths paths(loop, {});
  PluginService service(
      loop, {.paths = paths, .devices_changed = {}, .prepare_start = {}, .allocated = {}});
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
  const UniqueFd peer(pair[0]);
  service.serve(UniqueFd(pair[1]), channel_without_units());
  // Sends a frame of an impossible length instead of SETTINGS.
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

/// The end of a rejected stream must not count as the end of an earlier one. On the earlier stream
/// the kubelet may still have the list.
TEST(PluginServiceTest, RejectedStreamOfWithdrawnResourceReportsNoEvent) {
  fake::ManualLoop loop;
  AnswerPaths paths(loop, {});
  const auto channel = channel_without_units();
  std::vector<StreamEvent> events;  // Read after the end of gRPC's thread.
  channel->on_stream = [&](StreamEvent event) { events.push_back(event); };
  {
    PluginService service(
        loop, {.paths = paths, .devices_changed = {}, .prepare_start = {}, .allocated = {}});
    std::array<int, 2> pair{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    service.end_streams(channel);
    service.serve(UniqueFd(pair[1]), channel);
    const auto stub =
        v1beta1::DevicePlugin::NewStub(grpc::CreateInsecureChannelFromFd("localhost", pair[0]));
    grpc::ClientContext context;
    const auto stream = stub->ListAndWatch(&context, {});
    v1beta1::ListAndWatchResponse list;
    EXPECT_FALSE(stream->Read(&list));
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  EXPECT_TRUE(events.empty());
}

}  // namespace
}  // namespace patchbay::plugin
