// Tests `discover` for resources with `serve: dra`.
#include <gtest/gtest.h>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

class DiscoverDraTest : public CliTest {
 protected:
  [[nodiscard]] std::string config(const std::string& more) const {
    return dir_.write("config.yaml", "apiVersion: patchbay/v1\nkind: Config\n" + more);
  }
};

constexpr const char* kDriver = "dra: {driver: patchbay.lab.example.com}\n";

constexpr const char* kResources =
    "resources:\n"
    "  - name: lab.example.com/uart\n"
    "    serve: dra\n"
    "    match: {subsystem: tty, usb: {vendor: \"0403\"}}\n"
    "    id: $(usb.serial:-$(usb.socket))-$(usb.interface)\n"
    "    dra:\n"
    "      attributes:\n"
    "        serial: $(usb.serial)\n"
    "        interface: {int: $(usb.interface)}\n"
    "        label.example.com/bench: left\n"
    "        lent: {bool: \"false\"}\n"
    "        rules: {version: 1.2.3}\n"
    "  - name: lab.example.com/plugin\n"
    "    match: {subsystem: tty, name: ttyS0}\n";

constexpr const char* kSerialBench = PATCHBAY_SOURCE_DIR "/test/hardware/machines/serial-bench.txt";

TEST_F(DiscoverDraTest, PrintsSlicesOfRecordedMachine) {
  const std::string path = config(std::string(kDriver) + kResources);
  expect_golden("discover-dra.txt",
                output_of({"discover", "--dra", path, "--machine", kSerialBench}));
}

TEST_F(DiscoverDraTest, WarnsOfOmittedAttributes) {
  const std::string path = config(std::string(kDriver) + kResources);
  expect_golden("discover-dra-omitted.txt",
                output_of({"discover", path, "--machine", kSerialBench}));
}

TEST_F(DiscoverDraTest, WithoutUnits_PrintsAnEmptySlice) {
  const std::string path =
      config(std::string(kDriver) + "resources: [{name: a.io/x, match: {static: [a]}}]\n");
  EXPECT_EQ(output_of({"discover", "--dra", path}),
            "exit 0\n--- out\n"
            "apiVersion: resource.k8s.io/v1\n"
            "kind: ResourceSlice\n"
            "metadata: {generateName: 00000-patchbay.lab.example.com-bench-1-}\n"
            "spec:\n"
            "  driver: patchbay.lab.example.com\n"
            "  nodeName: bench-1\n"
            "  pool: {name: bench-1, generation: 1, resourceSliceCount: 1}\n"
            "  devices: []\n"
            "--- err\n");
}

TEST_F(DiscoverDraTest, WithoutDriver_Fails) {
  const std::string path = config("resources: [{name: a.io/x, match: {static: [a]}}]\n");
  EXPECT_EQ(output_of({"discover", "--dra", path}),
            "exit 2\n--- out\n--- err\n"
            "patchbay: the configuration has no DRA driver: add `dra: {driver: NAME}`\n");
}

TEST_F(DiscoverDraTest, PrintsNothingElse) {
  const std::string path = config("resources: [{name: a.io/x, match: {static: [a]}}]\n");
  for (const Words& more : {Words{"--watch"}, Words{"-o", "json"}, Words{"-o", "wide"}}) {
    Words words{"discover", "--dra", path};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(output_of(words),
              "exit 2\n--- out\n--- err\n"
              "patchbay: --dra prints YAML once: give it without --watch and --output\n"
              "Try 'patchbay discover --help'.\n");
  }
}

}  // namespace
}  // namespace patchbay::cli
