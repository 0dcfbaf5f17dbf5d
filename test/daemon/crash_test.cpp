// Kills the daemon at random times and starts it again. The next daemon finds partial files, stale
// sockets, and a kubelet with an older list.
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/unique_fd.h"
#include "fake/daemon_fixture.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Names = std::set<std::string>;

/// Number of kills. For rare failures, set more with $PATCHBAY_CRASH_ROUNDS.
int rounds() {
  if (const char* rounds = std::getenv("PATCHBAY_CRASH_ROUNDS")) return std::atoi(rounds);
#ifdef __SANITIZE_ADDRESS__
  return 60;  // Each start takes ten times as long.
#else
  return 200;
#endif
}

constexpr uint32_t kSeed = 20;
constexpr int kMostUnits = 8;
const std::vector<std::string> kResources = {"hare", "mole", "vole"};

/// The names in a directory; none if it does not exist.
Names names_in(const std::string& directory) {
  Names names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    names.insert(entry.path().filename());
  }
  return names;
}

nlohmann::json json_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return nlohmann::json::parse(in, nullptr, false);
}

/// Creates a Unix socket at the path. Without `listens`, closes it, so that only its file stays.
UniqueFd socket_at(const std::string& path, bool listens) {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  EXPECT_EQ(bind(fd.get(), generic, sizeof address), 0) << path;
  if (!listens) return {};
  EXPECT_EQ(listen(fd.get(), 1), 0);
  return fd;
}

class CrashTest : public fake::DaemonTest {
 protected:
  /// The configured resources and their units.
  struct Setting {
    std::map<std::string, Names> units;  ///< By resource, if it is configured.
    bool pci = false;                    ///< Whether this machine's PCI functions are offered.
  };

  CrashTest() {
    start_kubelet();
    // Creates files of other programs and of another running Patchbay, which the daemon must not
    // change.
    dir_.write("cdi/vendor.json", "{}");
    dir_.write("devinfo/vendor-device.json", "{}");
    dir_.write("device-plugins/patchbay-notes.sock", "a file, no socket");
    alive_ = socket_at(kubelet_directory() + "/patchbay-alive.sock", true);
    socket_at(kubelet_directory() + "/vendor.sock", false);
    for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", none_)) {
      pci_.insert(entry.path().filename());
    }
  }

  /// A random number below `end`.
  int below(int end) { return std::uniform_int_distribution(0, end - 1)(random_); }
  /// Waits for a random time, to vary the time of the kill.
  void wait_by_chance(Clock::duration within) {
    std::uniform_int_distribution<Clock::rep> moment(0, within.count());
    std::this_thread::sleep_for(Clock::duration(moment(random_)));
  }

  /// Changes the configured resources at random. shuffle_units() adds and removes their units.
  void shuffle_configuration() {
    for (const std::string& resource : kResources) {
      if (below(3) == 0) {
        setting_.units.erase(resource);
      } else {
        setting_.units[resource] = names_in(dir_ / resource);
      }
    }
    setting_.pci = below(2) == 0;
    dir_.write("next.yaml", config());
    fs::rename(dir_ / "next.yaml", dir_ / "config.yaml");
  }
  void shuffle_units() {
    for (const std::string& resource : kResources) {
      for (int change = below(kMostUnits); change > 0; --change) {
        const std::string unit = fmt::format("{}-{}", resource, below(kMostUnits));
        if (below(2) == 0) {
          fs::remove(dir_ / (resource + "/" + unit), none_);
        } else {
          dir_.write(resource + "/" + unit, "");
        }
      }
      if (const auto known = setting_.units.find(resource); known != setting_.units.end()) {
        known->second = names_in(dir_ / resource);
      }
    }
  }

  [[nodiscard]] std::string config() const {
    std::string text =
        "apiVersion: patchbay/v1\nkind: Config\n"
        "defaults: {domain: example.com, linger: 0s}\nresources:\n"
        "  - {name: always, match: {static: [one]}, id: $(name)}\n";
    for (const auto& [resource, units] : setting_.units) {
      text += fmt::format(
          "  - {{name: {0}, match: {{glob: {1}/{0}/*, type: file}}, id: $(name), cdi: write, "
          "mounts: [{{hostPath: $(path), containerPath: /opt/{0}/$(name)}}]}}\n",
          resource, dir_.path());
    }
    if (setting_.pci) {
      text += "  - {name: pci, match: {subsystem: pci}, id: $(name), deviceInfo: pci}\n";
    }
    return text;
  }

  /// The units that must be listed, by the full name of the resource.
  [[nodiscard]] std::map<std::string, Names> wanted_lists() const {
    std::map<std::string, Names> lists{{"example.com/always", {"one"}}};
    for (const auto& [resource, units] : setting_.units) lists["example.com/" + resource] = units;
    if (setting_.pci) lists["example.com/pci"] = pci_;
    return lists;
  }

  void start() { start_daemon(config()); }
  void kill_it() {
    daemon_->send_signal(SIGKILL);
    daemon_->wait();
  }

  /// Starts a daemon after the previous one was killed. Checks its files while Register is blocked,
  /// and then its lists.
  void start_and_look() {
    const size_t mark = kubelet_->log().size();
    kubelet_->set_faults({.block_register = true});
    const auto begin = Clock::now();
    start();
    std::map<std::string, std::string> endpoints;
    for (const auto& [resource, units] : wanted_lists()) {
      endpoints[resource] = registering_at(resource);
      const auto called = kubelet_->log().wait_for(
          [&](const auto& event) {
            return event.kind == Kind::register_called && event.endpoint == endpoints.at(resource);
          },
          mark);
      ASSERT_TRUE(called) << resource;
    }
    start_takes_ = Clock::now() - begin;
    look_at_specs();
    look_at_device_infos();
    look_at_sockets(endpoints);
    kubelet_->set_faults({});
    for (const auto& [resource, units] : wanted_lists()) {
      look_at_first_list(endpoints.at(resource), units, mark);
    }
  }

  /// The name of the socket with which the daemon registers the resource.
  [[nodiscard]] std::string registering_at(const std::string& resource) const {
    const auto line =
        daemon_->wait_for_line(fmt::format(R"("message":"registering","resource":"{}")", resource));
    return line ? nlohmann::json::parse(*line).value("endpoint", "") : "";
  }

  /// Expects only these files. The daemon removes files of killed daemons before it writes its
  /// first file. Without units the daemon writes no file, so then this function waits for the
  /// removal.
  void expect_files(const std::string& directory, const Names& files) const {
    if (setting_.units.empty() && !setting_.pci) {
      static_cast<void>(fake::wait_until([&] { return names_in(directory) == files; }));
    }
    EXPECT_EQ(names_in(directory), files);
  }

  void look_at_specs() const {
    Names files{"vendor.json"};
    for (const auto& [resource, units] : setting_.units) {
      if (units.empty()) continue;
      const std::string name = "patchbay-example.com_" + resource + ".json";
      files.insert(name);
      const auto spec = json_of(dir_ / ("cdi/" + name));
      ASSERT_TRUE(spec.is_object()) << name;
      EXPECT_EQ(spec.value("kind", ""), "example.com/" + resource);
      Names devices;
      for (const auto& device : spec.at("devices")) {
        const std::string id = device.at("name");
        devices.insert(id);
        EXPECT_EQ(device.at("containerEdits").at("mounts").at(0).at("hostPath"),
                  dir_ / (resource + "/" + id));
      }
      EXPECT_EQ(devices, units) << name;
    }
    expect_files(dir_ / "cdi", files);
  }

  void look_at_device_infos() const {
    Names files{"vendor-device.json"};
    for (const std::string& address : setting_.pci ? pci_ : Names{}) {
      const std::string name = "example.com-pci-" + address + "-device.json";
      files.insert(name);
      const auto info = json_of(dir_ / ("devinfo/" + name));
      ASSERT_TRUE(info.is_object()) << name;
      EXPECT_EQ(info.at("pci").at("pci-address"), address);
    }
    expect_files(dir_ / "devinfo", files);
  }

  void look_at_sockets(const std::map<std::string, std::string>& endpoints) const {
    Names files{"kubelet.sock", "patchbay-notes.sock", "patchbay-alive.sock", "vendor.sock"};
    for (const auto& [resource, endpoint] : endpoints) files.insert(endpoint);
    // For each resource there is one socket of the leader election, and none of a dead process.
    files.insert("patchbay");
    EXPECT_EQ(names_in(kubelet_directory()), files);
    const Names places = names_in(kubelet_directory() + "/patchbay");
    EXPECT_EQ(places.size(), endpoints.size());
    for (const std::string& place : places) {
      EXPECT_EQ(names_in(kubelet_directory() + "/patchbay/" + place).size(), 1U) << place;
    }
  }

  void look_at_first_list(const std::string& endpoint, const Names& units, size_t mark) const {
    const auto first = kubelet_->log().wait_for(
        [&](const auto& event) { return event.kind == Kind::listed && event.endpoint == endpoint; },
        mark);
    ASSERT_TRUE(first) << endpoint;
    Names listed;
    for (const auto& device : *first->devices) {
      if (device.healthy) listed.insert(device.id);
    }
    EXPECT_EQ(listed, units) << endpoint;
  }

  /// Kills the daemon during a random activity.
  void crash() {
    switch (below(4)) {
      case 0:  // During the start.
        kill_it();
        shuffle_units();
        shuffle_configuration();
        start();
        wait_by_chance(start_takes_);
        break;
      case 1:  // During a reload.
        shuffle_configuration();
        daemon_->send_signal(SIGHUP);
        wait_by_chance(start_takes_);
        break;
      case 2:  // During writing of files.
        shuffle_units();
        wait_by_chance(start_takes_ / 4);
        break;
      default:  // While idle.
        break;
    }
    kill_it();
  }

  std::minstd_rand random_{kSeed};
  Setting setting_;
  Names pci_;  ///< The addresses of this machine's functions.
  Clock::duration start_takes_{};
  UniqueFd alive_;
  mutable std::error_code none_;
};

TEST_F(CrashTest, KillAtAnyTimeLeavesConsistentState) {
  shuffle_units();
  shuffle_configuration();
  start_and_look();
  for (int round = 0; round < rounds() && !HasFailure(); ++round) {
    SCOPED_TRACE(fmt::format("round {}, {}", round, config()));
    crash();
    // Some changes happen while no daemon runs.
    if (below(2) == 0) shuffle_units();
    if (below(2) == 0) shuffle_configuration();
    start_and_look();
  }
}

/// Creates files as after a kill between two system calls. Random kills rarely occur there.
TEST_F(CrashTest, PartialFilesAreRemovedBeforeNextRegistration) {
  setting_.units["mole"] = {"mole-1"};
  dir_.write("mole/mole-1", "");
  dir_.write("cdi/spec.patchbay-AbCdEf.tmp", "{\"cdiVersion\"");
  dir_.write("cdi/patchbay-example.com_vole.json", "{}");
  dir_.write("cdi/patchbay-example.com_mole.json", "{\"cdiVersion\"");
  dir_.write("devinfo/spec.patchbay-AbCdEf.tmp", "");
  socket_at(kubelet_directory() + "/patchbay-example.com_mole-0a0b0c0d-01020304-0.sock", false);
  start_and_look();
}

TEST_F(CrashTest, MissingDirectoryIsRecreated) {
  setting_.units["mole"] = {"mole-1"};
  dir_.write("mole/mole-1", "");
  start_and_look();
  kill_it();
  fs::remove_all(dir_ / "cdi");
  fs::remove_all(dir_ / "devinfo");
  const size_t mark = kubelet_->log().size();
  start();
  ASSERT_TRUE(lists("example.com/mole", "mole-1=Healthy", mark));
  EXPECT_EQ(names_in(dir_ / "cdi"), Names{"patchbay-example.com_mole.json"});
}

}  // namespace
}  // namespace patchbay
