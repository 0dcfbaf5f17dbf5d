// Clients of the plugin socket other than a kubelet.
#include <list>
#include <string>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"
#include "fake/http2_peer.h"

namespace patchbay {
namespace {

using fake::kGopher;

class OtherPeers : public fake::DaemonTest {
 protected:
  OtherPeers() { gophers_.plug("g1"); }

  fake::Gophers gophers_{dir_};
};

TEST_F(OtherPeers, IdlePeersDoNotBlockRegistration) {
  start_kubelet();
  kubelet_->set_faults({.block_register = true}, kGopher);
  start_daemon(gophers_.config());
  const auto registering = kubelet_->wait_for(Kind::register_called, kGopher);
  ASSERT_TRUE(registering);
  // They connect before the kubelet does.
  const std::string to = kubelet_directory() + "/" + registering->endpoint;
  std::list<fake::Http2Peer> peers;
  for (int i = 0; i < 20; ++i) {
    peers.emplace_back(to, true);   // Sends nothing.
    peers.emplace_back(to, false);  // Sends only the preface.
  }
  kubelet_->set_faults({}, kGopher);
  EXPECT_TRUE(lists(kGopher, "g1=Healthy"));
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"}));
  EXPECT_EQ(stop_daemon().exit_code, 0);
}

TEST_F(OtherPeers, ExcessiveRequestsAreRejectedWithReason) {
  start_kubelet();
  start_daemon(gophers_.config());
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  v1beta1::AllocateRequest request;
  for (int i = 0; i < 100'000; ++i) request.add_container_requests();
  v1beta1::AllocateResponse response;
  const auto status =
      kubelet_->call(kGopher, &v1beta1::DevicePlugin::Stub::Allocate, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "the request has too many fields: the limit is 88380");
  request.mutable_container_requests()->DeleteSubrange(0, 99'000);
  EXPECT_EQ(kubelet_->call(kGopher, &v1beta1::DevicePlugin::Stub::Allocate, request, response)
                .error_message(),
            "the request is for 1000 containers; the limit is 256");
  EXPECT_TRUE(daemon_->wait_for_line("refused a request"));
  EXPECT_TRUE(kubelet_->allocate(kGopher, {"g1"})) << "the connection lives";
  EXPECT_EQ(stop_daemon().exit_code, 0);
  EXPECT_EQ(daemon_->count_lines("\"allocated\""), 1U);
}

}  // namespace
}  // namespace patchbay
