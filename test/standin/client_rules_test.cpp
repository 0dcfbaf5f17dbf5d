#include "standin/standin_fixture.h"

namespace patchbay::standin {
namespace {

using fake::ClientRules;
using fake::FakeKubelet;
using fake::ScriptedPlugin;

/// Tests two plugins of one resource. `new_` registers after `old_`.
class ClientRulesTest : public StandinTest {
 protected:
  explicit ClientRulesTest(ClientRules rules)
      : kubelet_({.directory = directory(), .rules = rules}) {
    old_.send({"from-old"});
    new_.send({"from-new"});
    answer_with(old_, "old");
    answer_with(new_, "new");
  }

  void register_both() {
    ASSERT_TRUE(old_.register_as(kGpu).ok());
    ASSERT_TRUE(old_.wait_for(PluginKind::list_written));
    ASSERT_TRUE(new_.register_as(kGpu).ok());
    ASSERT_TRUE(new_.wait_for(PluginKind::list_written));
    ASSERT_TRUE(kubelet_.log().wait_until([&](const auto& events) {
      return std::ranges::count(events, KubeletKind::listed, &fake::KubeletEvent::kind) == 2;
    }));
  }

  static void answer_with(ScriptedPlugin& plugin, const std::string& name) {
    v1beta1::AllocateResponse answer;
    (*answer.add_container_responses()->mutable_envs())["FROM"] = name;
    plugin.set_allocate(answer);
  }

  /// The plugin that Allocate calls, or the error.
  std::string allocated_by() {
    const auto answer = kubelet_.allocate(kGpu, {"x"});
    return answer ? answer->envs().at("FROM") : answer.error().message;
  }

  bool ended(const std::string& endpoint) {
    return kubelet_.log()
        .wait_for([&](const fake::KubeletEvent& event) {
          return event.kind == KubeletKind::ended && event.endpoint == endpoint;
        })
        .has_value();
  }

  FakeKubelet kubelet_;
  ScriptedPlugin old_{directory(), "old.sock"};
  ScriptedPlugin new_{directory(), "new.sock"};
};

class ByNameTest : public ClientRulesTest {
 protected:
  ByNameTest() : ClientRulesTest(ClientRules::by_name) {}
};

TEST_F(ByNameTest, NewestPluginAllocatesAndOldStreamStaysOpen) {
  register_both();
  EXPECT_EQ(allocated_by(), "new");
  old_.send({"from-old", "more"});
  EXPECT_TRUE(kubelet_.wait_for_list(kGpu, [](const auto& list) { return list.size() == 2; }));
  EXPECT_EQ(kubelet_.streams_open(kGpu), 2U);
}

TEST_F(ByNameTest, EndOfOldStreamDisconnectsNewestPlugin) {
  register_both();
  old_.end_streams();
  EXPECT_TRUE(new_.wait_for(PluginKind::stream_cancelled));
  EXPECT_TRUE(ended("new.sock"));
  EXPECT_EQ(kubelet_.streams_open(kGpu), 0U);
  EXPECT_EQ(allocated_by(), "NOT_FOUND: no plugin for example.com/gpu");
}

TEST_F(ByNameTest, EndOfNewStreamKeepsOldStream) {
  register_both();
  new_.end_streams();
  ASSERT_TRUE(ended("new.sock"));
  EXPECT_EQ(allocated_by(), "NOT_FOUND: no plugin for example.com/gpu");
  const size_t mark = kubelet_.log().size();
  old_.send({"still-here"});
  EXPECT_TRUE(kubelet_.wait_for(KubeletKind::listed, kGpu, mark));
}

TEST_F(ByNameTest, AcceptsSamePathTwice) {
  ASSERT_TRUE(old_.register_as(kGpu).ok());
  EXPECT_TRUE(old_.register_as(kGpu).ok());
  EXPECT_TRUE(old_.wait_for(PluginKind::stream_opened, 2));
}

class ByNameAndPathTest : public ClientRulesTest {
 protected:
  ByNameAndPathTest() : ClientRulesTest(ClientRules::by_name_and_path) {}
};

TEST_F(ByNameAndPathTest, BothPluginsStayAndNewestAllocates) {
  register_both();
  EXPECT_EQ(allocated_by(), "new");
  EXPECT_EQ(kubelet_.streams_open(kGpu), 2U);
}

TEST_F(ByNameAndPathTest, OldPluginAllocatesAfterNewStreamEnds) {
  register_both();
  new_.end_streams();
  ASSERT_TRUE(ended("new.sock"));
  EXPECT_EQ(allocated_by(), "old");
  EXPECT_EQ(old_.count(PluginKind::stream_cancelled), 0U);
}

TEST_F(ByNameAndPathTest, EndOfOldStreamKeepsNewStream) {
  register_both();
  old_.end_streams();
  ASSERT_TRUE(ended("old.sock"));
  EXPECT_EQ(allocated_by(), "new");
  const size_t mark = kubelet_.log().size();
  new_.send({"still-here"});
  EXPECT_TRUE(kubelet_.wait_for(KubeletKind::listed, kGpu, mark));
  EXPECT_EQ(new_.count(PluginKind::stream_cancelled), 0U);
}

TEST_F(ByNameAndPathTest, RejectsSamePathWhileItsStreamIsOpen) {
  ASSERT_TRUE(old_.register_as(kGpu).ok());
  ASSERT_TRUE(old_.wait_for(PluginKind::stream_opened));
  const auto again = old_.register_as(kGpu);
  EXPECT_EQ(again.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(again.error_message(), "device plugin already connected: " + directory() + "/old.sock");
  EXPECT_EQ(allocated_by(), "old");
  EXPECT_EQ(old_.count(PluginKind::stream_opened), 1U);
  EXPECT_EQ(old_.count(PluginKind::stream_cancelled), 0U);

  old_.end_streams();
  ASSERT_TRUE(ended("old.sock"));
  EXPECT_TRUE(old_.register_as(kGpu).ok());
}

TEST_F(ByNameAndPathTest, OnePathServesTwoResources) {
  ASSERT_TRUE(old_.register_as(kGpu).ok());
  EXPECT_TRUE(old_.register_as(kNic).ok());
}

}  // namespace
}  // namespace patchbay::standin
