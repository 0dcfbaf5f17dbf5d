#include "observe/status_json.h"

#include <gtest/gtest.h>

#include "observe/status_bench.h"

namespace patchbay::observe {
namespace {

TEST(StatusJson, TheWholeOfIt) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/tty, match: {subsystem: tty}, id: $(name)}\n"));
  inventory.apply(inventory::shared(inventory::serial("tty\"<script>\n", "")));
  Counters counters;
  counters.of("a.io/tty")->allocate.add(true, std::chrono::milliseconds(1));
  counters.of("a.io/tty")->lists_sent.add();
  const NodeStatus status = node_status(inventory, registered());
  EXPECT_EQ(json_text(status_json(status, counters, {.units = false})), R"({
  "apiVersion": "patchbay/v1",
  "kind": "Status",
  "node": "bench-1",
  "at": "1970-01-02T00:00:00Z",
  "program": {
    "version": "1.2.3",
    "commit": "0123456789ab",
    "built": "1970-01-01",
    "kernel": "6.1.0",
    "process": 42,
    "since": "1970-01-01T23:00:00Z"
  },
  "configuration": {
    "number": 2,
    "since": "1970-01-01T23:55:00Z",
    "digest": "00000000000000ff",
    "files": [
      "/etc/patchbay",
      "/etc/patchbay/lab.yaml"
    ],
    "followed": true,
    "hangs": false,
    "refused": null
  },
  "kubelet": {
    "directory": "/var/lib/kubelet/device-plugins",
    "answers": true,
    "waitedFor": "",
    "since": ""
  },
  "events": {
    "kernel": 0,
    "udev": 0,
    "database": 0,
    "links": 0,
    "overflows": 0,
    "rescans": 0,
    "reads": 0
  },
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
        "claimed": 0
      },
      "registration": {
        "state": "registered",
        "since": "1970-01-01T23:59:01Z",
        "failure": "",
        "endpoint": "patchbay-a.sock",
        "streams": 1
      },
      "done": {
        "registrations": 0,
        "failedRegistrations": 0,
        "listsSent": 1,
        "allocate": {
          "answered": 1,
          "refused": 0
        },
        "preferredAllocation": {
          "answered": 0,
          "refused": 0
        },
        "preStart": {
          "answered": 0,
          "refused": 0
        }
      }
    }
  ],
  "notForThisNode": []
}
)");
}

TEST(StatusJson, OneResourceWithItsUnits) {
  inventory::Inventory inventory(
      inventory::plan_of("  - {name: a.io/one, match: {static: [x]}, id: x}\n"
                         "  - {name: a.io/two, match: {static: [y]}, id: y}\n"));
  inventory.apply(inventory::shared(inventory::named("x")));
  inventory.apply(inventory::shared(inventory::named("y")));
  const NodeStatus status = node_status(inventory, registered());
  const Json json = status_json(status, Counters(), {.resource = "a.io/two"});
  ASSERT_EQ(json["resources"].size(), 1U);
  EXPECT_EQ(json["resources"][0]["units"][0]["id"], "y");
  EXPECT_EQ(json["resources"][0]["counts"]["healthy"], 1);
}

TEST(StatusJson, AConfigurationThatIsRefused) {
  NodeStatus status = node_status();
  status.configuration.refused = "lab.yaml:1:1: error";
  status.configuration.refused_since = kNow - std::chrono::seconds(10);
  EXPECT_EQ(status_json(status, Counters())["configuration"]["refused"].dump(),
            "{\"since\":\"1970-01-01T23:59:50Z\",\"reason\":\"lab.yaml:1:1: error\"}");
}

TEST(EventsJson, OneEvent) {
  const Event event{.number = 7,
                    .at = {},
                    .kind = Event::Kind::not_allocated,
                    .level = log::Level::warning,
                    .what = "refused to allocate",
                    .resource = "a.io/x",
                    .unit = "u1 u2",
                    .detail = "reason=no"};
  EXPECT_EQ(event_json(event).dump(),
            "{\"number\":7,\"at\":\"1970-01-01T00:00:00Z\",\"kind\":\"notAllocated\","
            "\"level\":\"warning\",\"what\":\"refused to allocate\",\"resource\":\"a.io/x\","
            "\"unit\":\"u1 u2\",\"detail\":\"reason=no\"}");
}

}  // namespace
}  // namespace patchbay::observe
