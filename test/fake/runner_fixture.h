#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>

#include "fake/programs.h"
#include "fake/run_until.h"
#include "fake/temp_dir.h"
#include "loop/work_queue.h"

namespace patchbay::fake {

/// For tests with the real loop, threads, programs and files.
class RunnerTest : public testing::Test {
 protected:
  [[nodiscard]] bool until(const std::function<bool()>& done) { return run_until(loop, done); }
  [[nodiscard]] std::string program(const std::string& script) const {
    return write_program(dir, "program", script);
  }

  TempDir dir;
  loop::UvLoop loop;
  loop::WorkQueue threads{loop};
};

}  // namespace patchbay::fake

/// Skips the test if `reason` has a text.
#define SKIP_IF(reason)                                  \
  do {                                                   \
    if (const auto why = (reason)) GTEST_SKIP() << *why; \
  } while (false)
