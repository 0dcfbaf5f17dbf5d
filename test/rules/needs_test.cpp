#include "rules/needs/needs.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "rules/compiled.h"
#include "rules/needs/granted.h"

namespace patchbay::rules {
namespace {

std::string word_of_need(Need::Kind kind) {
  switch (kind) {
    case Need::Kind::mount:
      return "mount";
    case Need::Kind::writable:
      return "writable";
    case Need::Kind::privileged:
      return "privileged";
    case Need::Kind::net_admin:
      return "net_admin";
    case Need::Kind::host_network:
      return "host_network";
    case Need::Kind::host_pid:
      return "host_pid";
    case Need::Kind::variable:
      return "variable";
    case Need::Kind::program:
      return "program";
    case Need::Kind::hidden:
      return "hidden";
    case Need::Kind::token:
      return "token";
  }
  return {};
}

/// The needs of a plan, each as a line "LINE:COLUMN KIND WHAT [GRANT]".
std::string needs_of(const Compiled& compiled) {
  if (!compiled.plan) return compiled.printed;
  std::string out;
  for (const Need& need : needs(*compiled.plan)) {
    out += fmt::format("{}:{} {} {} [{}]\n", need.at.line, need.at.column, word_of_need(need.kind),
                       need.what, need.grant);
  }
  return out;
}

std::string needs_of_group(const std::string& group) { return needs_of(compile_group(group)); }

/// The needs of a group with one more key. Its match alone needs nothing.
std::string needs_with(const std::string& key) {
  return needs_of_group("    match: {static: [a]}\n    " + key + "\n");
}

/// The needs of a group that matches a subsystem, with one more key.
std::string needs_of_device_with(const std::string& key, const std::string& subsystem = "tty") {
  return needs_of_group("    match: {subsystem: " + subsystem + "}\n    " + key + "\n");
}

/// The directory to mount for a pattern; "-" if none is needed, empty if none can be suggested.
std::string mounted_for(const std::string& pattern) {
  const Compiled compiled = compile_group("    match: {glob: \"" + pattern + "\"}\n");
  if (!compiled.plan) return compiled.printed;
  const auto found = needs(*compiled.plan);
  return found.empty() ? "-" : found.front().grant;
}

TEST(NeedsTest, IgnoresPathsMountedByManifest) {
  EXPECT_EQ(needs_of_group("    match:\n"
                           "      subsystem: tty\n"
                           "      attribute: {dev: \"*\"}\n"
                           "      property: {ID_BUS: usb}\n"
                           "      file: {/proc/modules: \"*\", /sys/power/state: \"*\"}\n"
                           "    when: {glob: /dev/kvm, file: {/sys/class/dmi/id/sys_vendor: A}}\n"
                           "    devices: [$(devnode), $(link.by-id), /dev/kfd]\n"
                           "    health: [{attribute: {a: \"1\"}}, {property: {A: b}}]\n"
                           "    preStart: [{wait: {path: $(devnode)}}]\n"),
            "");
  EXPECT_EQ(needs_of_group("    match: {sysfs: /sys/class/leds/*}\n    mounts: [{hostPath: "
                           "$(path)}, {hostPath: $(syspath)}]\n"),
            "");
  EXPECT_EQ(mounted_for("/dev/ttyS*"), "-");
  EXPECT_EQ(mounted_for("/run/udev/data/c4*"), "-");
  EXPECT_EQ(mounted_for("/etc/patchbay/extra"), "-");
  EXPECT_EQ(mounted_for("/var/lib/kubelet/device-plugins/*.sock"), "-");
}

TEST(NeedsTest, ReportsUnmountedPaths) {
  EXPECT_EQ(needs_of_group("    match:\n"
                           "      glob: [/dev/a, /run/vm/*/net.sock]\n"
                           "      file: {/opt/lab/$(name)/state: \"on\"}\n"
                           "    when: {glob: /etc/lab/here, file: {/opt/lab/conf: \"1\"}}\n"
                           "    mounts: [{hostPath: /srv/lab/lib, optional: true}]\n"
                           "    devices: [/run/nodes/a]\n"
                           "    health: [{file: {/run/lab/$(name): up}}, {open: /run/lab/lock}]\n"
                           "    preStart: [{wait: {path: /run/lab/ready}}]\n"),
            "8:18 mount /etc/lab/here [/etc/lab]\n"
            "8:40 mount /opt/lab/conf [/opt/lab]\n"
            "6:22 mount /run/vm/*/net.sock [/run/vm]\n"
            "7:14 mount /opt/lab/$(name)/state [/opt/lab]\n"
            "10:15 mount /run/nodes/a [/run/nodes]\n"
            "9:25 mount /srv/lab/lib [/srv/lab]\n"
            "11:22 mount /run/lab/$(name) [/run/lab]\n"
            "11:53 mount open: /run/lab/lock [/run/lab]\n"
            "12:30 mount /run/lab/ready [/run/lab]\n");
}

TEST(NeedsTest, CoversMembersAndBlocks) {
  EXPECT_EQ(needs_of_group("    match: {subsystem: tty, any: [{file: {/opt/a/b: \"1\"}}]}\n"
                           "    by: $(name)\n"
                           "    members: {other: {match: {glob: /opt/c/*}}}\n"
                           "    when: {except: {glob: /opt/d/e}}\n"),
            "8:27 mount /opt/d/e [/opt/d]\n"
            "5:43 mount /opt/a/b [/opt/a]\n"
            "7:37 mount /opt/c/* [/opt/c]\n");
}

TEST(NeedsTest, SuggestsNarrowestMount) {
  EXPECT_EQ(mounted_for("/run/lab/*"), "/run/lab");
  EXPECT_EQ(mounted_for("/run/lab/a.sock"), "/run/lab");
  EXPECT_EQ(mounted_for("/run/lab/b-*/c"), "/run/lab");
  EXPECT_EQ(mounted_for("/run/a.sock"), "/run/a.sock");
  EXPECT_EQ(mounted_for("/etc/machine-id"), "/etc/machine-id");
  EXPECT_EQ(mounted_for("/lib/modules/*/kernel"), "/lib/modules");
  EXPECT_EQ(mounted_for("/devices/x"), "/devices");
  // No mount is suggested, because the image has its own directory there.
  EXPECT_EQ(mounted_for("/lab*"), "");
  EXPECT_EQ(mounted_for("/etc/lab-*"), "");
  EXPECT_EQ(mounted_for("/usr"), "");
}

TEST(NeedsTest, OpenedDeviceNodesNeedPrivileges) {
  EXPECT_EQ(needs_of_device_with("health: [{open: $(devnode)}]"),
            "6:21 privileged open: $(devnode) []\n");
  EXPECT_EQ(needs_of_device_with("health: [{open: {path: $(link.by-id), mode: rw}}]"),
            "6:28 privileged open: $(link.by-id) []\n");
  EXPECT_EQ(needs_of_group("    match: {glob: /dev/a*}\n    health: [{open: $(path)}]\n"),
            "6:21 privileged open: $(path) []\n");
  EXPECT_EQ(needs_of_device_with("preStart: [{usbReset: true}]"), "6:16 privileged usbReset []\n");
  EXPECT_EQ(needs_of_device_with("preStart: [{write: {path: $(devnode), value: a}}]"),
            "6:31 privileged write: $(devnode) []\n");
  // A path below /run is not a device node, so it needs only a mount.
  EXPECT_EQ(needs_of_group("    match: {glob: /run/lab/*}\n    health: [{open: $(path)}]\n"),
            "5:19 mount /run/lab/* [/run/lab]\n");
}

TEST(NeedsTest, ResolvesLinksOfWrittenPaths) {
  const auto written_in = [](const std::string& path) {
    return needs_with("preStart: [{write: {path: " + path + ", value: a}}]");
  };
  EXPECT_EQ(written_in("/sys/class/leds/a/brightness"),
            "6:31 writable write: /sys/class/leds/a/brightness [/sys/devices]\n");
  EXPECT_EQ(written_in("/sys/bus/usb/devices/$(name)/authorized"),
            "6:31 writable write: /sys/bus/usb/devices/$(name)/authorized [/sys/devices]\n");
  EXPECT_EQ(written_in("/sys/block/sda/queue/scheduler"),
            "6:31 writable write: /sys/block/sda/queue/scheduler [/sys/devices]\n");
  EXPECT_EQ(written_in("/sys/class/zram-control/hot_remove"),
            "6:31 writable write: /sys/class/zram-control/hot_remove [/sys/class/zram-control]\n");
  EXPECT_EQ(written_in("/sys/bus/usb/drivers/a/unbind"),
            "6:31 writable write: /sys/bus/usb/drivers/a/unbind [/sys/bus/usb/drivers/a]\n");
  EXPECT_EQ(written_in("/sys/module/a/parameters/b"),
            "6:31 writable write: /sys/module/a/parameters/b [/sys/module/a/parameters]\n");
  EXPECT_EQ(written_in("/run/lab/$(name)"), "6:31 writable write: /run/lab/$(name) [/run/lab]\n");
  EXPECT_EQ(written_in("/var/lib/kubelet/device-plugins/x"), "");
  EXPECT_EQ(written_in("/proc/irq/7/smp_affinity"),
            "6:31 privileged write: /proc/irq/7/smp_affinity []\n");
  EXPECT_EQ(needs_of_device_with("preStart: [{write: {path: $(syspath)/a, value: b}}]"),
            "6:31 writable write: $(syspath)/a [/sys/devices]\n");
  EXPECT_EQ(needs_of_group("    match: {sysfs: /sys/class/leds/*}\n"
                           "    preStart: [{write: {path: $(path)/a, value: b}}]\n"),
            "6:31 writable write: $(path)/a [/sys/devices]\n");
  EXPECT_EQ(needs_with("health: [{open: {path: /run/lab/a, mode: w}}]"),
            "6:28 writable open: /run/lab/a [/run/lab]\n");
}

TEST(NeedsTest, WritingInterfaceAttributeNeedsNetAdmin) {
  EXPECT_EQ(
      needs_of_device_with("preStart: [{write: {path: $(syspath)/mtu, value: \"9000\"}}]", "net"),
      "6:31 writable write: $(syspath)/mtu [/sys/devices]\n"
      "6:31 net_admin write: $(syspath)/mtu []\n");
  EXPECT_EQ(needs_with("preStart: [{write: {path: /sys/class/net/a/mtu, value: \"9000\"}}]"),
            "6:31 writable write: /sys/class/net/a/mtu [/sys/devices]\n"
            "6:31 net_admin write: /sys/class/net/a/mtu []\n");
}

TEST(NeedsTest, LocalAddressesNeedHostNetwork) {
  for (const std::string address : {"127.0.0.1:80", "127.1.2.3:80", "[::1]:80", "localhost:80"}) {
    EXPECT_EQ(needs_with("health: [{tcp: \"" + address + "\"}]"),
              "6:20 host_network tcp: " + address + " []\n");
  }
  EXPECT_EQ(needs_with("health: [{tcp: \"localhost:$(name)\"}]"),
            "6:20 host_network tcp: localhost:$(name) []\n");
  for (const std::string address : {"$(name):80", "10.0.0.1:80", "scope.lab:80", "[fd00::1]:80"}) {
    EXPECT_EQ(needs_with("health: [{tcp: \"" + address + "\"}]"), "");
  }
  EXPECT_EQ(needs_with("health: [{file: {/proc/net/dev: \"*\"}}]"),
            "6:22 host_network /proc/net/dev []\n");
}

TEST(NeedsTest, ReportsPathsPrivateToPod) {
  EXPECT_EQ(needs_with("health: [{file: {/proc/1/mounts: \"*\"}}]"),
            "6:22 host_pid /proc/1/mounts []\n");
  EXPECT_EQ(needs_with("health: [{file: {/proc/mounts: \"*\"}}]"), "6:22 hidden /proc/mounts []\n");
  EXPECT_EQ(needs_with("when: {file: {/proc/device-tree/model: \"A*\"}}"),
            "6:19 hidden /proc/device-tree/model []\n");
  EXPECT_EQ(needs_with("when: {file: {/host/sys/firmware/devicetree/base/model: \"A*\"}}"),
            "6:19 mount /host/sys/firmware/devicetree/base/model "
            "[/host/sys/firmware/devicetree/base]\n");
  EXPECT_EQ(needs_with("when: {env: {POOL: a, NODE_NAME: b, HOSTNAME: c}}"),
            "6:18 variable POOL [POOL]\n");
}

TEST(NeedsTest, ReportsProgramsMissingFromImage) {
  EXPECT_EQ(needs_with("health: [{exec: [/bin/sh, -c, \"true\"]}]"), "6:22 program /bin/sh []\n");
  EXPECT_EQ(needs_with("health: [{exec: [/usr/bin/test, -e, /opt/x]}]"),
            "6:22 program /usr/bin/test []\n");
  EXPECT_EQ(needs_with("health: [{exec: [/usr/local/bin/patchbay, version]}]"), "");
  EXPECT_EQ(needs_with("health: [{exec: [/probes/a.sh]}]"),
            "6:22 program /probes/a.sh [/probes]\n");
  EXPECT_EQ(needs_with("preStart: [{exec: [/usr/sbin/ethtool]}]"),
            "6:24 program /usr/sbin/ethtool []\n");
}

TEST(NeedsTest, HintNamesShellThatScriptNeeds) {
  const auto hint_of = [](const std::string& program) {
    const Compiled compiled =
        compile_group("    match: {static: [a]}\n    health: [{exec: [" + program + "]}]\n");
    return needs(*compiled.plan).at(0).hint;
  };
  EXPECT_EQ(hint_of("/usr/bin/bash"),
            "it needs a shell, which the image lacks: use its debug variant, or your own image");
  EXPECT_EQ(hint_of("/probes/a.sh"), hint_of("/usr/bin/bash"));
  EXPECT_EQ(hint_of("/probes/a"), "");
}

/// Compiles a fixed group. Returns those of its needs that the DaemonSets do not meet, with hints.
std::string needs_beyond(const std::vector<config::DaemonSet>& daemons) {
  const Compiled compiled = compile_group(
      "    match: {subsystem: net}\n    cdi: write\n"
      "    when: {env: {POOL: a}, file: {/proc/1/mounts: \"*\"}}\n"
      "    mounts: [{hostPath: /opt/lab/a}]\n"
      "    health: [{tcp: localhost:80}, {open: $(link.x)}, {exec: [/probes/a]}]\n"
      "    preStart: [{write: {path: $(syspath)/mtu, value: \"9000\"}}]\n");
  if (!compiled.plan) return compiled.printed;
  std::string out;
  for (const Need& need : needs(*compiled.plan, daemons)) {
    out += fmt::format("{} {}{}{}\n", word_of_need(need.kind), need.what,
                       need.hint.empty() ? "" : ": ", need.hint);
  }
  return out;
}

TEST(NeedsTest, EachNeedIsMetByItsGrant) {
  const std::string all = needs_beyond({});
  EXPECT_EQ(all,
            "mount /opt/lab/a\n"
            "writable write: $(syspath)/mtu\n"
            "writable cdi: write\n"
            "privileged open: $(link.x)\n"
            "net_admin write: $(syspath)/mtu\n"
            "host_network tcp: localhost:80\n"
            "host_pid /proc/1/mounts\n"
            "variable POOL\n"
            "program /probes/a\n");
  config::DaemonSet daemons = manifest_daemon_set();
  const auto expect_met = [&](const std::string& what) {
    const std::string left = needs_beyond({daemons});
    for (const std::string_view line : split(all, '\n')) {
      if (line.empty()) continue;
      EXPECT_EQ(left.contains(line), line != what) << what << "\n" << left;
    }
    daemons = manifest_daemon_set();
  };
  daemons.mounts.push_back({"/opt/lab/a"});
  expect_met("mount /opt/lab/a");
  daemons.mounts.push_back({"/sys/devices", true});
  expect_met("writable write: $(syspath)/mtu");
  daemons.mounts.push_back({"/run/cdi", true});  // /var/run is a link.
  expect_met("writable cdi: write");
  daemons.mounts.push_back({"/etc/cdi", true});
  daemons.arguments["--cdi-dir"] = "/etc/cdi";
  expect_met("writable cdi: write");
  daemons.capabilities = {"NET_ADMIN"};
  expect_met("net_admin write: $(syspath)/mtu");
  daemons.host_network = true;
  expect_met("host_network tcp: localhost:80");
  daemons.host_pid = true;
  expect_met("host_pid /proc/1/mounts");
  daemons.variables.emplace_back("POOL");
  expect_met("variable POOL");
  daemons.mounts.push_back({"/probes"});
  expect_met("program /probes/a");
  daemons.mounts.push_back({"/host"});
  daemons.arguments["--host-root"] = "/host";
  expect_met("mount /opt/lab/a");
  // A mount that is read-only does not meet a need to write.
  daemons.mounts.push_back({"/var/run/cdi"});
  expect_met("");
  daemons.privileged = true;
  EXPECT_FALSE(needs_beyond({daemons}).contains("privileged"));
  EXPECT_FALSE(needs_beyond({daemons}).contains("net_admin"));
}

/// The needs of a resource with `serve: dra`, and with these further keys, that the DaemonSet does
/// not meet.
std::string needs_of_dra(const config::DaemonSet& daemons, const std::string& keys = "") {
  const Compiled compiled = compile_files(
      {{"lab.yaml",
        "apiVersion: patchbay/v1\nkind: Config\ndra: {driver: a.example.com}\nresources:\n"
        "  - {name: example.com/unit, match: {subsystem: tty}, serve: dra" +
            keys + "}\n"}});
  if (!compiled.plan) return compiled.printed;
  std::string out;
  for (const Need& need : needs(*compiled.plan, {&daemons, 1})) {
    out += fmt::format("{}:{} {} {}\n", need.at.line, need.at.column, word_of_need(need.kind),
                       need.what);
  }
  return out;
}

TEST(NeedsTest, DraNeedsDirectoriesOfTheKubeletAndAToken) {
  config::DaemonSet daemons = manifest_daemon_set();
  EXPECT_EQ(needs_of_dra(daemons),
            "5:5 writable serve: dra (/var/run/cdi)\n"
            "5:5 writable serve: dra (/var/lib/kubelet/plugins_registry)\n"
            "5:5 writable serve: dra (/var/lib/kubelet/plugins/patchbay)\n"
            "5:5 token serve: dra\n");
  daemons.mounts.push_back({"/var/run/cdi", true});
  daemons.mounts.push_back({"/var/lib/kubelet/plugins_registry", true});
  daemons.mounts.push_back({"/var/lib/kubelet/plugins/patchbay", true});
  daemons.has_token = true;
  EXPECT_EQ(needs_of_dra(daemons), "");
  daemons.arguments["--kubelet-root"] = "/k";
  EXPECT_EQ(needs_of_dra(daemons),
            "5:5 mount serve: dra (/var/lib/kubelet/pod-resources)\n"
            "5:5 writable serve: dra (/var/lib/kubelet/plugins_registry)\n"
            "5:5 writable serve: dra (/var/lib/kubelet/plugins/patchbay)\n");
  daemons.mounts.push_back({"/k", true});
  EXPECT_EQ(needs_of_dra(daemons), "");
  daemons.arguments["--pod-resources"] = "/pods/kubelet.sock";
  EXPECT_EQ(needs_of_dra(daemons), "5:5 mount serve: dra (/var/lib/kubelet/pod-resources)\n");
  daemons.mounts.push_back({"/pods"});
  daemons.has_token = false;
  daemons.arguments["--api-token-file"] = "/token";
  EXPECT_EQ(needs_of_dra(daemons), "");
  EXPECT_EQ(needs_of_dra(daemons,
                         ", release: [{usbReset: true}, {exec: [/hooks/wipe]}, {write: {path: "
                         "/srv/x, value: a}}, {wait: {path: /run/lab/off}}]"),
            "5:167 mount /run/lab/off\n"
            "5:133 writable write: /srv/x\n"
            "5:77 privileged usbReset\n"
            "5:103 program /hooks/wipe\n");
}

TEST(NeedsTest, OneDaemonSetThatMeetsTheNeedIsEnough) {
  config::DaemonSet other = manifest_daemon_set();
  other.variables = {"POOL"};
  EXPECT_TRUE(needs_beyond({manifest_daemon_set()}).contains("POOL"));
  EXPECT_FALSE(needs_beyond({manifest_daemon_set(), other}).contains("POOL"));
}

TEST(NeedsTest, MountOfAnotherVolumeMeetsNoNeed) {
  config::DaemonSet daemons = manifest_daemon_set();
  daemons.has_volumes = true;
  const auto is_met = [&](const config::DaemonSet::Mount& mount, const std::string& what) {
    config::DaemonSet with = daemons;
    with.mounts.push_back(mount);
    return !needs_beyond({with}).contains(what);
  };
  const std::string need = "mount /opt/lab/a";
  EXPECT_TRUE(is_met({"/opt/lab/a", false, "/opt/lab/a"}, need));
  EXPECT_TRUE(is_met({"/opt", false, "/opt"}, need));
  EXPECT_FALSE(is_met({"/opt/lab/a"}, need)) << "an emptyDir";
  EXPECT_FALSE(is_met({"/opt/lab", false, "/opt/other"}, need));
  EXPECT_TRUE(is_met({"/probes"}, "program /probes/a")) << "a program may be in any volume";
  EXPECT_TRUE(is_met({"/run/cdi", true, "/var/run/cdi"}, "cdi: write")) << "/var/run is a link";
  EXPECT_FALSE(is_met({"/host", false, "/"}, need));
  daemons.arguments["--host-root"] = "/host";
  EXPECT_TRUE(is_met({"/host", false, "/"}, need));
  daemons.arguments["--cdi-dir"] = "/etc/cdi";
  EXPECT_TRUE(is_met({"/etc/cdi", true, "/etc/cdi"}, "cdi: write")) << "runtimes read it, too";
}

TEST(NeedsTest, HintNamesArgumentForDirectoryMountedElsewhere) {
  config::DaemonSet daemons = manifest_daemon_set();
  daemons.mounts.push_back({"/host/run", true, "/var/run"});
  daemons.mounts.push_back({"/tools", false, "/opt/lab"});
  const std::string shown = needs_beyond({daemons});
  EXPECT_TRUE(
      shown.contains("writable cdi: write: it is mounted at /host/run/cdi: add the argument "
                     "--cdi-dir=/host/run/cdi\n"))
      << shown;
  EXPECT_TRUE(
      shown.contains("mount /opt/lab/a: it is mounted at /tools/a: mount it at the same path\n"))
      << shown;
  daemons.mounts = {{"/host", true, "/"}};
  EXPECT_TRUE(needs_beyond({daemons}).contains("--cdi-dir=/host/var/run/cdi\n"));
}

TEST(NeedsTest, ReportsFilesWrittenForOtherPrograms) {
  EXPECT_EQ(needs_of_group("    match: {subsystem: net}\n    cdi: write\n    deviceInfo: pci\n"),
            "4:5 writable cdi: write [/var/run/cdi]\n"
            "4:5 writable deviceInfo: pci [/var/run/k8s.cni.cncf.io/devinfo/dp]\n");
}

TEST(NeedsTest, ReportsRepeatedNeedOnce) {
  EXPECT_EQ(needs_of_group("    mounts: [{hostPath: /srv/lab/lib}]\n"
                           "    groups:\n"
                           "      - match: {static: [a]}\n"
                           "      - match: {static: [b]}\n"),
            "5:25 mount /srv/lab/lib [/srv/lab]\n");
}

}  // namespace
}  // namespace patchbay::rules
