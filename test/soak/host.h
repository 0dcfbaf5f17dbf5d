#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "daemon/random_configuration.h"
#include "fake/kernel_devices.h"
#include "fake/temp_dir.h"

namespace patchbay::soak {

/// Random numbers. A seed gives the same sequence on every platform.
class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  size_t below(size_t end) { return engine_() % end; }
  bool once_in(size_t n) { return below(n) == 0; }

 private:
  std::mt19937 engine_;
};

/// The daemon's environment, and changes to it: files as devices, a network cable if possible, and
/// the configuration files. For one thread.
class Host {
 public:
  explicit Host(Dice& dice);

  /// Makes units appear, disappear or change. For the daemon these are no faults.
  void plug_some();
  void unplug_some();
  void replace_directory();
  void storm();
  /// Changes files whose content a probe compares.
  void change_contents();
  /// Sets the network cable up or down. Does nothing if the machine cannot create one.
  void turn_cable();

  /// The devices of the DRA driver: their ids, and many changes to them.
  [[nodiscard]] std::set<std::string> dra_units() const;
  void flap_dra_units();

  /// Writes another valid configuration. break_configuration() writes one with a mistake, which
  /// must change nothing.
  void edit();
  void break_configuration();
  /// Adds or removes a resource with a path that hangs.
  void add_hanging(const std::string& path);
  void remove_hanging();

  /// Repairs all faults and restores the initial state.
  void go_home();
  /// Writes the newest valid configuration.
  void mend();

  /// The directory of the daemon's configuration. good_config() has the newest valid one, without
  /// the hanging resource.
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
  /// Contains the process id, because another soak may run on the machine.
  const std::string cable_name_;
  std::unique_ptr<fake::VethPair> cable_;
  bool cables_ = false;
};

}  // namespace patchbay::soak
