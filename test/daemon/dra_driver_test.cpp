// Tests resources with `serve: dra`. The daemon and patchbay-kube are processes. The API server is
// a fake. The kubelet has two stand-ins: one for device plugins, and one for DRA drivers.
#include "daemon/dra_daemon_fixture.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using fake::kDisk;
using fake::kGopher;
using fake::kUart;
using fake::Names;
using fake::wait_until;
using kube::kPool;
using testing::ElementsAre;

class DraDriverTest : public fake::DraDaemonTest {};

TEST_F(DraDriverTest, EditMovesResourceToDraAndBack) {
  start(config({uart("devicePlugin")}));
  ASSERT_TRUE(lists(kUart, "u1=Healthy"));
  ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  edit(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  EXPECT_TRUE(has_devices({"u1"}));
  EXPECT_TRUE(becomes(kUart, "dra registered: "));
  EXPECT_TRUE(wait_until([&] { return kubelet_->streams_open(kUart) == 0; }));
  const size_t mark = kubelet_->log().size();
  edit(config({uart("devicePlugin")}));
  EXPECT_TRUE(has_devices({}));
  EXPECT_TRUE(lists(kUart, "u1=Healthy", mark));
  EXPECT_EQ(kubelet_->register_calls(kGopher), 1U);
  EXPECT_EQ(kubelet_->history(kGopher).size(), 1U);
  EXPECT_EQ(kubelet_->streams_open(kGopher), 1U);
}

TEST_F(DraDriverTest, PreparesAndUnpreparesAResourceClaim) {
  start_serving();
  allocate("a", "u1");
  EXPECT_EQ(driver_.prepare("a"), prepared("a", "u1"));
  EXPECT_THAT(files_in("plugins/patchbay/claims"), ElementsAre("a.json"));
  ASSERT_EQ(files_in("cdi").size(), 1U);
  std::ifstream file(dir_ / ("cdi/" + *files_in("cdi").begin()));
  EXPECT_EQ(Json::parse(file)["devices"],
            Json::parse(R"([{"name": "a-uart", "containerEdits": {"env": ["UNIT=u1"]}}])"));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_EQ(files_in("plugins/patchbay/claims"), Names{});
  EXPECT_EQ(files_in("cdi"), Names{});
}

TEST_F(DraDriverTest, UnpluggedDeviceLeavesSlice) {
  plug("u2");
  start(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  ASSERT_TRUE(has_devices({"u1", "u2"}));
  unplug("u1");
  EXPECT_TRUE(has_devices({"u2"}));
}

TEST_F(DraDriverTest, KilledApiClientIsReplaced) {
  start_serving();
  pid_t before = 0;
  ASSERT_TRUE(wait_until([&] { return (before = api_client()) != 0; }));
  kill(before, SIGKILL);
  EXPECT_TRUE(daemon_->wait_for_line("the API client ended: it is started again"));
  plug("u2");
  EXPECT_TRUE(has_devices({"u1", "u2"}));
  EXPECT_NE(api_client(), before);
  allocate("a", "u2");
  EXPECT_EQ(driver_.prepare("a"), prepared("a", "u2"));
}

TEST_F(DraDriverTest, KilledDaemonLeavesPreparedResourceClaim) {
  start_serving();
  allocate("a", "u1");
  ASSERT_EQ(driver_.prepare("a"), prepared("a", "u1"));
  stop_daemon(SIGKILL);
  EXPECT_EQ(files_in("cdi").size(), 1U);
  api_.with_store([](kube::SliceStore& store) { EXPECT_EQ(devices_of(store).size(), 1U); });
  start(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  // The answer needs the record only.
  api_.remove_claim(kube::FakeApiServer::claim_path("a"));
  EXPECT_EQ(driver_.prepare("a"), prepared("a", "u1"));
  EXPECT_EQ(driver_.unprepare("a"), unprepared("a"));
  EXPECT_EQ(files_in("plugins/patchbay/claims"), Names{});
  EXPECT_EQ(files_in("cdi"), Names{});
}

TEST_F(DraDriverTest, ApiOutageIsShownAndAffectsDraOnly) {
  start_serving();
  ASSERT_TRUE(becomes(kUart, "dra registered: "));
  api_.stop();
  plug("u2");
  EXPECT_TRUE(becomes(kUart, "dra notPublished: " + outage()));
  EXPECT_EQ(fake::http_body(status_socket(), "/readyz"), "ready\n");
  gophers_.plug("g2");
  EXPECT_TRUE(lists(kGopher, "g1=Healthy g2=Healthy"));
  EXPECT_EQ(state_of(kGopher), "devicePlugin registered: ");
  api_.start();
  EXPECT_TRUE(has_devices({"u1", "u2"}));
  EXPECT_TRUE(becomes(kUart, "dra registered: "));
}

TEST_F(DraDriverTest, DevicePluginWaitsUntilSlicesAreStored) {
  start_serving();
  api_.stop();
  edit(config({uart("devicePlugin")}));
  EXPECT_TRUE(becomes(kUart, "dra withdrawing: " + outage()));
  EXPECT_EQ(kubelet_->history(kUart).size(), 0U);
  api_.start();
  EXPECT_TRUE(lists(kUart, "u1=Healthy"));
  EXPECT_TRUE(becomes(kUart, "devicePlugin registered: "));
}

TEST_F(DraDriverTest, RecentAllocateHoldsBackItsResource) {
  start(config({uart("devicePlugin")}));
  ASSERT_TRUE(lists(kUart, "u1=Healthy"));
  ASSERT_TRUE(kubelet_->allocate(kUart, {"u1"}));
  edit(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  // The kubelet lists the Pod later, when it has admitted it.
  pods_.hold({{"lab", "p", "c", kUart, {"u1"}}});
  EXPECT_TRUE(becomes(kUart, held_back_by("lab/p")));
  api_.with_store([](kube::SliceStore& store) { EXPECT_EQ(devices_of(store), Names{}); });
}

TEST_F(DraDriverTest, PodWithAUnitHoldsBackItsResourceOnly) {
  dir_.write("disks/d1", "");
  pods_.hold({{"lab", "p", "c", kUart, {"u1"}}});
  start(config({uart(), resource(kDisk, "disks")}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  EXPECT_TRUE(has_devices({"d1"}, kDisk));
  EXPECT_TRUE(becomes(kUart, held_back_by("lab/p")));
  EXPECT_TRUE(becomes(kDisk, "dra registered: "));
  EXPECT_EQ(fake::http_body(status_socket(), "/readyz"), "ready\n");
  edit(config({uart()}));
  pods_.hold({});
  EXPECT_TRUE(has_devices({"u1"}));
}

TEST_F(DraDriverTest, NothingIsWrittenBeforeTheKubeletAnswers) {
  start_serving();
  stop_daemon();
  pods_.stop();
  unplug("u1");
  plug("u2");
  start(config({uart()}));
  ASSERT_NO_FATAL_FAILURE(driver_.register_driver(registry()));
  EXPECT_TRUE(wait_until([&] {
    return state_of(kUart).starts_with("dra heldBack: Pods may have units by the device plugin (");
  })) << state_of(kUart);
  EXPECT_TRUE(has_devices({"u1"})) << "slices of an earlier run stay";
  pods_.start();
  EXPECT_TRUE(has_devices({"u2"}));
}

}  // namespace
}  // namespace patchbay
