#include "plugin/kubelet_availability.h"

#include <string>

#include <gmock/gmock.h>

#include "fake/manual_loop.h"
#include "fake/temp_dir.h"

namespace patchbay::plugin {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Changes of the state are logged below the level of warnings, so the tests see warnings only.
class KubeletAvailabilityTest : public testing::Test {
 protected:
  std::string warnings_within(loop::Milliseconds time) {
    testing::internal::CaptureStderr();
    loop_.advance(time);
    return testing::internal::GetCapturedStderr();
  }

  fake::TempDir dir_;
  fake::ManualLoop loop_;
  KubeletAvailability wait_{loop_, dir_ / "plugins/kubelet.sock"};
};

TEST_F(KubeletAvailabilityTest, WarnsOnceIfKubeletIsUnreachableForOneMinute) {
  wait_.unreachable("connection refused");
  EXPECT_EQ(warnings_within(59s), "");
  wait_.unreachable("connection refused, still");
  EXPECT_THAT(warnings_within(1s),
              HasSubstr("still waiting for the kubelet socket=" + (dir_ / "plugins/kubelet.sock") +
                        " reason=\"connection refused, still\"\n"));
  wait_.unreachable("connection refused");
  EXPECT_EQ(warnings_within(1h), "") << "once";
}

TEST_F(KubeletAvailabilityTest, DoesNotWarnAboutRestart) {
  wait_.unreachable("connection refused");
  loop_.advance(20s);
  wait_.missing();
  loop_.advance(20s);
  wait_.found();
  wait_.unreachable("connection refused");
  loop_.advance(10ms);
  wait_.reached();
  EXPECT_EQ(warnings_within(1h), "");
  wait_.unreachable("connection refused");
  EXPECT_NE(warnings_within(1min), "");
}

TEST_F(KubeletAvailabilityTest, FoundSocketEndsTheWait) {
  wait_.missing();
  wait_.found();
  EXPECT_EQ(warnings_within(1h), "");
}

TEST_F(KubeletAvailabilityTest, WarningStatesWhatIsMissing) {
  wait_.missing();
  EXPECT_THAT(warnings_within(1min), HasSubstr("directory does not exist: " + (dir_ / "plugins")));
  wait_.reached();
  dir_.write("plugins/other", "");
  wait_.missing();
  EXPECT_THAT(warnings_within(1min),
              HasSubstr((dir_ / "plugins/kubelet.sock") + " does not exist"));
  wait_.reached();
  dir_.write("plugins/kubelet.sock", "");
  wait_.missing();
  EXPECT_THAT(warnings_within(1min), HasSubstr("kubelet.sock is not a socket"));
}

}  // namespace
}  // namespace patchbay::plugin
