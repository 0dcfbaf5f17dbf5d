#include "dra/device_name.h"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "base/text.h"
#include "dra/dra_fixture.h"

namespace patchbay::dra {
namespace {

bool is_label(const std::string& name) {
  const auto is_inner = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-'; };
  return !name.empty() && name.size() <= 63 && std::ranges::all_of(name, is_inner) &&
         name.front() != '-' && name.back() != '-';
}

TEST(DeviceName, HasResourceIdAndHash) {
  EXPECT_EQ(device_name("lab.example.com/ftdi-uart", "A50285BI"), "ftdi-uart-a50285bi-a814870c");
  EXPECT_EQ(device_name("lab.example.com/nic", "0000:3b:00.0"), "nic-0000-3b-00-0-71a3a316");
}

TEST(DeviceName, CutsLongNames) {
  const std::string resource(63, 'r');
  const std::string id(63, 'i');
  EXPECT_EQ(device_name("a.io/" + resource, id),
            std::string(26, 'r') + '-' + std::string(27, 'i') + "-3a212beb");
  EXPECT_EQ(device_name("a.io/gpu", id), "gpu-" + std::string(50, 'i') + "-25f41e8e");
}

TEST(DeviceName, DistinguishesUnitsWithOneBeginning) {
  const Strings names{device_name("a.io/r", "A"),   device_name("a.io/r", "a"),
                      device_name("a.io/r", "a.b"), device_name("a.io/r", "a:b"),
                      device_name("a.io/r", "a_b"), device_name("b.io/r", "a"),
                      device_name("a.io/R", "a"),   device_name("a.io/r-a", "b"),
                      device_name("a.io/r", "a-b"), device_name("a.io/r", "___")};
  for (const std::string& name : names) {
    EXPECT_TRUE(is_label(name)) << name;
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
}

TEST(DeviceName, ClassAndRequestHaveTheNameOfTheResource) {
  EXPECT_EQ(request_name("lab.example.com/ftdi-uart"), "ftdi-uart");
  EXPECT_EQ(device_class_name("lab.example.com/ftdi-uart"), "ftdi-uart.lab.example.com");
  EXPECT_EQ(request_name("a.io/UART_2.x"), "uart-2-x-" + stable_hash_hex("UART_2.x", 8));
  EXPECT_EQ(device_class_name("a.io/UART"), "uart-" + stable_hash_hex("UART", 8) + ".a.io");
  EXPECT_TRUE(is_label(request_name("a.io/" + std::string(63, 'X'))));
}

/// The names of all devices, by resource and id.
using Names = std::map<inventory::UnitName, std::string>;

Names names_of(const rules::PlanPtr& plan, const std::vector<DeviceFacts>& devices) {
  Names names;
  for (const auto& snapshot : snapshots_of(plan, devices)) {
    for (const auto& unit : snapshot->units) {
      names[{snapshot->resource->name, unit.id}] =
          make_device(*snapshot->resource, unit).device.name;
    }
  }
  return names;
}

/// Units of random resources and ids. Their characters are few, so that most beginnings are equal.
class NamingProperty : public testing::Test {
 protected:
  std::string word(size_t most) {
    static constexpr std::string_view kCharacters = "aAbB01._:-";
    std::string text = "x";
    for (size_t i = random() % most; i > 0; --i) text += kCharacters[random() % 10];
    return text + 'x';
  }
  size_t random() { return engine_(); }

  std::mt19937 engine_{42};
};

TEST_F(NamingProperty, NoTwoUnitsHaveOneName_AndNoOrderChangesAName) {
  size_t units = 0;
  for (int round = 0; round < 60; ++round) {
    const size_t count = 1 + random() % 4;
    Strings resources;
    for (size_t i = 0; i < count; ++i) {
      // Each resource has its own devices, so that the order of resources decides no claim.
      resources.push_back("  - name: a.io/r" + std::string(random() % 50, 'r') + std::to_string(i) +
                          "\n    match: {subsystem: tty, driver: d" + std::to_string(i) +
                          "}\n    id: $(property.ID)\n");
    }
    std::vector<DeviceFacts> devices;
    for (size_t i = 0; i < 40; ++i) {
      DeviceFacts device = inventory::serial("ttyUSB" + std::to_string(i), "");
      fake::set(device, Fact::driver, {"d" + std::to_string(random() % count)});
      fake::set(device, Fact::property, "ID", {word(random() % 2 == 0 ? 4 : 58)});
      devices.push_back(std::move(device));
    }
    const auto plan_of = [](const Strings& list) {
      std::string text;
      for (const std::string& resource : list) text += resource;
      return dra_plan(text);
    };
    const Names names = names_of(plan_of(resources), devices);
    std::map<std::string, inventory::UnitName> owners;
    for (const auto& [unit, name] : names) {
      ++units;
      EXPECT_TRUE(is_label(name)) << name;
      const auto [owner, added] = owners.emplace(name, unit);
      EXPECT_TRUE(added) << name << " is the name of " << unit.second << " and of "
                         << owner->second.second;
    }
    // A restart: another order of rules and devices, and other kernel names.
    std::ranges::shuffle(resources, engine_);
    std::ranges::shuffle(devices, engine_);
    for (size_t i = 0; i < devices.size(); ++i) {
      devices[i].name = "ttyACM" + std::to_string(i);
      devices[i].key = "/sys/devices/usb/" + devices[i].name;
      devices[i].devnode = "/dev/" + devices[i].name;
    }
    EXPECT_EQ(names_of(plan_of(resources), devices), names);
  }
  EXPECT_GT(units, 1000);
}

}  // namespace
}  // namespace patchbay::dra
