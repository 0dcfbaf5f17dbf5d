#include "config/loader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/spec_reader.h"

namespace patchbay::config {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// Makes this process an ordinary user during its lifetime, because root may read every file.
class AsOrdinaryUser {
 public:
  AsOrdinaryUser() : before_(::geteuid()) {
    EXPECT_EQ(::seteuid(before_ == 0 ? 65534 : before_), 0);
  }
  AsOrdinaryUser(const AsOrdinaryUser&) = delete;
  AsOrdinaryUser& operator=(const AsOrdinaryUser&) = delete;
  ~AsOrdinaryUser() { EXPECT_EQ(::seteuid(before_), 0); }

 private:
  uid_t before_;
};

class LoaderTest : public testing::Test {
 public:
  LoaderTest(const LoaderTest&) = delete;
  LoaderTest& operator=(const LoaderTest&) = delete;

 protected:
  LoaderTest() {
    std::string path = (fs::temp_directory_path() / "patchbay-loader-XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) root_ = path;
  }
  ~LoaderTest() override { fs::remove_all(root_); }

  /// The path of a file in the test's own directory.
  [[nodiscard]] std::string path(const std::string& name) const { return (root_ / name).string(); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }

  /// The loaded sources, each as "name=text", or the error. Names are relative to the test's
  /// directory.
  [[nodiscard]] std::vector<std::string> load(const std::vector<std::string>& names) const {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(path(name));
    const auto sources = load_sources(paths);
    if (!sources) return {"error: " + relative(sources.error().message)};
    std::vector<std::string> out;
    for (const auto& source : *sources) out.push_back(relative(source->name) + "=" + source->text);
    return out;
  }

 private:
  [[nodiscard]] std::string relative(const std::string& text) const {
    const std::string prefix = root_.string() + "/";
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }

  fs::path root_;
};

TEST_F(LoaderTest, ReadsFilesInGivenOrder) {
  write("b.yaml", "B");
  write("a.conf", "A");
  write("empty.yaml", "");
  EXPECT_THAT(load({"b.yaml", "a.conf", "empty.yaml"}),
              ElementsAre("b.yaml=B", "a.conf=A", "empty.yaml="));
}

/// The loader must not read any file, because the first one would cause another error.
TEST_F(LoaderTest, RejectsDirectoryWithTooManyFilesBeforeReading) {
  fs::create_directories(path("d/0.yaml"));
  for (size_t i = 1; i < kMaxFiles; ++i) write("d/" + std::to_string(i) + ".yaml", "");
  EXPECT_THAT(load({"d"}), ElementsAre("error: d/0.yaml is a directory, not a file"));
  write("d/one-more.yml", "");
  EXPECT_THAT(load({"d"}),
              ElementsAre("error: d contains more than 256 *.yaml and *.yml files: join them"));
}

TEST_F(LoaderTest, ReadsYamlFilesOfDirectoryInLexicalOrder) {
  for (const std::string name : {"b.yaml", "a10.yml", "a2.yaml", ".hidden.yaml", "README.md",
                                 "yaml", "a.yaml.bak", "sub/c.yaml"}) {
    write("d/" + name, name);
  }
  EXPECT_THAT(load({"d"}),
              ElementsAre("d/a10.yml=a10.yml", "d/a2.yaml=a2.yaml", "d/b.yaml=b.yaml"));
  EXPECT_THAT(load({"d/"}),
              ElementsAre("d/a10.yml=a10.yml", "d/a2.yaml=a2.yaml", "d/b.yaml=b.yaml"));
}

TEST_F(LoaderTest, ReadsMountedConfigMapOnce) {
  write("m/..2024_1/lab.yaml", "text");
  fs::create_directory_symlink("..2024_1", path("m/..data"));
  fs::create_symlink("..data/lab.yaml", path("m/lab.yaml"));
  EXPECT_THAT(load({"m"}), ElementsAre("m/lab.yaml=text"));
}

/// The kubelet switches `..data`, then adds links for new files, then removes the links of deleted
/// files.
TEST_F(LoaderTest, ReadsConfigMapWithStaleLinks) {
  write("m/..2024_2/new.yaml", "moved here");
  fs::create_directory_symlink("..2024_2", path("m/..data"));
  fs::create_symlink("..data/old.yaml", path("m/old.yaml"));
  EXPECT_THAT(load({"m"}), ElementsAre("m/new.yaml=moved here"));
}

TEST_F(LoaderTest, ErrorNamesMissingPath) {
  write("d/b.yaml", "B");
  fs::create_symlink("nowhere", path("d/a.yaml"));
  EXPECT_THAT(load({"none.yaml"}), ElementsAre("error: none.yaml: No such file or directory"));
  EXPECT_THAT(load({"d"}), ElementsAre("error: d/a.yaml: No such file or directory"));
}

TEST_F(LoaderTest, RejectsDirectoryWithoutYaml) {
  write("d/README.md", "x");
  EXPECT_THAT(load({"d"}), ElementsAre("error: d contains no *.yaml or *.yml file"));
}

TEST_F(LoaderTest, RejectsSpecialFilesWithoutBlockingOnPipe) {
  fs::create_directories(path("d/x.yaml"));
  EXPECT_THAT(load({"d"}), ElementsAre("error: d/x.yaml is a directory, not a file"));
  ASSERT_EQ(::mkfifo(path("pipe.yaml").c_str(), 0600), 0);
  EXPECT_THAT(load({"pipe.yaml"}), ElementsAre("error: pipe.yaml is a pipe, not a file"));
  const std::vector<std::string> device{"/dev/null"};
  EXPECT_EQ(load_sources(device).error().message, "/dev/null is a device, not a file");
}

/// The file is a link to /proc/kmsg, where a read waits until the kernel adds data.
TEST_F(LoaderTest, RejectsEndlessFile) {
  std::error_code refused;
  fs::create_symlink("/proc/kmsg", path("endless.yaml"), refused);
  if (!std::ifstream(path("endless.yaml"))) GTEST_SKIP() << "/proc/kmsg cannot be read here";
  EXPECT_THAT(
      load({"endless.yaml"}),
      ElementsAre("error: endless.yaml has no end: the kernel may add data at any time; use "
                  "a plain file"));
}

TEST_F(LoaderTest, RejectsTooLargeFile) {
  write("most.yaml", std::string(kMaxFileBytes, 'x'));
  EXPECT_EQ(load({"most.yaml"}).at(0).size(), kMaxFileBytes + 10);
  write("more.yaml", "");
  fs::resize_file(path("more.yaml"), uintmax_t{1} << 40U);  // Too large to read completely.
  EXPECT_THAT(load({"more.yaml"}), ElementsAre("error: more.yaml is larger than 1 MiB"));
}

TEST_F(LoaderTest, ErrorStatesWhyFileIsUnreadable) {
  write("secret.yaml", "x");
  fs::permissions(path("secret.yaml"), fs::perms::none);
  fs::permissions(path(""), fs::perms{0755});
  const AsOrdinaryUser ordinary;
  EXPECT_THAT(load({"secret.yaml"}), ElementsAre("error: secret.yaml: Permission denied"));
}

}  // namespace
}  // namespace patchbay::config
