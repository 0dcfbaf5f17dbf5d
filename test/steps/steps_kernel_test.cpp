#include <fstream>
#include <string>

#include "fake/kernel_devices.h"
#include "fake/runner_fixture.h"
#include "steps/step_runner.h"

namespace patchbay::steps {
namespace {

using StepsKernelTest = fake::RunnerTest;

TEST_F(StepsKernelTest, WritesAnAttributeInOneCall) {
  SKIP_IF(fake::ZramDevice::unavailable());
  const fake::ZramDevice zram;
  const std::string attribute = zram.syspath() + "/disksize";
  const auto inotify = loop::Inotify::create(loop).value();
  const auto steps = StepRunner::create(loop, *inotify, threads,
                                        {.root = paths::HostRoot("/none"), .environment = {}});
  const auto write = [&](const std::string& value) {
    std::optional<Result<void>> result;
    const auto running =
        steps->run({{.kind = Step::Kind::write, .path = attribute, .value = value}},
                   fake::kPatience, [&](Result<void> told) { result = std::move(told); });
    EXPECT_TRUE(until([&] { return result.has_value(); }));
    return result && !*result ? result->error().message : "";
  };
  EXPECT_EQ(write("1M"), "");
  std::string size;
  std::ifstream(attribute) >> size;
  EXPECT_EQ(size, "1048576");
  EXPECT_EQ(write("2M"),
            "step 1, write " + attribute + ": the value was refused: Device or resource busy");
}

}  // namespace
}  // namespace patchbay::steps
