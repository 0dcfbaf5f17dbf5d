// Tests the command `deviceclasses`.
#include <gtest/gtest.h>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

using DeviceclassesTest = CliTest;

constexpr const char* kVersionAndKind = "apiVersion: patchbay/v1\nkind: Config\n";

TEST_F(DeviceclassesTest, PrintsADocumentForEachDraResource) {
  const std::string config =
      dir_.write("config.yaml", std::string(kVersionAndKind) +
                                    "dra: {driver: patchbay.lab.example.com}\n"
                                    "resources:\n"
                                    "  - {name: lab.example.com/plugin, match: {static: [a]}}\n"
                                    "  - name: lab.example.com/uart\n"
                                    "    serve: dra\n"
                                    "    match: {static: [b]}\n"
                                    "  - name: lab.example.com/scope\n"
                                    "    serve: dra\n"
                                    "    when: {node: another}\n"
                                    "    match: {static: [c]}\n");
  expect_golden("deviceclasses.txt", output_of({"deviceclasses", config}));
}

TEST_F(DeviceclassesTest, WithoutDraResource_Fails) {
  const std::string config = dir_.write(
      "config.yaml", std::string(kVersionAndKind) +
                         "resources: [{name: lab.example.com/plugin, match: {static: [a]}}]\n");
  EXPECT_EQ(output_of({"deviceclasses", config}),
            "exit 2\n--- out\n--- err\n"
            "patchbay: no resource has `serve: dra`: add it to a resource\n");
}

TEST_F(DeviceclassesTest, PrintsMistakesAsValidate) {
  const std::string config =
      dir_.write("config.yaml", std::string(kVersionAndKind) + "resourcez: []\n");
  EXPECT_EQ(output_of({"deviceclasses", config}), output_of({"validate", config}));
}

}  // namespace
}  // namespace patchbay::cli
