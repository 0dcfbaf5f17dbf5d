#include "render/status_json.h"

#include <gtest/gtest.h>

#include "status/status_fixture.h"

namespace patchbay::render {
namespace {

using namespace std::chrono_literals;

TEST(StatusJson, ContainsAllFieldsExceptUnits) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: $(name)}\n"));
  inventory.apply(inventory::shared(inventory::serial("tty\"<script>\n", "")));
  status::Counters counters;
  counters.of("a.io/tty")->allocate.add(true, std::chrono::milliseconds(1));
  counters.of("a.io/tty")->lists_sent.add();
  status::NodeStatus status = status::node_status(inventory, status::registered());
  status.event_sources = {{"udev", "no udev daemon"}};
  EXPECT_EQ(json_text(status_json(status, counters, {.units = {.limit = 0}, .max_refused = 0})),
            R"({
  "apiVersion": "patchbay/v1",
  "kind": "Status",
  "node": "bench-1",
  "at": "1970-01-02T00:00:00Z",
  "program": {
    "version": "1.2.3",
    "commit": "0123456789ab",
    "commitDate": "1970-01-01",
    "pod": "lab/patchbay-x7k2p",
    "kernel": "6.1.0",
    "pid": 42,
    "since": "1970-01-01T23:00:00Z"
  },
  "configuration": {
    "generation": 2,
    "since": "1970-01-01T23:55:00Z",
    "hash": "00000000000000ff",
    "files": [
      "/etc/patchbay",
      "/etc/patchbay/lab.yaml"
    ],
    "watched": true,
    "unresponsive": false,
    "rejected": null
  },
  "kubelet": {
    "directory": "/var/lib/kubelet/device-plugins",
    "reachable": true,
    "reason": "",
    "since": ""
  },
  "podResources": {
    "path": "",
    "state": "disabled",
    "reason": "",
    "lastQueryTime": "",
    "lastSuccessTime": "",
    "withdrawnUnits": []
  },
  "draDrivers": [],
  "eventCounts": {
    "kernel": 0,
    "udev": 0,
    "database": 0,
    "links": 0,
    "overflows": 0,
    "rescans": 0,
    "reads": 0
  },
  "eventSources": [
    {
      "source": "udev",
      "degradedReason": "no udev daemon"
    }
  ],
  "resources": [
    {
      "name": "a.io/tty",
      "description": "",
      "counts": {
        "units": 0,
        "healthy": 0,
        "unhealthy": 0,
        "listed": 0,
        "refused": 1,
        "incomplete": 0,
        "claimed": 0,
        "expected": null,
        "allocated": null
      },
      "registration": {
        "kind": "devicePlugin",
        "state": "registered",
        "since": "1970-01-01T23:59:01Z",
        "reason": "",
        "endpoint": "patchbay-a.sock",
        "streams": 1
      },
      "lostUnits": [],
      "counters": {
        "registrations": 0,
        "failedRegistrations": 0,
        "listsSent": 1,
        "allocate": {
          "succeeded": 1,
          "failed": 0
        },
        "preferredAllocation": {
          "succeeded": 0,
          "failed": 0
        },
        "preStart": {
          "succeeded": 0,
          "failed": 0
        }
      }
    }
  ],
  "excluded": []
}
)");
}

TEST(StatusJson, ContainsOneResourceWithUnits) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/one, match: {static: [x]}, id: x}\n"
                         "  - {name: a.io/two, match: {static: [y]}, id: y}\n"));
  inventory.apply(inventory::shared(inventory::named("x")));
  inventory.apply(inventory::shared(inventory::named("y")));
  const status::NodeStatus status = status::node_status(inventory, status::registered());
  const Json json = status_json(status, status::Counters(), {.resource = "a.io/two"});
  ASSERT_EQ(json["resources"].size(), 1U);
  EXPECT_EQ(json["resources"][0]["units"][0]["id"], "y");
  EXPECT_EQ(json["resources"][0]["counts"]["healthy"], 1);
}

TEST(StatusJson, ContainsExpectedAndLostUnits) {
  inventory::Inventory inventory(
      inventory::plan_of("  - name: a.io/x\n"
                         "    groups:\n"
                         "      - {match: {static: [x]}, expect: 2}\n"
                         "      - {match: {subsystem: tty}, expect: 3}\n"
                         "      - {match: {subsystem: usb}}\n"));
  status::NodeStatus status = status::node_status(inventory, status::registered());
  status.resources.at(0).lost = {{"one", "the device is gone", status::kNow - 10s},
                                 {"two", "", status::kNow}};
  const Json json = status_json(status, status::Counters())["resources"][0];
  EXPECT_EQ(json["counts"]["expected"], 5);
  EXPECT_EQ(json["lostUnits"].dump(),
            R"([{"id":"one","since":"1970-01-01T23:59:50Z","reason":"the device is gone"},)"
            R"({"id":"two","since":"1970-01-02T00:00:00Z","reason":""}])");
}

TEST(StatusJson, ContainsDraDriversAndResourceClaims) {
  status::NodeStatus status = status::node_status();
  status.dra = {
      {.name = "new.io",
       .registered = true,
       .reason = "the API server does not answer",
       .claims = {{.name_space = "lab",
                   .name = "disk",
                   .uid = "u-1",
                   .phase = "releaseFailed",
                   .devices = {{"a.io/disk", "d1"}, {"a.io/uart", "u1"}},
                   .reason = "exit code 1",
                   .warnings = {"two values"}}}},
      {.name = "old.io", .draining = true, .registered = true, .reason = "", .api_up = true},
      {.name = "far.io", .draining = true, .standby = true, .reason = ""}};
  EXPECT_EQ(json_text(status_json(status, status::Counters())["draDrivers"]), R"([
  {
    "name": "new.io",
    "state": "active",
    "registered": true,
    "reason": "the API server does not answer",
    "apiServerReachable": false,
    "claims": [
      {
        "namespace": "lab",
        "name": "disk",
        "uid": "u-1",
        "phase": "releaseFailed",
        "devices": [
          {
            "resource": "a.io/disk",
            "unit": "d1"
          },
          {
            "resource": "a.io/uart",
            "unit": "u1"
          }
        ],
        "reason": "exit code 1",
        "warnings": [
          "two values"
        ]
      }
    ]
  },
  {
    "name": "old.io",
    "state": "draining",
    "registered": true,
    "reason": "",
    "apiServerReachable": true,
    "claims": []
  },
  {
    "name": "far.io",
    "state": "standby",
    "registered": false,
    "reason": "",
    "apiServerReachable": false,
    "claims": []
  }
]
)");
}

TEST(StatusJson, ContainsRejectedConfiguration) {
  status::NodeStatus status = status::node_status();
  status.configuration.refused = "lab.yaml:1:1: error";
  status.configuration.refused_since = status::kNow - std::chrono::seconds(10);
  EXPECT_EQ(status_json(status, status::Counters())["configuration"]["rejected"].dump(),
            "{\"since\":\"1970-01-01T23:59:50Z\",\"reason\":\"lab.yaml:1:1: error\"}");
}

TEST(StatusJson, ContainsProbes) {
  inventory::Inventory inventory(inventory::plan_of(
      "  - {name: a.io/tty, match: {subsystem: tty}, health: [{open: $(devnode)}]}\n"));
  inventory.apply(inventory::shared(inventory::serial("ttyS0", "")));
  status::NodeStatus status = status::node_status(inventory, status::registered());
  status::ResourceStatus& resource = status.resources[0];
  resource.probes.units = {
      {{.probe = 0,
        .last =
            status::ProbeResult{.verdict = {rules::Verdict::Kind::failed, "no such\n\"device\""},
                                .at = status::kNow - std::chrono::seconds(3),
                                .lasted = std::chrono::milliseconds(2)},
        .runs_since = status::kNow - std::chrono::seconds(1),
        .late = true}}};
  const Json json = status_json(status, status::Counters());
  EXPECT_EQ(
      json["resources"][0]["units"][0]["probes"].dump(),
      R"J([{"probe":"open: $(devnode)","result":"failed","reason":"no such\n\"device\"",)J"
      R"J("at":"1970-01-01T23:59:57Z","durationSeconds":0.002,"runningSince":"1970-01-01T23:59:59Z",)J"
      R"J("overdue":true}])J");
}

TEST(StatusJson, LimitsUnitsAndRefusalsAsRequested) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: $(name)}\n"
                         "  - {name: a.io/one, match: {subsystem: net}, id: one}\n"));
  for (const char* name : {"a", "b", "c"}) {
    inventory.apply(inventory::shared(inventory::serial(name, "")));
    DeviceFacts interface = inventory::serial(name, "");
    interface.key += "/net";
    interface.subsystem = "net";
    inventory.apply(inventory::shared(interface));
  }
  const status::NodeStatus status = status::node_status(inventory, status::registered());
  const Json json = status_json(status, status::Counters(),
                                {.units = {.limit = 1, .offset = 1}, .max_refused = 2});
  EXPECT_EQ(json["resources"][0]["matchingUnits"], 3);
  ASSERT_EQ(json["resources"][0]["units"].size(), 1);
  EXPECT_EQ(json["resources"][0]["units"][0]["id"], "b");
  EXPECT_EQ(json["resources"][1]["counts"]["refused"], 3);
  EXPECT_EQ(json["resources"][1]["refused"].size(), 2);
  const Json counts =
      status_json(status, status::Counters(), {.resource = "a.io/one", .units = {.limit = 0}});
  ASSERT_EQ(counts["resources"].size(), 1);
  EXPECT_FALSE(counts["resources"][0].contains("units"));
  EXPECT_EQ(counts["resources"][0]["refused"].size(), 3);
}

TEST(EventsJson, ContainsOneEvent) {
  const status::Event event{.number = 7,
                            .at = {},
                            .kind = status::Event::Kind::allocate_failed,
                            .level = log::Level::warning,
                            .message = "allocation refused",
                            .resource = "a.io/x",
                            .unit = "u1 u2",
                            .detail = "reason=no"};
  EXPECT_EQ(event_json(event).dump(),
            "{\"number\":7,\"at\":\"1970-01-01T00:00:00Z\",\"kind\":\"allocateFailed\","
            "\"level\":\"warning\",\"message\":\"allocation refused\",\"resource\":\"a.io/x\","
            "\"unit\":\"u1 u2\",\"fields\":\"reason=no\"}");
}

}  // namespace
}  // namespace patchbay::render
