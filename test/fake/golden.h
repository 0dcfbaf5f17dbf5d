#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace patchbay::fake {

/// The content of a file; empty if it cannot be read.
inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Compares a text with a golden file. PATCHBAY_UPDATE_GOLDEN=1 writes the file instead; check the
/// diff.
inline void expect_golden(const std::filesystem::path& file, const std::string& text) {
  if (std::getenv("PATCHBAY_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(file)) << "no " << file;
  EXPECT_EQ(text, read_text(file));
}

}  // namespace patchbay::fake
