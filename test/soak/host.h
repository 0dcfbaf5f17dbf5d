#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "daemon/random_configuration.h"
#include "fake/kernel_devices.h"
#include "fake/temp_dir.h"

namespace patchbay::soak {

/// Chance, the same for a seed everywhere.
class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  size_t below(size_t end) { return engine_() % end; }
  bool once_in(size_t n) { return below(n) == 0; }

 private:
  std::mt19937 engine_;
};

/// What the daemon looks at, and what people do to it: files that are devices, a network cable if
/// there may be one, the files of the configuration. One thread.
class Host {
 public:
  explicit Host(Dice& dice);

  /// Units come and go, or change; nothing of it can fail for the daemon.
  void plug_some();
  void unplug_some();
  void replace_directory();
  void storm();
  /// Files whose content a probe judges.
  void change_contents();
  /// Does nothing where no network interface can be made.
  void turn_cable();

  /// Another configuration that is right, or one with a mistake, which must change nothing.
  void edit();
  void break_configuration();
  /// A resource with a path that hangs, beside all others; and without it.
  void add_hanging(const std::string& path);
  void remove_hanging();

  /// Mends what is broken and goes back to how it all began.
  void go_home();
  /// Writes the newest configuration that is right.
  void mend();

  /// What the daemon is started with, and the newest that is right of it, without what hangs.
  [[nodiscard]] std::string config() const { return dir_ / "config"; }
  [[nodiscard]] std::string good_config() const { return dir_ / "good"; }

 private:
  using Files = std::map<std::string, std::string>;  ///< Texts by name.

  void write_config(const std::string& name, const std::string& text) const;
  void write_good(const Files& files);
  [[nodiscard]] std::string any_unit();
  [[nodiscard]] std::string fixed_config() const;

  Dice& dice_;
  fake::TempDir dir_;
  RandomConfiguration configuration_;
  Files home_;
  /// Of this process: another soak may run on the machine.
  const std::string cable_name_;
  std::unique_ptr<fake::VethPair> cable_;
  bool cables_ = false;
};

}  // namespace patchbay::soak
