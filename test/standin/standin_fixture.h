#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "fake/fake_kubelet.h"
#include "fake/scripted_plugin.h"

namespace patchbay::standin {

using KubeletKind = fake::KubeletEvent::Kind;
using PluginKind = fake::PluginEvent::Kind;

constexpr const char* kGpu = "example.com/gpu";
constexpr const char* kNic = "example.com/nic";

/// Creates the parent of the kubelet's directory, and removes this parent after the test.
class StandinTest : public testing::Test {
 protected:
  StandinTest() {
    std::string name = testing::TempDir() + "standin-XXXXXX";
    if (!::mkdtemp(name.data())) ADD_FAILURE() << "mkdtemp";
    root_ = name;
    directory_ = name + "/dp";
  }
  ~StandinTest() override { std::filesystem::remove_all(root_); }

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] std::string socket() const { return directory_ + "/kubelet.sock"; }

 private:
  std::string root_;
  std::string directory_;
};

inline std::vector<std::string> ids_of(const fake::KubeletEvent& event) {
  std::vector<std::string> ids;
  for (const ListedDevice& device : *event.devices) ids.push_back(device.id);
  return ids;
}

}  // namespace patchbay::standin
