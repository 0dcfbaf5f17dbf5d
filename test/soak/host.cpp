#include "soak/host.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <set>

namespace patchbay::soak {
namespace {

namespace fs = std::filesystem;

constexpr size_t kUnitsPerDirectory = 4;
constexpr size_t kDraUnits = 5;
constexpr std::array<const char*, 5> kDirectories = {"a", "b", "c", "p", "anchor"};

std::string dra_unit(size_t number) { return "dra/d" + std::to_string(number); }

std::string unit_of(const std::string& directory, size_t number) {
  return "units/" + directory + "/" + directory.substr(0, 1) + std::to_string(number);
}

}  // namespace

Host::Host(Dice& dice)
    : dice_(dice),
      configuration_(dir_ / "units", static_cast<uint32_t>(dice.below(1U << 30U))),
      home_(configuration_.files()),
      cable_name_("pb" + std::to_string(::getpid()) + 's'),
      cables_(!fake::VethPair::unavailable()) {
  go_home();
}

std::string Host::any_unit() {
  return unit_of(kDirectories.at(dice_.below(kDirectories.size())),
                 dice_.below(kUnitsPerDirectory));
}

void Host::plug_some() {
  for (size_t i = 1 + dice_.below(6); i > 0; --i) dir_.write(any_unit(), "good");
}

void Host::unplug_some() {
  for (size_t i = 1 + dice_.below(6); i > 0; --i) fs::remove(dir_ / any_unit());
}

void Host::replace_directory() {
  const std::string directory = dir_ / ("units/" + std::string(kDirectories.at(dice_.below(3))));
  const std::string away = dir_ / "away";
  fs::rename(directory, away);
  if (dice_.once_in(2)) fs::create_directory(directory);
  plug_some();
  fs::remove_all(directory);
  fs::rename(away, directory);
}

void Host::storm() {
  for (size_t i = 0; i < 500; ++i) {
    const std::string unit = any_unit();
    dir_.write(unit, "good");
    if (dice_.once_in(2)) fs::remove(dir_ / unit);
  }
}

void Host::change_contents() {
  for (size_t i = 0; i < kUnitsPerDirectory; ++i) {
    dir_.write(unit_of("p", i), dice_.once_in(2) ? "good" : "bad");
  }
}

std::set<std::string> Host::dra_units() const {
  std::set<std::string> units;
  for (const auto& file : fs::directory_iterator(dir_ / "dra")) {
    units.insert(file.path().filename());
  }
  return units;
}

void Host::flap_dra_units() {
  for (size_t i = 0; i < 100; ++i) {
    const std::string unit = dra_unit(dice_.below(kDraUnits));
    if (dice_.once_in(2)) {
      fs::remove(dir_ / unit);
    } else {
      dir_.write(unit, "");
    }
  }
}

void Host::turn_cable() {
  if (!cables_) return;
  if (cable_) {
    cable_.reset();
  } else {
    cable_ = std::make_unique<fake::VethPair>(cable_name_ + '0', cable_name_ + '1');
  }
}

void Host::edit() {
  std::set<std::string> touched;
  for (size_t i = 1 + dice_.below(3); i > 0; --i) configuration_.edit(touched);
  write_good(configuration_.files());
  mend();
}

void Host::break_configuration() {
  const auto files = configuration_.files();
  const auto& [name, text] = *files.begin();
  write_config(name, configuration_.with_a_mistake(text));
}

void Host::add_hanging(const std::string& path) {
  write_config("hanging.yaml",
               "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
               "  - name: y.io/hanging\n    match: {static: [h]}\n    mounts: [{hostPath: " +
                   path + "}]\n    health: [{file: {" + path + ": good}}]\n");
}

void Host::remove_hanging() { fs::remove(config() + "/hanging.yaml"); }

void Host::go_home() {
  for (const char* directory : kDirectories) {
    for (size_t i = 0; i < kUnitsPerDirectory; ++i) dir_.write(unit_of(directory, i), "good");
  }
  for (size_t i = 0; i < kDraUnits; ++i) dir_.write(dra_unit(i), "");
  cable_.reset();
  write_good(home_);
  mend();
}

/// The constant part of the configuration, with the kinds of rules and probes that the random part
/// lacks.
std::string Host::fixed_config() const {
  return "apiVersion: patchbay/v1\nkind: Config\n"
         "defaults: {domain: y.io, linger: 0s}\nresources:\n"
         "  - name: probed\n"
         "    match: {glob: \"" +
         (dir_ / "units/p/*") +
         "\", type: file}\n"
         "    id: $(name)\n    cdi: write\n    mounts: [{hostPath: $(path)}]\n"
         "    preStart: [{exec: [/bin/true]}]\n"
         "    health:\n"
         "      - {file: {$(path): {not: \"*bad*\"}}, failureThreshold: 1, period: 2s}\n"
         "      - {exec: [/bin/true], period: 2s}\n"
         "  - name: nic\n    match: {subsystem: net, name: \"" +
         cable_name_ +
         "*\"}\n    id: $(name)\n"
         "  - name: fixed\n    match: {static: [one, two]}\n"
         "  - name: dra\n    serve: dra\n    match: {glob: \"" +
         (dir_ / "dra/*") +
         "\", type: file}\n    id: $(name)\n    mounts: [{hostPath: $(path)}]\n"
         "    preStart: [{exec: [/bin/true]}]\n    release: [{exec: [/bin/true]}]\n"
         "dra: {driver: patchbay.lab.example.com}\n";
}

/// Writes the file under another name and renames it, as a careful user does.
void Host::write_config(const std::string& name, const std::string& text) const {
  dir_.write("config/.next", text);
  fs::rename(config() + "/.next", config() + "/" + name);
}

void Host::write_good(const Files& files) {
  fs::remove_all(good_config());
  for (const auto& [name, text] : files) dir_.write("good/" + name, text);
  dir_.write("good/z.yaml", fixed_config());
}

void Host::mend() {
  fs::create_directories(config());
  std::set<std::string> names;
  const auto read = [](const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  for (const auto& entry : fs::directory_iterator(good_config())) {
    const std::string name = entry.path().filename();
    names.insert(name);
    write_config(name, read(entry.path()));
  }
  for (const auto& entry : fs::directory_iterator(config())) {
    const std::string name = entry.path().filename();
    if (!names.contains(name) && name != "hanging.yaml") fs::remove(entry.path());
  }
}

}  // namespace patchbay::soak
