#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"
#include "specs/spec_directory.h"

namespace patchbay::specs {
namespace {

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

ino_t inode(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

TEST(SpecFiles, WritesFileThatAllUsersMayRead) {
  const fake::TempDir dir;
  const std::string path = dir / "run/cdi/a.json";
  const mode_t before = umask(0077);
  const auto written = write_spec_file({path, "one"});
  umask(before);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(content(path), "one");
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST(SpecFiles, ReplacesFilesAtomically) {
  const fake::TempDir dir;
  const std::string path = dir.write("a.json", "one");
  std::ifstream reader(path);
  ASSERT_TRUE(write_spec_file({path, "other"}));
  // A reader of the old file keeps its content.
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(reader), {}}), "one");
  EXPECT_EQ(content(path), "other");
  EXPECT_EQ(names_in(dir.path()), std::vector<std::string>{"a.json"});
}

TEST(SpecFiles, DoesNotRewriteUnchangedFile) {
  const fake::TempDir dir;
  const std::string path = dir / "a.json";
  ASSERT_TRUE(write_spec_file({path, "one"}));
  const ino_t first = inode(path);
  ASSERT_TRUE(write_spec_file({path, "one"}));
  EXPECT_EQ(inode(path), first);
  // A link of another program is replaced, although its content is equal.
  std::filesystem::rename(path, dir / "b.json");
  std::filesystem::create_symlink("b.json", path);
  ASSERT_TRUE(write_spec_file({path, "one"}));
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
}

TEST(SpecFiles, FailedWriteLeavesNoTemporaryFile) {
  const fake::TempDir dir;
  std::filesystem::create_directories(dir / "a.json/in the way");
  const auto written = write_spec_file({dir / "a.json", "one"});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, testing::StartsWith("cannot write " + dir / "a.json"));
  EXPECT_EQ(names_in(dir.path()), std::vector<std::string>{"a.json"});
  dir.write("file", "");
  EXPECT_THAT(write_spec_file({dir / "file/a.json", "one"}).error().message,
              testing::StartsWith("cannot create the directory " + dir / "file"));
}

TEST(Leftovers, RemovesOwnFilesThatAreNotKept) {
  const fake::TempDir dir;
  for (const std::string name :
       {"ours-1", "ours-2", "other", "spec.patchbay-x.tmp", "spec.a.tmp"}) {
    dir.write(name, "");
  }
  std::filesystem::create_directory(dir / "ours-directory");
  const auto ours = [](std::string_view name, const std::string&) {
    return name.starts_with("ours");
  };
  const auto removed = remove_leftovers(dir.path(), {dir / "ours-2"}, ours);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(*removed, 2U);
  EXPECT_EQ(names_in(dir.path()),
            (std::vector<std::string>{"other", "ours-2", "ours-directory", "spec.a.tmp"}));
}

TEST(Leftovers, RemovesNothingWithoutDirectory) {
  const fake::TempDir dir;
  const auto ours = [](std::string_view, const std::string&) { return true; };
  EXPECT_EQ(remove_leftovers(dir / "missing", {}, ours).value_or(9), 0U);
}

}  // namespace
}  // namespace patchbay::specs
