// Tests that after any edits the daemon offers the same as a new daemon with the last valid
// configuration. Runs the daemon's binary.
#include <signal.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/random_configuration.h"
#include "fake/daemon_fixture.h"

namespace patchbay {
namespace {

namespace fs = std::filesystem;
using Offers = std::map<std::string, std::string>;
using Texts = std::map<std::string, std::string>;
constexpr const char* kAnchor = RandomConfiguration::kAnchor;

/// A kubelet's data of each of these resources: its options, its newest list, and the answer to
/// Allocate for each unit.
Offers offers_of(const fake::FakeKubelet& kubelet, const std::set<std::string>& resources) {
  Offers offers;
  for (const std::string& resource : resources) {
    const auto newest = kubelet.latest(resource);
    const auto options = kubelet.options(resource);
    std::string& text = offers[resource];
    if (!newest || !options || kubelet.streams_open(resource) != 1) continue;
    text = options->pre_start_required ? "preStart\n" : "\n";
    for (const auto& device : *newest->devices) {
      const auto answer = kubelet.allocate(resource, {device.id});
      text += device.id + (device.healthy ? " Healthy " : " Unhealthy ") +
              (answer ? answer->ShortDebugString() : answer.error().message) + "\n";
    }
  }
  return offers;
}

class ReloadPropertyTest : public fake::DaemonTest {
 protected:
  static constexpr int kCheckpoints = 6;
  static constexpr int kMostEdits = 8;  ///< Most edits between two checks.

  ReloadPropertyTest() {
    for (const std::string directory : {"a", "b", "c", "anchor"}) {
      for (int i = 0; i < 4; ++i) {
        dir_.write("dev/" + directory + "/" + directory + std::to_string(i), "");
      }
    }
  }

  /// Writes the configuration files.
  using Put = std::function<void(const Texts&)>;

  /// Makes random edits and compares. The seed is `usual`, or $PATCHBAY_SEED for longer searches.
  void play(uint32_t usual, const Put& put) {
    const char* given = std::getenv("PATCHBAY_SEED");
    const uint32_t seed = given == nullptr ? usual : static_cast<uint32_t>(std::atoi(given));
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomConfiguration configuration(dir_ / "dev", seed);
    put(configuration.files());
    start_kubelet();
    daemon_ = start_on("device-plugins");
    ASSERT_TRUE(kubelet_->wait_for(Kind::listed, kAnchor));
    std::set<std::string> touched = configuration.names();
    for (int i = 0; i < kCheckpoints && !HasFailure(); ++i) {
      const auto registered = registrations(configuration.names());
      edit_some_times(configuration, touched, put);
      check(configuration);
      for (const auto& [name, count] : registrations(configuration.names())) {
        if (touched.contains(name)) continue;
        EXPECT_EQ(count, registered.at(name)) << name;
      }
      expect_mistake_changes_nothing(configuration, put);
      touched.clear();
    }
    EXPECT_EQ(kubelet_->history(kAnchor).size(), 1U);
    EXPECT_EQ(kubelet_->register_calls(kAnchor), 1U);
    EXPECT_EQ(kubelet_->count(Kind::ended, kAnchor), 0U);
    EXPECT_EQ(stop_daemon().exit_code, 0);
  }

  void edit_some_times(RandomConfiguration& configuration, std::set<std::string>& touched,
                       const Put& put) {
    for (size_t i = 1 + configuration.pick(kMostEdits); i > 0; --i) {
      if (configuration.once_in(3)) put(mistaken(configuration));
      configuration.edit(touched);
      put(configuration.files());
      // The daemon reads half of the edits at once, and the others together with the next edit.
      if (configuration.once_in(2)) daemon_->send_signal(SIGHUP);
    }
  }

  /// Compares the daemon's offer with the offer of a new daemon.
  void check(const RandomConfiguration& configuration) {
    const auto names = configuration.names();
    fake::FakeKubelet kubelet({.directory = dir_ / "fresh"});
    const auto fresh = start_on("fresh");
    for (const std::string& name : names) {
      ASSERT_TRUE(kubelet.wait_for(Kind::listed, name)) << all_of(configuration) << log_of(*fresh);
    }
    const Offers wanted = offers_of(kubelet, names);
    const bool same = fake::wait_until([&] {
      return kubelet_->streams_open() == names.size() && offers_of(*kubelet_, names) == wanted;
    });
    EXPECT_TRUE(same) << all_of(configuration) << kubelet_->story() << log_of(*daemon_);
    if (!same) {
      EXPECT_EQ(offers_of(*kubelet_, names), wanted);
    }
  }

  void expect_mistake_changes_nothing(RandomConfiguration& configuration, const Put& put) {
    const size_t said = daemon_->lines().size();
    const size_t events_before = kubelet_->log().size();
    put(mistaken(configuration));
    EXPECT_TRUE(daemon_->wait_for_line("configuration rejected", said));
    EXPECT_EQ(kubelet_->log().size(), events_before) << kubelet_->story();
  }

  static Texts mistaken(RandomConfiguration& configuration) {
    Texts files = configuration.files();
    auto file = files.begin();
    std::advance(file, configuration.pick(files.size()));
    file->second = configuration.with_a_mistake(file->second);
    return files;
  }

  [[nodiscard]] std::unique_ptr<fake::Process> start_on(const std::string& directory) const {
    return std::make_unique<fake::Process>(std::vector<std::string>{
        fake::patchbay_binary(), "run", "--config", dir_ / "conf", "--kubelet-dir",
        dir_ / directory, "--cdi-dir", dir_ / (directory + "-cdi"), "--device-info-dir",
        dir_ / (directory + "-info"), "--status-socket", dir_ / (directory + "-status.sock"),
        "--log-format", "json", "--log-level", "debug"});
  }

  [[nodiscard]] std::map<std::string, size_t> registrations(
      const std::set<std::string>& names) const {
    std::map<std::string, size_t> counts;
    for (const std::string& name : names) counts[name] = kubelet_->register_calls(name);
    return counts;
  }

  static std::string all_of(const RandomConfiguration& configuration) {
    std::string all;
    for (const auto& [name, text] : configuration.files()) all += name + "\n" + text;
    return all;
  }
  static std::string log_of(const fake::Process& daemon) {
    std::string log;
    for (const auto& line : daemon.lines().all()) log += line.text + "\n";
    return log;
  }
};

/// Writes as editors do: alternately in place and by replacing the file.
TEST_F(ReloadPropertyTest, EditsOfDirectoryGiveSameOffersAsFreshStart) {
  bool in_place = false;
  const auto write = [&](const std::string& name, const std::string& text) {
    in_place = !in_place;
    if (in_place) {
      dir_.write("conf/" + name, text);
    } else {
      fs::rename(dir_.write("conf/." + name, text), dir_ / ("conf/" + name));
    }
  };
  const auto has_anchor = [](const std::string& text) {
    return text.find(kAnchor) != std::string::npos;
  };
  play(1, [&](const Texts& files) {
    // The daemon may read between the two writes. So the file with the anchor is written first, and
    // the anchor is never missing.
    for (const bool first : {true, false}) {
      for (const auto& [name, text] : files) {
        if (has_anchor(text) == first) write(name, text);
      }
    }
    for (const std::string name : {"a.yaml", "b.yaml"}) {
      if (!files.contains(name)) fs::remove(dir_ / ("conf/" + name));
    }
  });
}

/// Writes as the kubelet updates a ConfigMap: the link `..data` switches to another directory.
TEST_F(ReloadPropertyTest, ConfigMapUpdatesGiveSameOffersAsFreshStart) {
  int version = 0;
  play(2, [&](const Texts& files) {
    const std::string target = "..v" + std::to_string(++version);
    for (const auto& [name, text] : files) dir_.write("conf/" + target + "/" + name, text);
    fs::create_directory_symlink(target, dir_ / "conf/..tmp");
    fs::rename(dir_ / "conf/..tmp", dir_ / "conf/..data");
    for (const std::string name : {"a.yaml", "b.yaml"}) {
      const fs::path link = dir_ / ("conf/" + name);
      if (!files.contains(name)) {
        fs::remove(link);
      } else if (!fs::is_symlink(link)) {
        fs::create_symlink("..data/" + name, link);
      }
    }
    fs::remove_all(dir_ / ("conf/..v" + std::to_string(version - 1)));
  });
}

}  // namespace
}  // namespace patchbay
