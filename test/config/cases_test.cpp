#include "config/cases.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "config/spec_reader.h"

namespace patchbay::config {
namespace {

TEST(ConfigCases, EachMistakeIsRejected) {
  expect_cases(PATCHBAY_SOURCE_DIR "/test/config/cases/refused.cases",
               ": error: ", [](const std::string& text) {
                 Diagnostics diagnostics;
                 static_cast<void>(read_spec(
                     std::make_shared<const Source>(Source{"lab.yaml", text}), diagnostics));
                 return diagnostics;
               });
}

}  // namespace
}  // namespace patchbay::config
