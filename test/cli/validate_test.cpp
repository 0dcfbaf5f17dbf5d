#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

constexpr const char* kHead = "apiVersion: patchbay/v1\nkind: Config\nresources:\n";

class ValidateTest : public CliTest {
 protected:
  static std::string resource(const std::string& name) {
    return "  - {name: " + name + ", match: {glob: /dev/null}, id: $(name)}\n";
  }
  static std::string ok(const std::string& count) {
    return "exit 0\n--- out\nok: " + count + "\n--- err\n";
  }
};

TEST_F(ValidateTest, AFile) {
  const std::string path = dir_.write("a.yaml", kHead + resource("example.com/a"));
  EXPECT_EQ(said({"validate", path}), ok("1 resource"));
}

TEST_F(ValidateTest, SeveralFilesAreOneConfiguration) {
  const std::string a = dir_.write("a.yaml", kHead + resource("example.com/a"));
  const std::string b =
      dir_.write("b.yaml", kHead + resource("example.com/b") + resource("example.com/c"));
  EXPECT_EQ(said({"validate", a, b}), ok("3 resources"));
  EXPECT_EQ(said({"validate", a, a}).substr(0, 6), "exit 1");  // The same name twice.
}

TEST_F(ValidateTest, ADirectory) {
  dir_.write("d/a.yaml", kHead + resource("example.com/a"));
  dir_.write("d/b.yml", kHead + resource("example.com/b"));
  dir_.write("d/.hidden.yaml", "no configuration");
  EXPECT_EQ(said({"validate", dir_ / "d"}), ok("2 resources"));
  EXPECT_EQ(said({"validate", dir_ / "d/"}), ok("2 resources"));
}

TEST_F(ValidateTest, AFileWhoseNameBeginsLikeAnOption) {
  dir_.write("-a.yaml", kHead + resource("example.com/a"));
  EXPECT_EQ(said({"validate", dir_ / "-a.yaml"}), ok("1 resource"));
}

TEST_F(ValidateTest, EveryMistakeIsPrinted) {
  const std::string a = dir_.write("a.yaml", kHead + resource("example.com/a") + "kund: Config\n");
  const std::string b = dir_.write(
      "b.yaml", kHead + resource("no domain") + "  - {name: example.com/b, match: {}}\n");
  expect_golden("validate-mistakes.txt", said({"validate", a, b}));
  expect_golden("validate-mistakes.json.txt", said({"validate", a, b, "-o", "json"}));
}

TEST_F(ValidateTest, WarningsAreMistakesWhenStrict) {
  const std::string warns =
      dir_.write("w.yaml", std::string(kHead) +
                               "  - {name: example.com/w, match: {glob: \"/dev/a|/dev/b\"}}\n");
  const std::string quiet = dir_.write("q.yaml", kHead + resource("example.com/q"));
  expect_golden("validate-warnings.txt", said({"validate", warns, quiet}));
  expect_golden("validate-warnings-strict.txt", said({"validate", "--strict", warns, quiet}));
  expect_golden("validate-warnings-strict.json.txt",
                said({"validate", "--strict", "-o", "json", warns, quiet}));
  EXPECT_EQ(run({"validate", "-o", "json", warns}).exit_code, 0);
  EXPECT_EQ(said({"validate", "--strict", quiet}), ok("1 resource"));
}

TEST_F(ValidateTest, StrictSaysNothingNewOfMistakes) {
  const std::string path =
      dir_.write("a.yaml", kHead + resource("example.com/a") + "kund: Config\n");
  EXPECT_EQ(said({"validate", "--strict", path}), said({"validate", path}));
}

TEST_F(ValidateTest, AllIsRightAsJson) {
  const std::string path = dir_.write("a.yaml", kHead + resource("example.com/a"));
  EXPECT_EQ(said({"validate", "-o", "json", path}),
            "exit 0\n--- out\n{\n  \"valid\": true,\n  \"unreadable\": \"\",\n"
            "  \"diagnostics\": []\n}\n--- err\n");
}

TEST_F(ValidateTest, AMissingFileAsJson) {
  EXPECT_EQ(said({"validate", "-o", "json", dir_ / "none.yaml"}),
            "exit 2\n--- out\n{\n  \"valid\": false,\n"
            "  \"unreadable\": \"DIR/none.yaml: No such file or directory\",\n"
            "  \"diagnostics\": []\n}\n--- err\n");
}

TEST_F(ValidateTest, JsonOfHostileBytesIsStillJson) {
  const std::string path = dir_.write("\xff\x1b.yaml", "\"\xc3\xa9\xff\x01");
  const auto end = run({"validate", "-o", "json", path});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_NE(end.out.find("\"file\": \"DIR/\\ufffd\\u001b.yaml\""), std::string::npos) << end.out;
  EXPECT_EQ(end.err, "");
}

}  // namespace
}  // namespace patchbay::cli
