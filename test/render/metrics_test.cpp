#include "render/metrics.h"

#include <sstream>

#include <gtest/gtest.h>

#include "status/status_fixture.h"

namespace patchbay::render {
namespace {

class MetricsTest : public ::testing::Test {
 protected:
  MetricsTest() {
    inventory_.apply(inventory::shared(inventory::named("x")));
    inventory_.apply(inventory::shared(inventory::named("y")));
  }

  [[nodiscard]] std::string text(const MetricsQuery& query = {}) {
    return metrics(status::node_status(inventory_, status::registered()), counters_, query);
  }
  void expect(const std::string& line, const MetricsQuery& query = {}) {
    const std::string all = text(query);
    EXPECT_NE(all.find("\n" + line + "\n"), std::string::npos) << line << " is not in\n" << all;
  }

  inventory::Inventory inventory_{inventory::plan_of(
      "  - {name: a.io/x, match: {static: [x, y]}, id: $(name), share: {count: 3}}\n")};
  status::Counters counters_;
};

TEST_F(MetricsTest, CountsUnits) {
  expect(R"(patchbay_units{resource="a.io/x",state="healthy"} 2)");
  expect(R"(patchbay_units{resource="a.io/x",state="unhealthy"} 0)");
  expect(R"(patchbay_listed_devices{resource="a.io/x"} 6)");
  expect(R"(patchbay_devices_not_offered{resource="a.io/x",reason="incomplete"} 0)");
  expect(R"(patchbay_resource_registered{resource="a.io/x"} 1)");
  expect(R"(patchbay_streams_open{resource="a.io/x"} 1)");
}

TEST_F(MetricsTest, CountsLostUnits) {
  counters_.of("a.io/x")->units_lost.add();
  expect(R"(patchbay_units_lost_total{resource="a.io/x"} 1)");
}

TEST_F(MetricsTest, ExpectedUnitsDoNotCountShares) {
  EXPECT_EQ(text().find("\npatchbay_units_expected{"), std::string::npos);
  inventory_ = inventory::Inventory(inventory::plan_of(
      "  - {name: a.io/x, match: {static: [x, y]}, share: {count: 3}, expect: 4}\n"));
  expect(R"(patchbay_units_expected{resource="a.io/x"} 4)");
}

TEST_F(MetricsTest, ListsEachUnitOnRequestOnly) {
  expect(R"(patchbay_unit_healthy{resource="a.io/x",unit="x"} 1)", {.per_unit = true});
  EXPECT_EQ(text().find(R"(unit="x")"), std::string::npos);
}

TEST_F(MetricsTest, CountsCalls) {
  EXPECT_EQ(text().find("patchbay_allocate_duration_seconds_bucket"), std::string::npos);
  auto& counters = *counters_.of("a.io/x");
  counters.allocate.add(true, std::chrono::microseconds(70));
  counters.allocate.add(false, std::chrono::seconds(2));
  counters.probes(Check::Kind::tcp).failed.add();
  expect(R"(patchbay_allocate_calls_total{resource="a.io/x",result="succeeded"} 1)");
  expect(R"(patchbay_allocate_calls_total{resource="a.io/x",result="failed"} 1)");
  expect(R"(patchbay_allocate_duration_seconds_bucket{resource="a.io/x",le="0.0001"} 1)");
  expect(R"(patchbay_allocate_duration_seconds_count{resource="a.io/x"} 2)");
  expect(R"(patchbay_probe_runs_total{resource="a.io/x",probe="tcp",result="failed"} 1)");
}

TEST_F(MetricsTest, DescribesConfiguration) {
  counters_.refused_reloads.add();
  expect(R"(patchbay_config_info{hash="00000000000000ff"} 1)");
  expect("patchbay_config_generation 2");
  expect("patchbay_config_loaded_timestamp_seconds 86100");
  expect("patchbay_config_last_reload_successful 1");
  expect(R"(patchbay_config_reloads_total{result="rejected"} 1)");
}

/// The lines of the DRA metrics, without comments.
std::string dra_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("patchbay_dra_")) found += line + "\n";
  }
  return found;
}

TEST_F(MetricsTest, DescribesDra) {
  const auto compiled = rules::compile_files(
      {{"lab.yaml",
        "apiVersion: patchbay/v1\nkind: Config\ndra: {driver: new.io}\nresources:\n"
        "  - {name: a.io/x, match: {static: [x]}}\n"
        "  - {name: a.io/disk, match: {static: [d]}, serve: dra}\n"}});
  inventory_ = inventory::Inventory(compiled.plan);
  status::NodeStatus status = status::node_status(inventory_, status::registered());
  EXPECT_EQ(metrics(status, counters_, {}).find("_dra_"), std::string::npos);

  const auto claim = [](const char* phase, std::vector<status::DraClaim::Device> devices) {
    return status::DraClaim{.name_space = "lab",
                            .name = "c",
                            .uid = "u",
                            .phase = phase,
                            .devices = std::move(devices),
                            .reason = ""};
  };
  status.dra = {{.name = "new.io",
                 .registered = true,
                 .reason = "",
                 .claims = {claim("prepared", {{"a.io/disk", "d1"}, {"a.io/disk", "d2"}}),
                            claim("prepared", {{"a.io/disk", "d3"}}), claim("unreadable", {})}},
                {.name = "old.io",
                 .draining = true,
                 .reason = "",
                 .api_up = true,
                 .claims = {claim("releaseFailed", {{"a.io/former", "f"}, {"a.io/disk", "d4"}})}},
                {.name = "far.io", .standby = true, .reason = ""}};
  counters_.slice_writes[static_cast<size_t>(status::SliceWrite::failed)].add(2);
  const std::string expected = R"(patchbay_dra_claims{resource="",phase="preparing"} 0
patchbay_dra_claims{resource="",phase="prepared"} 0
patchbay_dra_claims{resource="",phase="releasing"} 0
patchbay_dra_claims{resource="",phase="releaseFailed"} 0
patchbay_dra_claims{resource="",phase="unreadable"} 1
patchbay_dra_claims{resource="a.io/disk",phase="preparing"} 0
patchbay_dra_claims{resource="a.io/disk",phase="prepared"} 2
patchbay_dra_claims{resource="a.io/disk",phase="releasing"} 0
patchbay_dra_claims{resource="a.io/disk",phase="releaseFailed"} 1
patchbay_dra_claims{resource="a.io/disk",phase="unreadable"} 0
patchbay_dra_claims{resource="a.io/former",phase="preparing"} 0
patchbay_dra_claims{resource="a.io/former",phase="prepared"} 0
patchbay_dra_claims{resource="a.io/former",phase="releasing"} 0
patchbay_dra_claims{resource="a.io/former",phase="releaseFailed"} 1
patchbay_dra_claims{resource="a.io/former",phase="unreadable"} 0
patchbay_dra_slice_writes_total{result="succeeded"} 0
patchbay_dra_slice_writes_total{result="failed"} 2
patchbay_dra_slice_writes_total{result="rejected"} 0
patchbay_dra_api_up{driver="new.io"} 0
patchbay_dra_api_up{driver="old.io"} 1
patchbay_dra_registered{driver="new.io"} 1
patchbay_dra_registered{driver="old.io"} 0
)";
  EXPECT_EQ(dra_lines(metrics(status, counters_, {})), expected);
  counters_.dra_prepares.add(std::chrono::milliseconds(7));
  const std::string text = metrics(status, counters_, {});
  EXPECT_NE(text.find("\npatchbay_dra_prepare_duration_seconds_sum 0.007\n"
                      "patchbay_dra_prepare_duration_seconds_count 1\n"),
            std::string::npos)
      << text;
}

TEST_F(MetricsTest, DescribesProcess) {
  const std::string all = text();
  EXPECT_NE(all.find("\nprocess_start_time_seconds 82800\n"), std::string::npos);
  EXPECT_EQ(all.find("\nprocess_resident_memory_bytes 0\n"), std::string::npos);
  EXPECT_EQ(all.find("\nprocess_open_fds 0\n"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::render
