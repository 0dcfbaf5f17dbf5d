#include "cli/commands/status_view.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace patchbay::cli {
namespace {

/// A status in the JSON format of the daemon.
Json status() {
  return Json::parse(R"({
    "node": "bench-1", "at": "2026-11-20T12:00:00Z",
    "program": {"version": "1.2.3", "kernel": "6.1.0", "since": "2026-11-17T12:00:00Z"},
    "configuration": {"generation": 2, "since": "2026-11-20T11:55:00Z", "watched": true,
                      "unresponsive": false, "rejected": null},
    "kubelet": {"directory": "/k", "reachable": true, "reason": "", "since": ""},
    "resources": [
      {"name": "a.io/tty", "description": "serial lines",
       "units": [
         {"id": "u1", "idSource": "id", "shares": 0, "healthy": true, "reason": "",
          "since": "2026-11-20T11:59:50Z", "lastUnhealthyReason": "no answer", "numaNodes": [],
          "members": [{"role": "", "key": "/sys/devices/a", "subsystem": "tty",
                       "devnode": "/dev/a", "path": ""}]},
         {"id": "u2", "idSource": "id", "shares": 0, "healthy": false,
          "reason": "the device is gone", "since": "2026-11-20T11:59:00Z", "lastUnhealthyReason": "",
          "numaNodes": [], "members": [{"role": "", "key": "/sys/devices/b", "subsystem": "tty",
                       "devnode": "/dev/b\u001b[31m", "path": ""}]}],
       "refused": [{"kind": "refused", "id": "", "device": "/sys/devices/c", "group": 0,
                    "reason": "no serial"},
                   {"kind": "claimed", "id": "d", "device": "/sys/devices/d", "devnode": "/dev/d",
                    "group": 0, "reason": "claimed by c.io/tty"}],
       "degraded": [], "unresponsive": [],
       "counts": {"units": 2, "healthy": 1, "unhealthy": 1, "listed": 2, "refused": 1,
                  "incomplete": 0, "claimed": 0},
       "registration": {"state": "registered", "since": "2026-11-20T10:00:00Z", "reason": "",
                        "endpoint": "x", "streams": 1},
       "counters": {"allocate": {"succeeded": 5, "failed": 0}}},
      {"name": "b.io/tty", "description": "", "units": [], "refused": [], "degraded": [],
       "unresponsive": [{"path": "/mnt/dead", "reason": "is unresponsive"}],
       "counts": {"units": 0, "healthy": 0, "unhealthy": 0, "listed": 0, "refused": 0,
                  "incomplete": 0, "claimed": 0},
       "registration": {"state": "backingOff", "since": "2026-11-20T11:00:00Z",
                        "reason": "no such version", "endpoint": "", "streams": 0},
       "counters": {"allocate": {"succeeded": 0, "failed": 0}}}],
    "excluded": [{}]
  })");
}

TEST(StatusView, WarnsAboutUnitsThatGiveContainersNothing) {
  Json json = status();
  Json& resource = json["resources"][0];
  resource["units"][0]["emptyAllocation"] = "a USB interface has no device node";
  resource["warnings"] = Json::parse(R"([{"reason": "unit 'u1' gives a container nothing",
                                          "units": ["u1"], "count": 1}])");
  const std::string warning = "\nwarning: a.io/tty: unit 'u1' gives a container nothing\n";
  EXPECT_NE(status_table(json, {}).find(warning), std::string::npos);
  const std::string text = resource_table(json, resource, {}, {});
  EXPECT_NE(text.find(warning), std::string::npos) << text;
  EXPECT_NE(text.find("/dev/a          gives a container nothing"), std::string::npos) << text;
}

TEST(StatusView, ShowsNodeAndResources) {
  EXPECT_EQ(
      status_table(status(), {}),
      "NODE     bench-1, up 3d, patchbay 1.2.3, kernel 6.1.0\n"
      "CONFIG   generation 2 since 5m\n"
      "KUBELET  reachable\n"
      "\n"
      "RESOURCE  UNITS  OK  BAD  REFUSED  ALLOCATE CALLS  STATE                SINCE  REASON\n"
      "a.io/tty  2      1   1    1        5               registered           2h\n"
      "b.io/tty  0      0   0    0        0               registration failed  1h     no such "
      "version\n"
      "\n"
      "excluded on this node: 1 resource or group of a resource\n");
}

TEST(StatusView, ShowsStatesOfDra) {
  Json json = status();
  Json& registration = json["resources"][0]["registration"];
  registration["kind"] = "dra";
  const auto shown = [&](const char* state, const char* reason) {
    registration["state"] = state;
    registration["reason"] = reason;
    const std::string text = resource_table(json, json["resources"][0], {}, {});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(shown("registered", ""), "a.io/tty: DRA: published since 2h");
  EXPECT_EQ(shown("notPublished", "https://a: cannot connect"),
            "a.io/tty: DRA: not published since 2h: https://a: cannot connect");
  EXPECT_EQ(shown("heldBack", "Pods have units"),
            "a.io/tty: DRA: held back since 2h: Pods have units");
  EXPECT_EQ(shown("backingOff", "rejected"),
            "a.io/tty: DRA: registration failed since 2h: rejected");
}

TEST(StatusView, ShowsMissingAndLostUnits) {
  Json json = status();
  Json& resource = json["resources"][0];
  resource["counts"]["expected"] = 4U;
  resource["lostUnits"] = Json::parse(R"([
    {"id": "u0", "since": "2026-11-20T11:30:00Z", "reason": "the device is gone"},
    {"id": "u\u001b", "since": "2026-11-20T11:59:00Z", "reason": ""}])");
  const std::string warning = "\nwarning: a.io/tty: 3 of 4 expected units missing\n";
  const std::string all = status_table(json, {});
  EXPECT_NE(all.find(warning), std::string::npos) << all;
  EXPECT_NE(all.find("\nLOST UNIT  RESOURCE  LOST AT               REASON\n"
                     "u0         a.io/tty  2026-11-20T11:30:00Z  the device is gone\n"
                     "u\\x1b      a.io/tty  2026-11-20T11:59:00Z\n"),
            std::string::npos)
      << all;
  const std::string one = resource_table(json, resource, {}, {});
  EXPECT_NE(one.find(warning), std::string::npos) << one;
  EXPECT_NE(one.find("\nLOST UNIT  LOST AT               REASON\n"
                     "u0         2026-11-20T11:30:00Z  the device is gone\n"),
            std::string::npos)
      << one;
  resource["counts"]["expected"] = 1U;
  EXPECT_EQ(status_table(json, {}).find("expected"), std::string::npos);
}

TEST(StatusView, ShowsProblemsOfNode) {
  Json wrong = status();
  wrong["resources"].clear();
  wrong["configuration"]["watched"] = false;
  wrong["configuration"]["rejected"] = {{"since", "2026-11-20T11:59:30Z"}, {"reason", "1 error"}};
  wrong["kubelet"] = {{"reachable", false},
                      {"reason", "there is no kubelet.sock"},
                      {"since", "2026-11-20T11:59:15Z"}};
  EXPECT_EQ(status_table(wrong, {}),
            "NODE     bench-1, up 3d, patchbay 1.2.3, kernel 6.1.0\n"
            "CONFIG   generation 2 since 5m, not watched\n"
            "         an edit was rejected 30s ago: 1 error\n"
            "KUBELET  unreachable since 45s: there is no kubelet.sock\n"
            "\n"
            "all resources are excluded on this node\n");
}

TEST(StatusView, ShowsRejectedEditLikeValidate) {
  Json wrong = status();
  wrong["resources"].clear();
  wrong["configuration"]["rejected"] = {{"since", "2026-11-20T11:59:30Z"},
                                        {"reason",
                                         "lab.yaml:3:1: error: unknown key 'resorces'\n"
                                         "      resorces: \x1b[31m\n"
                                         "  hint: did you mean 'resources'?\n"}};
  EXPECT_EQ(status_table(wrong, {}),
            "NODE     bench-1, up 3d, patchbay 1.2.3, kernel 6.1.0\n"
            "CONFIG   generation 2 since 5m\n"
            "         an edit was rejected 30s ago:\n"
            "         lab.yaml:3:1: error: unknown key 'resorces'\n"
            "               resorces: \\x1b[31m\n"
            "           hint: did you mean 'resources'?\n"
            "KUBELET  reachable\n"
            "\n"
            "all resources are excluded on this node\n");
  std::string many;
  for (int line = 0; line < 30; ++line) many += "line\n";
  wrong["configuration"]["rejected"]["reason"] = many;
  const std::string text = status_table(wrong, {});
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 1 + 1 + 20 + 1 + 1 + 2);
  EXPECT_NE(text.find("         and 10 more lines\n"), std::string::npos) << text;
}

TEST(StatusView, ShowsConfigurationPaths) {
  Json all = status();
  const auto line = [&](const Json& files) {
    all["configuration"]["files"] = files;
    const std::string text = status_table(all, {});
    const size_t at = text.find("CONFIG");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(line({"/tmp/a.yaml"}), "CONFIG   generation 2 since 5m, from /tmp/a.yaml");
  EXPECT_EQ(line({"/etc/patchbay", "/etc/patchbay/a.yaml", "/etc/patchbay/b.yaml"}),
            "CONFIG   generation 2 since 5m, from /etc/patchbay");
  EXPECT_EQ(line({"/a", "/a-b", "/a/c", "/d\x1b", "/e"}),
            "CONFIG   generation 2 since 5m, from /a, /a-b, /d\\x1b and 1 more");
}

TEST(StatusView, ShowsOneResource) {
  const Json all = status();
  EXPECT_EQ(resource_table(all, all["resources"][0], {}, {}),
            "a.io/tty: registered since 2h\n"
            "serial lines\n"
            "\n"
            "UNIT  STATE      SINCE  DEVICE          REASON\n"
            "u1    healthy    10s    /dev/a          was: no answer\n"
            "u2    unhealthy  1m     /dev/b\\x1b[31m  the device is gone\n"
            "\n"
            "NOT OFFERED     KIND     UNIT  REASON\n"
            "/sys/devices/c  refused  -     no serial\n"
            "/dev/d          claimed  d     claimed by c.io/tty\n");
  EXPECT_EQ(resource_table(all, all["resources"][1], {}, {}),
            "b.io/tty: registration failed since 1h: no such version\n"
            "\n"
            "no unit is offered\n"
            "\n"
            "NOT OFFERED  KIND          UNIT  REASON\n"
            "/mnt/dead    unresponsive  -     is unresponsive\n");
}

/// The same status with the containers of units.
Json held_status() {
  Json all = status();
  const Json holder = {{"namespace", "lab"},
                       {"pod", "p\x1b"},
                       {"container", "c"},
                       {"since", "2026-11-20T11:50:00Z"}};
  const Json other = {
      {"namespace", "lab"}, {"pod", "q"}, {"container", "d"}, {"since", "2026-11-20T11:59:00Z"}};
  all["podResources"] = {
      {"path", "/k"},
      {"state", "ready"},
      {"reason", ""},
      {"lastQueryTime", "2026-11-20T11:59:57Z"},
      {"lastSuccessTime", "2026-11-20T11:59:57Z"},
      {"withdrawnUnits", {{{"resource", "a.io/tty"}, {"unit", "u9"}, {"allocatedTo", {other}}}}}};
  all["resources"][0]["counts"]["allocated"] = 1U;
  all["resources"][1]["counts"]["allocated"] = nullptr;
  Json& units = all["resources"][0]["units"];
  units[0]["allocatedTo"] = {holder, other};
  units[0]["lastAllocateTime"] = "2026-11-20T11:59:00Z";
  units[1]["allocatedTo"] = Json::array();
  units[1]["lastAllocateTime"] = "2026-11-20T11:59:59Z";
  return all;
}

TEST(StatusView, CountsAllocatedUnits) {
  EXPECT_EQ(
      status_table(held_status(), {}),
      "NODE     bench-1, up 3d, patchbay 1.2.3, kernel 6.1.0\n"
      "CONFIG   generation 2 since 5m\n"
      "KUBELET  reachable\n"
      "PODS     known as of 3s ago\n"
      "\n"
      "RESOURCE  UNITS  OK  BAD  REFUSED  ALLOCATED  ALLOCATE CALLS  STATE                SINCE  "
      "REASON\n"
      "a.io/tty  2      1   1    1        1          5               registered           2h\n"
      "b.io/tty  0      0   0    0        -          0               registration failed  1h     "
      "no such version\n"
      "\n"
      "ALLOCATED, NOT OFFERED  RESOURCE  ALLOCATED TO\n"
      "u9                      a.io/tty  lab/q/d\n"
      "\n"
      "excluded on this node: 1 resource or group of a resource\n");
}

TEST(StatusView, ShowsWhyAssignmentsAreUnknown) {
  Json all = held_status();
  Json& asked = all["podResources"];
  const auto line = [&] {
    const std::string text = status_table(all, {});
    const size_t at = text.find("PODS ");
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  asked["state"] = "failing";
  asked["reason"] = "no\n";
  EXPECT_EQ(line(), "PODS     known as of 3s ago: no\\x0a");
  asked["lastSuccessTime"] = "";
  asked["state"] = "noSocket";
  asked["reason"] = "no socket at /k";
  EXPECT_EQ(line(), "PODS     not known: no socket at /k");
  asked["state"] = "notQueried";
  asked["reason"] = "";
  EXPECT_EQ(line(), "PODS     not known");
  asked["state"] = "disabled";
  EXPECT_EQ(line(), "");
}

TEST(StatusView, ShowsAssignmentsOfResource) {
  const Json all = held_status();
  EXPECT_EQ(resource_table(all, all["resources"][0], {}, {}),
            "a.io/tty: registered since 2h\n"
            "serial lines\n"
            "\n"
            "UNIT  STATE      SINCE  ALLOCATED TO            DEVICE          REASON\n"
            "u1    healthy    10s    lab/p\\x1b/c and 1 more  /dev/a          was: no answer\n"
            "u2    unhealthy  1m     allocated 1s ago        /dev/b\\x1b[31m  the device is gone\n"
            "\n"
            "NOT OFFERED     KIND     UNIT  REASON\n"
            "/sys/devices/c  refused  -     no serial\n"
            "/dev/d          claimed  d     claimed by c.io/tty\n"
            "\n"
            "ALLOCATED, NOT OFFERED  ALLOCATED TO\n"
            "u9                      lab/q/d\n");
  const std::string wide =
      resource_table(all, all["resources"][0], {}, {.table = {}, .wide = true});
  EXPECT_NE(wide.find("  lab/p\\x1b/c lab/q/d  "), std::string::npos) << wide;
  EXPECT_NE(wide.find("\n/sys/devices/d  claimed  "), std::string::npos) << wide;
}

TEST(StatusView, ShowsAssignmentsOfUnit) {
  const Json all = held_status();
  EXPECT_EQ(unit_text(all, all["resources"][0], all["resources"][0]["units"][0], {}),
            "unit          u1\n"
            "resource      a.io/tty\n"
            "state         healthy since 10s (2026-11-20T11:59:50Z)\n"
            "reason        was: no answer\n"
            "id from       id\n"
            "device        /sys/devices/a\n"
            "              /dev/a\n"
            "allocated to  lab/p\\x1b/c since 10m (2026-11-20T11:50:00Z)\n"
            "              lab/q/d since 1m (2026-11-20T11:59:00Z)\n"
            "allocated     1m ago (2026-11-20T11:59:00Z)\n");
}

TEST(StatusView, ShowsOneUnit) {
  const Json all = status();
  EXPECT_EQ(unit_text(all, all["resources"][0], all["resources"][0]["units"][1], {}),
            "unit          u2\n"
            "resource      a.io/tty\n"
            "state         unhealthy since 1m (2026-11-20T11:59:00Z)\n"
            "reason        the device is gone\n"
            "id from       id\n"
            "device        /sys/devices/b\n"
            "              /dev/b\\x1b[31m\n");
}

TEST(StatusView, FindsResourceOrUnitByName) {
  const Json all = status();
  const auto meant = [&](const std::string& word) -> std::string {
    const auto found = find_target(all, word);
    if (!found) return found.error().message;
    return (*found->resource)["name"].get<std::string>() +
           (found->unit == nullptr ? "" : " " + (*found->unit)["id"].get<std::string>());
  };
  EXPECT_EQ(meant("a.io/tty"), "a.io/tty");
  EXPECT_EQ(meant("u2"), "a.io/tty u2");
  EXPECT_EQ(meant("u2::1"), "a.io/tty u2");
  EXPECT_EQ(meant("tty"), "'tty' is ambiguous: name one of the resources a.io/tty b.io/tty");
  EXPECT_EQ(meant("u3"), "no resource or unit has the name 'u3'; did you mean 'u1'?");
  EXPECT_EQ(meant("nope"),
            "no resource or unit has the name 'nope'; the resources are a.io/tty, b.io/tty");
}

TEST(StatusView, ShowsEvent) {
  const Json event = Json::parse(
      R"({"number": 1, "at": "2026-11-20T12:00:00Z", "kind": "unitAdded", "level": "info",
          "message": "unit offered", "resource": "a.io/tty", "unit": "u1\u001b",
          "fields": "device=/dev/a"})");
  EXPECT_EQ(event_line(event, false),
            "2026-11-20T12:00:00Z  unitAdded     a.io/tty  u1\\x1b  unit offered: device=/dev/a\n");
}

TEST(StatusView, ShowsNearestDeviceOfEmptyResource) {
  Json all = status();
  Json& resource = all["resources"][1];
  EXPECT_FALSE(has_unmatched_groups(resource));
  EXPECT_FALSE(has_unmatched_groups(all["resources"][0]));
  resource["unresponsive"] = Json::array();
  EXPECT_TRUE(has_unmatched_groups(resource));
  const Json groups = Json::parse(R"([
    {"resource": "a.io/tty", "file": "/a.yaml", "line": 1, "candidates": 3, "reason": "",
     "nearestDevice": "", "conditions": []},
    {"resource": "b.io/tty", "file": "/b.yaml", "line": 7, "candidates": 1, "reason": "",
     "nearestDevice": "/sys/devices/c", "conditions": [
       {"condition": "vendor: \"1234\"", "actual": "vendor is \"5678\"", "depth": 0},
       {"condition": "parent", "actual": "no such parent", "depth": 1}]},
    {"resource": "b.io/tty", "file": "/b.yaml", "line": 9, "candidates": 0,
     "reason": "no path that \"/none/*\" finds", "nearestDevice": "", "conditions": []},
    {"resource": "b.io/tty", "file": "/b.yaml", "line": 11, "candidates": 0, "reason": "",
     "nearestDevice": "", "conditions": []}])");
  EXPECT_EQ(resource_table(all, resource, groups, {}),
            "b.io/tty: registration failed since 1h: no such version\n"
            "\n"
            "no unit is offered\n"
            "/b.yaml:7: 1 device compared; the nearest is /sys/devices/c, but:\n"
            "  vendor: \"1234\": vendor is \"5678\"\n"
            "    parent: no such parent\n"
            "/b.yaml:9: no path that \"/none/*\" finds\n"
            "/b.yaml:11: no device to compare\n");
}

/// The same status with ResourceClaims.
Json claims_status() {
  Json all = status();
  all["draDrivers"] = Json::parse(R"([
    {"name": "new.io", "state": "active", "registered": true, "reason": "",
     "apiServerReachable": true, "claims": [
      {"namespace": "lab", "name": "good", "uid": "1", "phase": "prepared", "reason": "",
       "devices": [{"resource": "a.io/tty", "unit": "u1"}], "warnings": ["two values"]},
      {"namespace": "lab", "name": "bad", "uid": "2", "phase": "releaseFailed",
       "reason": "exit code 1", "warnings": [],
       "devices": [{"resource": "a.io/tty", "unit": "u2"}, {"resource": "b.io/tty", "unit": "u\u001b"}]},
      {"namespace": "", "name": "", "uid": "3", "phase": "unreadable", "reason": "3.json: damaged",
       "devices": [], "warnings": []}]},
    {"name": "old.io", "state": "draining", "registered": true, "reason": "",
     "apiServerReachable": true, "claims": [
      {"namespace": "lab", "name": "old", "uid": "4", "phase": "prepared", "reason": "",
       "devices": [{"resource": "a.io/tty", "unit": "u3"}], "warnings": []}]},
    {"name": "away.io", "state": "draining", "registered": false, "reason": "no socket",
     "apiServerReachable": true, "claims": [
      {"namespace": "lab", "name": "p", "uid": "5", "phase": "releasing", "reason": "",
       "devices": [{"resource": "c.io/x", "unit": "x"}], "warnings": []},
      {"namespace": "lab", "name": "q", "uid": "6", "phase": "preparing", "reason": "",
       "devices": [{"resource": "c.io/x", "unit": "y"}], "warnings": []}]},
    {"name": "past.io", "state": "draining", "registered": true, "reason": "status 403",
     "apiServerReachable": false, "claims": []},
    {"name": "far.io", "state": "standby", "registered": false, "reason": "",
     "apiServerReachable": false, "claims": []}])");
  return all;
}

constexpr const char* kClaims =
    "\n"
    "CLAIM    RESOURCE  UNIT   PHASE          REASON\n"
    "lab/bad  a.io/tty  u2     releaseFailed  exit code 1\n"
    "lab/bad  b.io/tty  u\\x1b  releaseFailed  exit code 1\n"
    "3                         unreadable     3.json: damaged\n"
    "lab/old  a.io/tty  u3     prepared\n"
    "lab/p    c.io/x    x      releasing\n"
    "lab/q    c.io/x    y      preparing\n"
    "\n"
    "warning: ResourceClaim lab/good: two values\n"
    "DRA driver old.io: draining until its ResourceClaim has ended\n"
    "DRA driver away.io: draining until its 2 ResourceClaims have ended: no socket\n"
    "DRA driver past.io: draining until its ResourceSlices are deleted: status 403\n";

TEST(StatusView, ShowsResourceClaimsThatNeedAttention) {
  Json all = claims_status();
  const std::string text = status_table(all, {});
  EXPECT_NE(text.find("no such version\n" + std::string(kClaims) + "\nexcluded"), std::string::npos)
      << text;
  all["resources"].clear();
  EXPECT_TRUE(status_table(all, {}).ends_with("\nall resources are excluded on this node\n" +
                                              std::string(kClaims)));
}

TEST(StatusView, ShowsResourceClaimsOfResource) {
  const Json all = claims_status();
  const std::string text = resource_table(all, all["resources"][0], {}, {});
  EXPECT_TRUE(
      text.ends_with("/dev/d          claimed  d     claimed by c.io/tty\n"
                     "\n"
                     "CLAIM     UNIT  PHASE          REASON\n"
                     "lab/good  u1    prepared\n"
                     "lab/bad   u2    releaseFailed  exit code 1\n"
                     "lab/old   u3    prepared\n"
                     "\n"
                     "warning: ResourceClaim lab/good: two values\n"))
      << text;
}

/// Replaces each text by one with control sequences of a terminal.
void make_hostile(Json& json) {
  if (json.is_string()) json = "\x1b[2J\xc2\x9b\xe2\x80\xae\r\t";
  if (json.is_structured()) {
    for (Json& value : json) make_hostile(value);
  }
}

TEST(StatusView, EscapesEachText) {
  Json all = held_status();
  all["configuration"]["rejected"] = {{"since", ""}, {"reason", "x"}};
  all["draDrivers"] = claims_status()["draDrivers"];
  all["eventSources"] = Json::parse(R"([{"source": "s", "degradedReason": "d"}])");
  Json groups = Json::parse(R"([{"resource": "a", "file": "f", "reason": "r",
      "nearestDevice": "n", "conditions": [{"condition": "c", "actual": "a"}]}])");
  Json event = Json::parse(R"({"at": "t", "kind": "k", "level": "l", "message": "m",
      "resource": "r", "unit": "u", "fields": "f"})");
  for (Json& resource : all["resources"]) {
    for (Json& unit : resource["units"]) unit["numaNodes"] = {"n"};
  }
  for (Json* json : {&all, &groups, &event}) make_hostile(*json);
  std::string text =
      status_table(all, {}) + event_line(event, false) + find_target(all, "x").error().message;
  for (const Json& resource : all["resources"]) {
    text += resource_table(all, resource, groups, {});
    Json empty = resource;
    empty["units"] = Json::array();
    text += resource_table(all, empty, groups, {});
    for (const Json& unit : resource["units"]) text += unit_text(all, resource, unit, {});
  }
  for (const char* raw : {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\r", "\t"}) {
    EXPECT_EQ(text.find(raw), std::string::npos) << text;
  }
}

TEST(StatusView, TreatsMissingFieldsAsEmpty) {
  EXPECT_EQ(status_table(Json::object(), {}),
            "NODE     , up -, patchbay , kernel \n"
            "CONFIG   generation 0 since -, not watched\n"
            "KUBELET  unreachable since -: \n"
            "\n"
            "all resources are excluded on this node\n");
}

}  // namespace
}  // namespace patchbay::cli
