#include "status/unit_assignments.h"

#include <string>

#include <gtest/gtest.h>

#include "render/metrics.h"
#include "render/status_json.h"
#include "status/status_fixture.h"

namespace patchbay::render {
namespace {

using std::chrono::seconds;

status::Assignment assignment(const std::string& pod, int ago, const std::string& container = "c") {
  return {.container = std::make_shared<const status::Container>(
              status::Container{.pod_namespace = "lab", .pod = pod, .name = container}),
          .since = status::kNow - seconds(ago)};
}

/// The assignments as "unit pod/container@ago …", in seconds.
std::string text_of(const status::AssignmentsByUnit& units) {
  std::string text;
  for (const auto& [unit, held] : units) {
    text += (text.empty() ? "" : "; ") + unit;
    for (const status::Assignment& its : held.assignments) {
      text += " " + its.container->pod + "/" + its.container->name + "@" +
              std::to_string(std::chrono::duration_cast<seconds>(status::kNow - its.since).count());
    }
    if (held.allocated) {
      text += " given@" +
              std::to_string(
                  std::chrono::duration_cast<seconds>(status::kNow - *held.allocated).count());
    }
  }
  return text;
}

class UnitAssignmentsTest : public ::testing::Test {
 protected:
  UnitAssignmentsTest() {
    for (const char* name : {"one", "two", "gpu0"}) {
      inventory_.apply(inventory::shared(inventory::named(name)));
    }
    status_ = status::node_status(inventory_, status::registered());
  }

  void know(status::AssignmentsByResource devices) {
    status_.assignments =
        std::make_shared<const status::PodResourcesStatus>(status::PodResourcesStatus{
            .path = "/k/pods.sock",
            .state = status::PodResourcesStatus::State::ready,
            .asked = status::kNow - seconds(2),
            .answered = status::kNow - seconds(2),
            .devices = std::make_shared<const status::AssignmentsByResource>(std::move(devices))});
  }
  [[nodiscard]] std::string gone() const {
    std::string text;
    for (const status::WithdrawnUnit& unit : status::withdrawn_units(status_)) {
      text +=
          unit.resource + " " + unit.unit + " " + unit.assignments.front().container->pod + "; ";
    }
    return text;
  }
  [[nodiscard]] Json json() const { return status_json(status_, status::Counters()); }

  inventory::Inventory inventory_{inventory::plan_of(
      "  - {name: a.io/plain, match: {static: [one, two]}, id: $(name)}\n"
      "  - {name: a.io/part, match: {static: [gpu0]}, id: $(name), share: {count: 3}}\n")};
  status::NodeStatus status_;
};

TEST_F(UnitAssignmentsTest, MapsDeviceToUnit) {
  know({{"a.io/plain",
         {{"one", {.assignments = {assignment("p", 5)}, .allocated = status::kNow - seconds(5)}},
          {"two", {.assignments = {}, .allocated = status::kNow - seconds(1)}}}}});
  EXPECT_EQ(text_of(status::assignments_of(status_, "a.io/plain")),
            "one p/c@5 given@5; two given@1");
  EXPECT_EQ(text_of(status::assignments_of(status_, "a.io/part")), "");
}

TEST_F(UnitAssignmentsTest, SharedUnitHasContainersOfAllShares) {
  know(
      {{"a.io/part",
        {{"gpu0::0", {.assignments = {assignment("q", 5)}}},
         {"gpu0::1", {.assignments = {assignment("p", 7)}, .allocated = status::kNow - seconds(7)}},
         {"gpu0::2",
          {.assignments = {assignment("q", 9)}, .allocated = status::kNow - seconds(3)}}}}});
  EXPECT_EQ(text_of(status::assignments_of(status_, "a.io/part")), "gpu0 p/c@7 q/c@9 given@3");
}

TEST_F(UnitAssignmentsTest, FindsWithdrawnUnitsAndResources) {
  know({{"a.io/plain",
         {{"one", {.assignments = {assignment("p", 5)}}},
          {"three", {.assignments = {assignment("q", 5)}}},
          {"four", {.assignments = {}, .allocated = status::kNow}}}},
        {"a.io/part", {{"gpu9::1", {.assignments = {assignment("r", 5)}}}}},
        {"old.io/x", {{"x", {.assignments = {assignment("s", 5)}}}}}});
  EXPECT_EQ(gone(), "a.io/part gpu9 r; a.io/plain three q; old.io/x x s; ");
}

TEST_F(UnitAssignmentsTest, LimitsWithdrawnUnits) {
  status::ResourceAssignments devices;
  for (size_t i = 0; i <= status::kMaxWithdrawnUnits; ++i) {
    devices["x" + std::to_string(i)].assignments = {assignment("p", 5)};
  }
  know({{"old.io/x", devices}});
  EXPECT_EQ(status::withdrawn_units(status_).size(), status::kMaxWithdrawnUnits);
  EXPECT_EQ(status::withdrawn_units(status_).back().unit, "x255");
}

TEST_F(UnitAssignmentsTest, WritesJson) {
  know({{"a.io/plain",
         {{"one",
           {.assignments = {assignment("p\x1b\xff", 5)}, .allocated = status::kNow - seconds(5)}},
          {"three", {.assignments = {assignment("q", 9)}}}}},
        {"old.io/x", {{"x", {.assignments = {assignment("s", 9)}}}}}});
  const Json all = json();
  EXPECT_EQ(
      json_text(all["podResources"], -1),
      "{\"path\":\"/k/pods.sock\",\"state\":\"ready\",\"reason\":\"\","
      "\"lastQueryTime\":\"1970-01-01T23:59:58Z\",\"lastSuccessTime\":\"1970-01-01T23:59:58Z\","
      "\"withdrawnUnits\":[{\"resource\":\"a.io/plain\",\"unit\":\"three\",\"allocatedTo\":["
      "{\"namespace\":\"lab\",\"pod\":\"q\",\"container\":\"c\","
      "\"since\":\"1970-01-01T23:59:51Z\"}]},"
      "{\"resource\":\"old.io/x\",\"unit\":\"x\",\"allocatedTo\":["
      "{\"namespace\":\"lab\",\"pod\":\"s\",\"container\":\"c\","
      "\"since\":\"1970-01-01T23:59:51Z\"}]}]}\n");
  const Json& plain = all["resources"][0];
  EXPECT_EQ(plain["counts"]["allocated"], 1) << "of those that are offered";
  EXPECT_EQ(all["resources"][1]["counts"]["allocated"], 0);
  const Json& one = plain["units"][0];
  EXPECT_EQ(one["lastAllocateTime"], "1970-01-01T23:59:55Z");
  EXPECT_EQ(json_text(one["allocatedTo"], -1).find('\x1b'), std::string::npos);
  EXPECT_EQ(one["allocatedTo"][0]["container"], "c");
  EXPECT_EQ(plain["units"][1]["allocatedTo"], Json::array());
  EXPECT_EQ(plain["units"][1]["lastAllocateTime"], "");
  const Json of_one = status_json(status_, status::Counters(), {.resource = "a.io/plain"});
  EXPECT_EQ(of_one["podResources"]["withdrawnUnits"].size(), 1U);
}

TEST_F(UnitAssignmentsTest, UnknownAssignmentsAreNull) {
  know({});
  auto unasked = *status_.assignments;
  unasked.state = status::PodResourcesStatus::State::no_socket;
  unasked.reason = "no socket at /k";
  unasked.answered.reset();
  status_.assignments = std::make_shared<const status::PodResourcesStatus>(unasked);
  EXPECT_EQ(json()["resources"][0]["counts"]["allocated"], nullptr);
  EXPECT_EQ(json()["podResources"]["state"], "noSocket");
  EXPECT_EQ(json()["podResources"]["lastSuccessTime"], "");
  const std::string text = metrics(status_, status::Counters(), {.per_unit = true});
  EXPECT_NE(text.find("\npatchbay_pod_resources_up 0\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("\npatchbay_units_allocated{"), std::string::npos) << text;
}

TEST_F(UnitAssignmentsTest, WritesMetrics) {
  know({{"a.io/plain",
         {{"one", {.assignments = {assignment("p\"\n", 5)}}},
          {"three", {.assignments = {assignment("q", 9)}}}}},
        {"a.io/part",
         {{"gpu0::0", {.assignments = {assignment("r", 5)}}},
          {"gpu0::1", {.assignments = {assignment("r", 5, "d")}}}}},
        {"old.io/x", {{"x", {.assignments = {assignment("s", 9)}}}}}});
  const std::string text = metrics(status_, status::Counters(), {.per_unit = true});
  std::string found;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("patchbay_unit_allocation") ||
        line.starts_with("patchbay_units_allocated") ||
        line.starts_with("patchbay_pod_resources_up")) {
      found += line + "\n";
    }
    at = end + 1;
  }
  EXPECT_EQ(
      found,
      "patchbay_pod_resources_up 1\n"
      "patchbay_units_allocated{resource=\"a.io/plain\"} 1\n"
      "patchbay_units_allocated{resource=\"a.io/part\"} 1\n"
      "patchbay_unit_allocation_info{resource=\"a.io/part\",unit=\"gpu0\",namespace=\"lab\","
      "pod=\"r\",container=\"c\"} 1\n"
      "patchbay_unit_allocation_info{resource=\"a.io/part\",unit=\"gpu0\",namespace=\"lab\","
      "pod=\"r\",container=\"d\"} 1\n"
      "patchbay_unit_allocation_info{resource=\"a.io/plain\",unit=\"one\",namespace=\"lab\","
      "pod=\"p\\\"\\\\x0a\",container=\"c\"} 1\n"
      "patchbay_unit_allocation_info{resource=\"a.io/plain\",unit=\"three\",namespace=\"lab\","
      "pod=\"q\",container=\"c\"} 1\n"
      "patchbay_unit_allocation_info{resource=\"old.io/x\",unit=\"x\",namespace=\"lab\","
      "pod=\"s\",container=\"c\"} 1\n");
  EXPECT_EQ(metrics(status_, status::Counters()).find("allocation_info"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::render
