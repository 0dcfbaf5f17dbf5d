#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "fake/kernel_devices.h"
#include "fake/run_until.h"
#include "fake/udev_daemon.h"
#include "host/host.h"
#include "host/recording_listener.h"

namespace patchbay::host {

/// For tests of the host with the real loop and the real kernel.
class KernelTest : public testing::Test {
 protected:
  void TearDown() override {
    host.reset();
    inotify.reset();
  }

  void start(HostQuery query, HostOptions options = {}) {
    if (!query.wanted) query.wanted = cheap_facts;
    inotify = loop::Inotify::create(loop).value();
    host = Host::create(loop, *inotify, std::move(options),
                        std::make_shared<const HostQuery>(std::move(query)), listener);
    host->start();
    ASSERT_TRUE(fake::run_until(loop, [&] { return listener.first_scans == 1; }));
  }

  [[nodiscard]] static HostQuery subsystems(std::vector<std::string> names) {
    HostQuery query;
    query.subsystems = std::move(names);
    return query;
  }

  [[nodiscard]] bool until(const std::function<bool()>& done) {
    return fake::run_until(loop, done);
  }
  [[nodiscard]] bool comes(const std::string& key) {
    return until([&] { return listener.has(key); });
  }
  [[nodiscard]] bool goes(const std::string& key) {
    return until([&] { return !listener.has(key); });
  }

  loop::UvLoop loop;
  RecordingListener listener;
  std::unique_ptr<loop::Inotify> inotify;
  std::unique_ptr<Host> host;
};

}  // namespace patchbay::host

/// Skips the test if `reason` has a text.
#define SKIP_IF(reason)                                  \
  do {                                                   \
    if (const auto why = (reason)) GTEST_SKIP() << *why; \
  } while (false)
