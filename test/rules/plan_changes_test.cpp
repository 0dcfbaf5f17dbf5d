#include "rules/plan/plan_changes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/compiled.h"

namespace patchbay::rules {
namespace {

using Change = ResourceChange;

PlanPtr read_plan(const std::string& resources) {
  auto compiled = compile_resources(resources);
  EXPECT_EQ(compiled.printed, "") << resources;
  return compiled.plan;
}

/// The YAML of the resource a.io/x with `keys`.
std::string with(const std::string& keys) {
  return "  - name: a.io/x\n    match: {subsystem: tty, name: \"ttyS*\"}\n" + keys;
}

/// The change between two plans of the resource, such as "changed envs mounts".
std::string change_of(const std::string& before, const std::string& now) {
  const auto changes = changes_between(*read_plan(before), *read_plan(now));
  EXPECT_EQ(changes.size(), 1U);
  std::string text(word_of(changes.front().kind));
  for (const std::string_view key : changes.front().keys) text += " " + std::string(key);
  return text;
}

TEST(PlanChanges, ReportsEachChangedKey) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"", "kept"},
      {"    description: lines\n", "changed description"},
      {"    when: {node: \"*\"}\n", "changed when"},
      {"    claim: shared\n", "changed claim"},
      {"    linger: 1s\n", "changed linger"},
      {"    prefer: packed\n", "changed prefer"},
      {"    topology: none\n", "changed topology"},
      {"    deviceInfo: pci\n", "changed deviceInfo"},
      {"    by: $(pci.address)\n", "changed by"},
      {"    by: $(pci.address)\n    size: 2\n", "changed by size"},
      {"    by: $(pci.address)\n    members: {m: {match: {subsystem: net}}}\n",
       "changed by members devices"},
      {"    expect: 2\n", "changed expect"},
      {"    id: $(name)\n", "changed id"},
      {"    share: {count: 2}\n", "changed prefer share"},
      {"    devices: [/dev/null]\n", "changed devices"},
      {"    mounts: [{hostPath: /opt}]\n", "changed mounts"},
      {"    envs: {A: b}\n", "changed envs"},
      {"    annotations: {a.io/b: c}\n", "changed annotations"},
      {"    cdi: write\n", "changed cdi"},
      {"    health: [{open: $(devnode)}]\n", "changed health"},
      {"    preStart: [{exec: [/bin/true]}]\n", "re-registered preStart"},
      {"    serve: devicePlugin\n", "kept"},
  };
  for (const auto& [keys, change] : table) {
    EXPECT_EQ(change_of(with(""), with(keys)), change) << keys;
  }
}

/// A file with a resource that has `serve: dra` and these keys.
PlanPtr dra_plan(const std::string& driver, const std::string& keys = "") {
  auto compiled =
      compile_files({{"lab.yaml", "apiVersion: patchbay/v1\nkind: Config\ndra: {driver: " + driver +
                                      "}\nresources:\n" + with("    serve: dra\n" + keys)}});
  EXPECT_EQ(compiled.printed, "");
  return compiled.plan;
}

TEST(PlanChanges, ReportsChangesOfDra) {
  const auto changed = [](const PlanPtr& before, const PlanPtr& now) {
    return changes_between(*before, *now).front();
  };
  const PlanPtr dra = dra_plan("a.io");
  EXPECT_EQ(changed(read_plan(with("")), dra),
            (Change{"a.io/x", Change::Kind::changed, {"serve"}}));
  EXPECT_EQ(changed(dra, dra_plan("a.io", "    dra: {attributes: {a: b}}\n")),
            (Change{"a.io/x", Change::Kind::changed, {"dra"}}));
  // Selectors of DeviceClasses and Pods contain the driver's name.
  EXPECT_EQ(changed(dra, dra_plan("b.io")),
            (Change{"a.io/x", Change::Kind::changed, {"dra"}, true}));
  // Without a device plugin, an added preStart needs no new registration.
  EXPECT_EQ(changed(dra, dra_plan("a.io", "    preStart: [{exec: [/bin/true]}]\n")),
            (Change{"a.io/x", Change::Kind::changed, {"preStart"}}));
  EXPECT_EQ(changed(dra, dra_plan("a.io", "    release: [{exec: [/bin/true]}]\n")),
            (Change{"a.io/x", Change::Kind::changed, {"release"}}));
  // New ResourceClaims get the timeout from the resource.
  EXPECT_EQ(changed(dra, dra_plan("a.io, releaseTimeout: 1m")),
            (Change{"a.io/x", Change::Kind::changed, {"dra"}}));
  EXPECT_EQ(changed(dra, dra_plan("a.io, releaseTimeout: 300s")).kind, Change::Kind::kept);
  EXPECT_EQ(changed(dra, dra_plan("a.io")).kind, Change::Kind::kept);
  EXPECT_EQ(reuse_unchanged(dra_plan("a.io"), *dra)->resources, dra->resources);
}

TEST(PlanChanges, FindsResourcesWhoseClaimsOutliveTheEdit) {
  const auto outlive = [](const PlanPtr& before, const PlanPtr& now) {
    std::string names;
    for (const Change& change : changes_between(*before, *now)) {
      if (change.claims_outlive_edit) names += change.name;
    }
    return names;
  };
  const auto groups = [](const std::string& text) {
    auto compiled =
        compile_files({{"lab.yaml",
                        "apiVersion: patchbay/v1\nkind: Config\ndra: {driver: a.io}\nresources:\n"
                        "  - {name: a.io/x, serve: dra, groups: [" +
                            text + "]}\n"}});
    EXPECT_EQ(compiled.printed, "");
    return compiled.plan;
  };
  const PlanPtr dra = dra_plan("a.io");
  const PlanPtr plugin = read_plan(with(""));
  const PlanPtr other = read_plan("  - {name: a.io/y, match: {static: [y]}}\n");
  EXPECT_EQ(outlive(dra, other), "a.io/x");
  EXPECT_EQ(outlive(dra, plugin), "a.io/x");
  EXPECT_EQ(outlive(dra, dra_plan("b.io")), "a.io/x");
  EXPECT_EQ(outlive(dra, dra_plan("a.io", "    id: $(name)\n")), "a.io/x");
  EXPECT_EQ(outlive(dra, dra_plan("a.io", "    by: $(pci.address)\n")), "a.io/x");
  EXPECT_EQ(outlive(dra_plan("a.io", "    id: $(name)\n"),
                    dra_plan("a.io", "    id: $(name)\n    by: $(pci.address)\n")),
            "");
  EXPECT_EQ(outlive(dra, dra_plan("a.io", "    envs: {A: b}\n")), "");
  EXPECT_EQ(outlive(dra, dra), "");
  EXPECT_EQ(outlive(plugin, dra), "");
  EXPECT_EQ(outlive(plugin, other), "");
  const std::string tty = "{match: {subsystem: tty}, id: $(name)}";
  const std::string net = "{match: {subsystem: net}}";
  EXPECT_EQ(outlive(groups(tty), groups(tty + ", " + net)), "") << "added";
  EXPECT_EQ(outlive(groups(tty + ", " + net), groups(tty)), "a.io/x") << "removed";
  EXPECT_EQ(outlive(groups(tty + ", " + net), groups(net + ", " + tty)), "a.io/x") << "moved";
}

TEST(PlanChanges, PlansWithDifferentDriversAreNotEquivalent) {
  const auto with_driver = [](const std::string& driver) {
    return compile_files({{"lab.yaml", "apiVersion: patchbay/v1\nkind: Config\n" + driver +
                                           "resources:\n" + with("")}})
        .plan;
  };
  const PlanPtr none = with_driver("");
  const PlanPtr one = with_driver("dra: {driver: a.io}\n");
  EXPECT_FALSE(equivalent(*none, *one));
  EXPECT_FALSE(equivalent(*one, *with_driver("dra: {driver: b.io}\n")));
  EXPECT_TRUE(equivalent(*one, *with_driver("dra: {driver: a.io}\n")));
}

TEST(PlanChanges, ReportsChangedMatchAndGroups) {
  const std::string one = "  - name: a.io/x\n    groups:\n      - match: {subsystem: tty}\n";
  const std::string other = "  - name: a.io/x\n    match: {subsystem: net}\n";
  EXPECT_EQ(change_of(one, other), "changed match");
  EXPECT_EQ(change_of(one, one + "      - match: {subsystem: net}\n"), "changed groups");
  // Positions and the order of keys have no meaning.
  EXPECT_EQ(change_of(one, "  - groups: [{match: {subsystem: tty}}]\n    name: a.io/x\n"), "kept");
  // Static names have no NUMA node, so only `prefer` enables preferred allocation. Register tells
  // the kubelet whether preferred allocation is available, so this change needs a new registration.
  const std::string names = "  - name: a.io/x\n    match: {static: [a, b]}\n";
  EXPECT_EQ(change_of(names, names + "    prefer: spread\n"), "re-registered prefer");
}

/// Each row has equivalent notations of one resource.
const std::vector<std::vector<std::string>> kEqual{
    // Entries: the container path has a default.
    {"match: {glob: /dev/line*}\n    devices: [{hostPath: /dev/kfd}]",
     "match: {glob: /dev/line*}\n    devices: [/dev/kfd]",
     "match: {glob: /dev/line*}\n    devices: [{hostPath: /dev/kfd, containerPath: /dev/kfd, "
     "permissions: wr}]"},
    {"match: {static: a}\n    mounts: [{hostPath: /opt/$(name)}]",
     "match: {static: a}\n    mounts: [{hostPath: /opt/$(name), containerPath: /opt/$(name)}]"},
    // The default of `devices`, if each device has a device node.
    {"match: {subsystem: tty, devnode: \"*\"}",
     "match: {subsystem: tty, devnode: {exists: true}}\n    devices: [$(devnode)]"},
    {"match: {glob: /dev/line*, type: [char, block]}",
     "match: {glob: /dev/line*, type: [block, char]}\n    devices: [$(path)]"},
    // Notations of numbers.
    {"match: {subsystem: drm, attribute: {memory: {ge: 8Gi, lt: 0x400000000}}}",
     "match: {subsystem: drm, attribute: {memory: {ge: 8192Mi, lt: 16Gi}}}"},
    {"match: {glob: /dev/kvm}\n    share: {total: 2048Mi, each: 1Gi}",
     "match: {glob: /dev/kvm}\n    share: {total: 2Gi, each: 1024Mi}"},
    // Conditions of one value: order, repetition, and short notations.
    {"match: {subsystem: net, name: [eth0, eth1]}", "match: {subsystem: net, name: [eth1, eth0]}",
     "match: {subsystem: net, name: [eth1, eth0, eth1]}"},
    {"match: {subsystem: net, attribute: {A: b, C: {not: d}}}",
     "match: {subsystem: net, attribute: {C: {exists: true, not: [d]}, A: [b]}}"},
    // Nested conditions: any, except, when.
    {"match: {subsystem: tty, name: \"tty*\", driver: a}",
     "match: {subsystem: tty, any: [{name: \"tty*\", any: [{driver: a}]}]}",
     "match: {subsystem: tty, driver: a, any: [{name: \"tty*\"}]}"},
    {"match: {subsystem: tty, any: [{name: a}, {driver: b}], except: [{name: c}, {name: d}]}",
     "match: {subsystem: tty, any: [{driver: b}, {name: a}], except: [{name: d}, {name: c}]}"},
    {"match: {subsystem: tty}\n    when: {node: [a, b], except: {glob: /x}}",
     "match: {subsystem: tty}\n    when: {node: [b, a], except: [{glob: [/x]}]}",
     "groups: [{match: {subsystem: tty}, when: {node: [a, b], except: {glob: /x}}}]"},
    // Lists of patterns and names.
    {"match: {glob: [/dev/a*, /dev/b*]}", "match: {glob: [/dev/b*, /dev/a*]}"},
    {"match: {static: [a, b]}", "match: {static: [b, a]}"},
};

/// No two rows have the same meaning.
const std::vector<std::string> kDifferent{
    "match: {subsystem: tty}",
    "match: {subsystem: tty}\n    devices: [$(devnode)]",  // Not every tty has a device node.
    "match: {glob: /dev/line*, type: [char, file]}",
    "match: {glob: /dev/line*, type: [char, file]}\n    devices: [$(path)]",
    // The first alternative that matches sets the capture.
    "match: {subsystem: tty, name: [{regex: '(?P<a>.*)'}, x]}",
    "match: {subsystem: tty, name: [x, {regex: '(?P<a>.*)'}]}",
    "match: {subsystem: tty, any: [{name: {regex: '(?P<a>.*)'}}, {driver: {regex: '(?P<a>.*)'}}]}",
    "match: {subsystem: tty, any: [{driver: {regex: '(?P<a>.*)'}}, {name: {regex: '(?P<a>.*)'}}]}",
    // `a*` is a pattern, `a\*` is a literal text.
    "match: {subsystem: tty, name: \"a*\"}",
    "match: {subsystem: tty, name: 'a\\*'}",
    "match: {subsystem: tty, name: {not: 'a\\*'}}",
    "match: {subsystem: tty, name: [{exists: false}, 'a\\*']}",
    "match: {subsystem: tty, property: {a: b}}",
    "match: {subsystem: tty, property: {a: $(name)}}",
    "match: {subsystem: tty, property: {a: {regex: $(name)}}}",
    "match: {subsystem: tty, attribute: {a: b}}",
    "match: {subsystem: tty, attribute: {a: {ge: 1}}}",
    "match: {subsystem: tty, attribute: {a: {gt: 1}}}",
    "match: {subsystem: tty, attribute: {a: {gt: 1, le: 2}}}",
    "match: {subsystem: tty, except: {attribute: {a: b}}}",
    "match: {subsystem: tty, ancestor: {attribute: {a: b}}}",
    // $(path) is the path that the first matching pattern found.
    "match: {sysfs: [/sys/class/net/*, /sys/bus/pci/devices/*/net/*]}",
    "match: {sysfs: [/sys/bus/pci/devices/*/net/*, /sys/class/net/*]}",
};

TEST(PlanChanges, KeepsEquivalentResources) {
  for (const auto& row : kEqual) {
    const std::string first = "  - name: a.io/x\n    " + row.front() + "\n";
    for (const std::string& other : row) {
      const std::string written = "  - name: a.io/x\n    " + other + "\n";
      EXPECT_EQ(change_of(first, written), "kept") << first << written;
      EXPECT_TRUE(equivalent(*read_plan(first), *read_plan(written)));
    }
  }
}

TEST(PlanChanges, ReportsChangedMeaning) {
  for (size_t i = 0; i < kDifferent.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const std::string one = "  - name: a.io/x\n    " + kDifferent[i] + "\n";
      const std::string other = "  - name: a.io/x\n    " + kDifferent[k] + "\n";
      EXPECT_NE(change_of(one, other), "kept") << one << other;
    }
  }
}

TEST(PlanChanges, ReportsAddedAndRemovedResources) {
  const auto resource = [](const std::string& name) {
    return "  - {name: a.io/" + name + ", match: {static: [" + name + "]}}\n";
  };
  const auto before = read_plan(resource("a") + resource("b") + resource("c"));
  const auto now = read_plan(resource("c") + resource("d") + resource("a"));
  EXPECT_THAT(changes_between(*before, *now),
              testing::ElementsAre(
                  Change{"a.io/c", Change::Kind::kept}, Change{"a.io/d", Change::Kind::added},
                  Change{"a.io/a", Change::Kind::kept}, Change{"a.io/b", Change::Kind::removed}));
  EXPECT_FALSE(equivalent(*before, *now));
  EXPECT_TRUE(equivalent(*before, *read_plan(resource("a") + resource("b") + resource("c"))));
  EXPECT_FALSE(equivalent(*before, *read_plan(resource("b") + resource("a") + resource("c"))));
}

}  // namespace
}  // namespace patchbay::rules
