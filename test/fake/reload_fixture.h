#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fake/daemon_fixture.h"
#include "fake/gophers.h"

namespace patchbay::fake {

/// A second resource besides the gophers.
inline constexpr const char* kMole = "example.com/mole";

/// The head of a configuration file.
inline const std::string kHead = "apiVersion: patchbay/v1\nkind: Config\nresources:\n";

/// For tests that change the configuration of a running daemon.
class ReloadTest : public DaemonTest {
 protected:
  ReloadTest() {
    gophers_.plug("g1");
    dir_.write("moles/m1", "");
  }

  /// The YAML of the second resource, to append to that of the gophers.
  [[nodiscard]] std::string moles(const std::string& more = "") const {
    return "  - name: example.com/mole\n    match: {glob: " + (dir_ / "moles/*") +
           ", type: file}\n    id: $(name)\n" + more;
  }

  /// Starts the kubelet and the daemon with one listed gopher.
  void start_serving(const std::string& config, const std::vector<std::string>& more = {}) {
    start_kubelet();
    start_daemon(config, more);
    ASSERT_TRUE(lists(kGopher, "g1=Healthy"));
  }

  void edit(const std::string& config) const { dir_.write("config.yaml", config); }
  /// Replaces the file in one step. edit() writes it, so the daemon may read an empty file first.
  void replace_config(const std::string& config) const {
    std::filesystem::rename(dir_.write("next.yaml", config), dir_ / "config.yaml");
  }

  [[nodiscard]] bool logs(const std::string& line, size_t from = 0) const {
    return daemon_->wait_for_line(line, from).has_value();
  }
  /// The end of the daemon's log, as the mark `from` of logs().
  [[nodiscard]] size_t log_mark() const { return daemon_->lines().size(); }

  [[nodiscard]] size_t gopher_lists() const { return kubelet_->history(kGopher).size(); }

  Gophers gophers_{dir_};
};

}  // namespace patchbay::fake
