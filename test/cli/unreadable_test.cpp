// Tests that a file which cannot be a configuration causes one clear message.
#include <sys/stat.h>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

namespace fs = std::filesystem;

class UnreadableTest : public CliTest {
 protected:
  /// The message about a file that cannot be read. Expects exit code 2.
  [[nodiscard]] std::string unable(const std::string& path) const {
    const auto end = run({"validate", path});
    const auto with_others = run({"discover", "-c", path});
    EXPECT_EQ(text_of(with_others), text_of(end));
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_EQ(end.out, "");
    return end.err;
  }

  /// The message about an invalid content. Expects exit code 1.
  [[nodiscard]] std::string mistake(const std::string& text) const {
    const auto end = run({"validate", dir_.write("x.yaml", text)});
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_EQ(end.out, "");
    return end.err;
  }
};

TEST_F(UnreadableTest, ReportsMissingFile) {
  EXPECT_EQ(unable(dir_ / "none.yaml"), "patchbay: DIR/none.yaml: No such file or directory\n");
  EXPECT_EQ(unable(dir_ / "\x1b[2J"), "patchbay: DIR/\\x1b[2J: No such file or directory\n");
  fs::create_symlink(dir_ / "loop", dir_ / "loop");
  EXPECT_EQ(unable(dir_ / "loop"), "patchbay: DIR/loop: Too many levels of symbolic links\n");
  EXPECT_EQ(unable("/" + std::string(300, 'x')),
            "patchbay: /" + std::string(300, 'x') + ": File name too long\n");
}

TEST_F(UnreadableTest, ReportsFileWithoutPermission) {
  const std::string path = dir_.write("secret.yaml", gophers_.config());
  fs::permissions(path, fs::perms::none);
  const auto end =
      relative(fake::run_process(patchbay({"validate", path}, ordinary_user()), with_node({})));
  EXPECT_EQ(text_of(end),
            "exit 2\n--- out\n--- err\npatchbay: DIR/secret.yaml: Permission denied\n");
}

TEST_F(UnreadableTest, ReportsPathThatIsNoFile) {
  fs::create_directories(dir_ / "empty");
  EXPECT_EQ(unable(dir_ / "empty"), "patchbay: DIR/empty contains no *.yaml or *.yml file\n");
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(unable(dir_ / "pipe"), "patchbay: DIR/pipe is a pipe, not a file\n");
  EXPECT_EQ(unable("/dev/zero"), "patchbay: /dev/zero is a device, not a file\n");
}

TEST_F(UnreadableTest, ReportsFileThatIsTooLarge) {
  dir_.write("large.yaml", std::string(2 << 20U, '#'));
  EXPECT_EQ(unable(dir_ / "large.yaml"), "patchbay: DIR/large.yaml is larger than 1 MiB\n");
}

TEST_F(UnreadableTest, ReportsEmptyFile) {
  const std::string nothing =
      "DIR/x.yaml:1:1: error: the file contains no configuration\n"
      "  hint: begin it with apiVersion: patchbay/v1 and kind: Config\n1 error\n";
  EXPECT_EQ(mistake(""), nothing);
  EXPECT_EQ(mistake(std::string(1 << 20U, '\n')), nothing);
}

TEST_F(UnreadableTest, ReportsBinaryFile) {
  EXPECT_EQ(mistake(std::string("\x7f"
                                "ELF\x02\x01\x01\0\0\xff\xfe",
                                11)),
            "DIR/x.yaml:1:8: error: the file contains a NUL byte\n"
            "    \\x7fELF\\x02\\x01\\x01\\x00\\x00\\xff\\xfe\n"
            "                       ^\n"
            "  hint: check that the file is text in UTF-8, not UTF-16\n1 error\n");
}

TEST_F(UnreadableTest, ReportsAliasBomb) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) bomb += last + ", ";
    bomb += last + "]\n";
  }
  EXPECT_EQ(mistake(bomb),
            "DIR/x.yaml:4:50: error: more than 10000 values after aliases are followed\n"
            "    a3: &a3 [*a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2, *a2]\n"
            "                                                     ^\n"
            "  hint: this alias alone expands to 1011 values, 900 bytes of text\n1 error\n");
}

TEST_F(UnreadableTest, ReportsDeepNesting) {
  EXPECT_EQ(mistake(std::string(100'000, '[')),
            "DIR/x.yaml:1:1: error: the file contains more than 40000 brackets and commas\n    " +
                std::string(90, '[') +
                "…\n    ^\n"
                "  hint: split it into several files of one directory\n1 error\n");
}

}  // namespace
}  // namespace patchbay::cli
