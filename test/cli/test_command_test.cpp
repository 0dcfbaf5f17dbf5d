// Tests the command `patchbay test`.
#include <sys/stat.h>

#include <regex>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/cli_fixture.h"
#include "cli/pseudo_terminal.h"

namespace patchbay::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kMachine =
    "P: /devices/usb1/1-4\nU: usb\n"
    "P: /devices/usb1/1-4/tty/ttyUSB7\nU: tty\nN: ttyUSB7\nD: c 60:7\n";

/// A configuration with one resource.
std::string config_of(const std::string& rule) {
  return "apiVersion: patchbay/v1\nkind: Config\nresources:\n  - " + rule + "\n";
}

const std::string kUart = "{name: a.io/uart, match: {subsystem: tty}, id: $(name)}";

class TestCommandTest : public CliTest {
 protected:
  /// Writes a case that has only a machine file.
  void add_case(const std::string& name) const {
    dir_.write("tests/" + name + "/machine.txt", kMachine);
  }

  /// The whole output of `patchbay test`, without durations.
  [[nodiscard]] std::string tested(const Words& arguments,
                                   const Environment& environment = {}) const {
    Words words{"test"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return without_durations(output_of(words, environment));
  }

  static std::string without_durations(const std::string& text) {
    static const std::regex duration(R"(\(\d+\.\d\ds\))");
    return std::regex_replace(text, duration, "(0.00s)");
  }

  [[nodiscard]] std::string expected_of(const std::string& name) const {
    std::ifstream file(tests_ + "/" + name + "/expected.json");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string tests_ = dir_ / "tests";
  std::string config_ = dir_.write("tests/config.yaml", config_of(kUart));
};

TEST_F(TestCommandTest, Update_WritesOutputOfDiscoverWithAllocateAnswers) {
  add_case("bench-1");
  EXPECT_EQ(tested({tests_, "--update"}),
            "exit 0\n--- out\nwritten    DIR/tests/bench-1/expected.json\nok: 1 case (0.00s)\n"
            "--- err\n");
  auto discovered = nlohmann::ordered_json::parse(
      run({"discover", "--machine", tests_ + "/bench-1/machine.txt", config_, "-o", "json"}).out);
  auto& unit = discovered["resources"][0]["units"][0];
  EXPECT_EQ(unit.erase("since"), 1U);
  unit["answer"] = nlohmann::ordered_json::parse(
      run({"allocate", "uart", "ttyUSB7", "--machine", tests_ + "/bench-1/machine.txt", "-c",
           config_, "-o", "json"})
          .out);
  EXPECT_EQ(expected_of("bench-1"), discovered.dump(2) + "\n");
  EXPECT_EQ(tested({tests_}), "exit 0\n--- out\nok: 1 case (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, Update_KeepsUnchangedFiles) {
  add_case("bench-1");
  add_case("bench-2");
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  struct stat before {};
  ASSERT_EQ(stat((tests_ + "/bench-1/expected.json").c_str(), &before), 0);
  dir_.write("tests/bench-2/expected.json", "{}\n");
  EXPECT_EQ(tested({tests_, "--update"}),
            "exit 0\n--- out\nunchanged  DIR/tests/bench-1/expected.json\n"
            "written    DIR/tests/bench-2/expected.json\nok: 2 cases (0.00s)\n--- err\n");
  struct stat after {};
  ASSERT_EQ(stat((tests_ + "/bench-1/expected.json").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(expected_of("bench-1"), expected_of("bench-2"));
}

TEST_F(TestCommandTest, Update_ReplacesFileAtomically) {
  add_case("bench-1");
  const std::string file = dir_.write("tests/bench-1/expected.json", "{}\n");
  const std::string other_name = dir_ / "link.json";
  std::filesystem::create_hard_link(file, other_name);
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  std::ifstream old_file(other_name);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(old_file), {}), "{}\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tests_ + "/bench-1"), {}), 2);
}

TEST_F(TestCommandTest, Update_ThatCannotReplace_FailsTheCase) {
  add_case("bench-1");
  std::filesystem::create_directory(tests_ + "/bench-1/expected.json");
  EXPECT_EQ(tested({tests_, "--update"}),
            "exit 1\n--- out\n--- FAIL: bench-1 (0.00s)\n"
            "    DIR/tests/bench-1/expected.json: Is a directory\n"
            "FAIL: 1 of 1 case (0.00s)\n--- err\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tests_ + "/bench-1"), {}), 2);
}

TEST_F(TestCommandTest, Difference_BeginsWithSummary) {
  add_case("bench-1");
  add_case("bench-10");
  add_case("bench-2");
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  auto expected = nlohmann::ordered_json::parse(expected_of("bench-2"));
  auto& units = expected["resources"][0]["units"];
  units[0]["reason"] = "worn out";
  units.push_back({{"id", "ttyUSB8"}});
  dir_.write("tests/bench-2/expected.json", expected.dump());
  EXPECT_EQ(tested({tests_, "--verbose"}),
            "exit 1\n--- out\n"
            "--- PASS: bench-1 (0.00s)\n"
            "--- FAIL: bench-2 (0.00s)\n"
            "    a.io/uart: 1 unit gone, 1 unit changed\n"
            "    -/resources/a.io/uart/units/ttyUSB7/reason: \"worn out\"\n"
            "    +/resources/a.io/uart/units/ttyUSB7/reason: \"\"\n"
            "    -/resources/a.io/uart/units/ttyUSB8: {\"id\":\"ttyUSB8\"}\n"
            "--- PASS: bench-10 (0.00s)\n"
            "FAIL: 1 of 3 cases (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, AllocateAnswers_AreCompared) {
  const auto rule_with = [](const std::string& keys) {
    return config_of("{name: a.io/uart, match: {subsystem: tty}, id: $(name), " + keys + "}");
  };
  const std::string entries =
      "envs: {A: $(name)}, annotations: {b: c}, mounts: [{hostPath: /lib, containerPath: /l}]";
  dir_.write("tests/config.yaml", rule_with(entries));
  dir_.write("tests/bench-1/machine.txt", std::string(kMachine) + "F: /lib/\n");
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  EXPECT_EQ(tested({tests_}), "exit 0\n--- out\nok: 1 case (0.00s)\n--- err\n");
  const std::string unit = "/resources/a.io/uart/units/ttyUSB7/answer/";
  const auto failure = [&](const std::string& keys, const std::string& lines) {
    dir_.write("tests/config.yaml", rule_with(keys));
    EXPECT_EQ(tested({tests_}),
              "exit 1\n--- out\n--- FAIL: bench-1 (0.00s)\n    a.io/uart: 1 unit changed\n" +
                  lines + "FAIL: 1 of 1 case (0.00s)\n--- err\n");
  };
  failure(entries + ", devices: []",
          "    -" + unit + R"(devices/0: {"container_path":"/dev/ttyUSB7","host_path":)" +
              R"("/dev/ttyUSB7","permissions":"rw"})" + "\n");
  failure(entries + ", devices: [{hostPath: /dev/null, containerPath: /dev/ttyUSB7}]",
          "    -" + unit + "devices/0/host_path: \"/dev/ttyUSB7\"\n    +" + unit +
              "devices/0/host_path: \"/dev/null\"\n");
  failure("annotations: {b: c}, mounts: [{hostPath: /lib, containerPath: /l}]",
          "    -" + unit + "envs/A: \"ttyUSB7\"\n");
  failure("envs: {A: $(name)}, annotations: {b: d}, mounts: [{hostPath: /lib, containerPath: /l}]",
          "    -" + unit + "annotations/b: \"c\"\n    +" + unit + "annotations/b: \"d\"\n");
  failure("envs: {A: $(name)}, annotations: {b: c}, mounts: [{hostPath: /lib, containerPath: /m}]",
          "    -" + unit + "mounts/0/container_path: \"/l\"\n    +" + unit +
              "mounts/0/container_path: \"/m\"\n");
}

TEST_F(TestCommandTest, Links_OutOfTheDirectory_AreRejected) {
  for (const char* name : {"a-machine", "b-config", "c-expected", "d-shared"}) add_case(name);
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  const auto link = [&](const std::string& target, const std::string& name) {
    std::filesystem::remove(tests_ + "/" + name);
    std::filesystem::create_symlink(target, tests_ + "/" + name);
  };
  const std::string secret = dir_.write("secret.txt", "s3cret: 1\n");
  link(secret, "a-machine/machine.txt");
  link("../../secret.txt", "b-config/config.yaml");
  link(secret, "c-expected/expected.json");
  link("../c-expected/machine.txt", "d-shared/machine.txt");
  EXPECT_EQ(tested({tests_, "-v"}),
            "exit 1\n--- out\n"
            "--- FAIL: a-machine (0.00s)\n    DIR/tests/a-machine/machine.txt is a link out of the "
            "directory with the cases\n"
            "--- FAIL: b-config (0.00s)\n    DIR/tests/b-config/config.yaml is a link out of the "
            "directory with the cases\n"
            "--- FAIL: c-expected (0.00s)\n    DIR/tests/c-expected/expected.json is a link out of "
            "the directory with the cases\n"
            "--- PASS: d-shared (0.00s)\nFAIL: 3 of 4 cases (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, Files_SpecialOrTooLarge_AreRejected) {
  for (const char* name : {"a-fifo", "b-fifo", "c-fifo", "d-large"}) add_case(name);
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  const auto make_fifo = [&](const std::string& name) {
    std::filesystem::remove(tests_ + "/" + name);
    ASSERT_EQ(mkfifo((tests_ + "/" + name).c_str(), 0600), 0);  // The FIFO has no writer.
  };
  make_fifo("a-fifo/machine.txt");
  make_fifo("b-fifo/config.yaml");
  make_fifo("c-fifo/expected.json");
  std::filesystem::resize_file(tests_ + "/d-large/expected.json", (16U << 20U) + 1);
  EXPECT_EQ(tested({tests_, "-v"}),
            "exit 1\n--- out\n"
            "--- FAIL: a-fifo (0.00s)\n    DIR/tests/a-fifo/machine.txt is not a file\n"
            "--- FAIL: b-fifo (0.00s)\n    DIR/tests/b-fifo/config.yaml is not a file\n"
            "--- FAIL: c-fifo (0.00s)\n    DIR/tests/c-fifo/expected.json is not a file\n"
            "--- FAIL: d-large (0.00s)\n    DIR/tests/d-large/expected.json: the file is larger "
            "than 16 MiB\n"
            "FAIL: 4 of 4 cases (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, ExpectedOutput_DeeplyNested_IsCompared) {
  add_case("bench-1");
  dir_.write("tests/bench-1/expected.json",
             std::string(1'000'000, '[') + std::string(1'000'000, ']'));
  EXPECT_THAT(tested({tests_}), StartsWith("exit 1\n--- out\n--- FAIL: bench-1 (0.00s)\n"
                                           "    a.io/uart: resource new\n"));
}

TEST_F(TestCommandTest, EnvironmentVariables_ValuesAreNotShown) {
  dir_.write("tests/config.yaml",
             config_of("{name: a.io/uart, when: {env: {TOKEN: other}}, match: {subsystem: tty}, "
                       "id: $(name)}"));
  add_case("bench-1");
  const Environment environment{{"TOKEN", "s3cret"}};
  ASSERT_THAT(tested({tests_, "--update"}, environment), StartsWith("exit 0"));
  EXPECT_THAT(expected_of("bench-1"),
              HasSubstr("\"actual\": \"env.TOKEN is set to a value that is not shown\""));
  dir_.write("tests/bench-1/expected.json", "{}");
  EXPECT_THAT(tested({tests_}, environment), testing::Not(HasSubstr("s3cret")));
  EXPECT_THAT(
      output_of({"discover", "--machine", tests_ + "/bench-1/machine.txt", config_}, environment),
      testing::Not(HasSubstr("s3cret")));
}

TEST_F(TestCommandTest, ExpectedOutput_IsComparedAsJson) {
  add_case("bench-1");
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  // The expected output has another layout, and a time as in the output of `discover`.
  auto expected = nlohmann::json::parse(expected_of("bench-1"));
  expected["resources"][0]["units"][0]["since"] = "2026-01-01T00:00:00Z";
  dir_.write("tests/bench-1/expected.json", expected.dump());
  EXPECT_EQ(tested({tests_}), "exit 0\n--- out\nok: 1 case (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, ExpectedOutput_HasNoPositions) {
  const std::string elsewhere = "{name: a.io/none, match: {subsystem: tty, name: x}, id: $(name)}";
  dir_.write("tests/config.yaml", config_of(elsewhere));
  add_case("bench-1");
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  EXPECT_THAT(expected_of("bench-1"), HasSubstr("\"condition\": \"name: \\\"x\\\"\""));
  dir_.write("moved.yaml", "# A comment.\n" + config_of(elsewhere));
  EXPECT_EQ(tested({tests_, "-c", dir_ / "moved.yaml"}),
            "exit 0\n--- out\nok: 1 case (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, ExpectedOutput_MissingOrInvalid_SaysHowToWriteIt) {
  add_case("invalid");
  add_case("missing");
  dir_.write("tests/invalid/expected.json", "{");
  EXPECT_EQ(tested({tests_}),
            "exit 1\n--- out\n"
            "--- FAIL: invalid (0.00s)\n"
            "    DIR/tests/invalid/expected.json is not JSON: write it with --update\n"
            "--- FAIL: missing (0.00s)\n"
            "    DIR/tests/missing/expected.json does not exist: write it with --update\n"
            "FAIL: 2 of 2 cases (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, UnreadableCase_FailsAndOthersRun) {
  add_case("good");
  dir_.write("tests/bad-config/machine.txt", kMachine);
  dir_.write("tests/bad-config/config.yaml", config_of("{name: a.io/uart, mach: {}}"));
  dir_.write("tests/bad-machine/machine.txt", "P: /devices/a\nU: tty\nZ: 1\n");
  ASSERT_EQ(tested({tests_, "--update"}),
            "exit 1\n--- out\n"
            "--- FAIL: bad-config (0.00s)\n"
            "    DIR/tests/bad-config/config.yaml:4:23: error: unknown key 'mach' in resource\n"
            "          - {name: a.io/uart, mach: {}}\n"
            "                              ^\n"
            "      hint: did you mean 'match'?\n"
            "--- FAIL: bad-machine (0.00s)\n"
            "    DIR/tests/bad-machine/machine.txt:3: 'Z:' is unknown: the file is from a newer "
            "patchbay, or describes no machine\n"
            "written    DIR/tests/good/expected.json\n"
            "FAIL: 2 of 3 cases (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, Configuration_IsTheNearestOne) {
  add_case("above");
  add_case("pool/below");
  add_case("pool/own");
  dir_.write("tests/pool/config.yaml", config_of("{name: a.io/pool, match: {static: [x]}}"));
  dir_.write("tests/pool/own/config.yaml", config_of("{name: a.io/own, match: {static: [x]}}"));
  const auto resource_of = [&](const std::string& name) {
    return nlohmann::json::parse(expected_of(name))["resources"][0]["name"];
  };
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  EXPECT_EQ(resource_of("above"), "a.io/uart");
  EXPECT_EQ(resource_of("pool/below"), "a.io/pool");
  EXPECT_EQ(resource_of("pool/own"), "a.io/own");
  const std::string given = dir_.write("given.yaml", config_of("{name: a.io/g, match: {static: "
                                                               "[x]}}"));
  ASSERT_THAT(tested({tests_, "--config", given, "--update"}), StartsWith("exit 0"));
  EXPECT_EQ(resource_of("above"), "a.io/g");
  EXPECT_EQ(resource_of("pool/own"), "a.io/g");
}

TEST_F(TestCommandTest, Configuration_AboveTheDirectory_IsNotUsed) {
  add_case("pool/bench-1");
  EXPECT_EQ(
      tested({tests_ + "/pool"}),
      "exit 1\n--- out\n--- FAIL: bench-1 (0.00s)\n"
      "    no configuration: give --config, or write config.yaml in the directory of the case "
      "or in one above\n"
      "FAIL: 1 of 1 case (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, Configuration_FromStandardInput_IsForAllCases) {
  add_case("bench-1");
  add_case("bench-2");
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  std::filesystem::remove(config_);
  const std::string manifest = dir_.write("map.yaml",
                                          "apiVersion: v1\nkind: ConfigMap\n"
                                          "metadata: {name: rules}\ndata:\n  lab.yaml: |\n"
                                          "    apiVersion: patchbay/v1\n    kind: Config\n"
                                          "    resources:\n      - " +
                                              kUart + "\n");
  const auto end = fake::run_process(
      patchbay({"test", tests_, "-c", "-"}, redirected("<" + manifest)), with_node({}));
  EXPECT_EQ(without_durations(text_of(end)), "exit 0\n--- out\nok: 2 cases (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, NodeName_IsThatOfTheDirectory) {
  dir_.write("tests/config.yaml",
             config_of("{name: a.io/node, when: {node: \"bench-*\"}, match: {static: [x]}, "
                       "id: $(node)}"));
  add_case("bench-1");
  add_case("other");
  ASSERT_THAT(tested({tests_, "--update"}, {{"NODE_NAME", "bench-9"}}), StartsWith("exit 0"));
  EXPECT_THAT(expected_of("bench-1"), HasSubstr("\"id\": \"bench-1\""));
  EXPECT_THAT(expected_of("other"), HasSubstr("\"actual\": \"node is \\\"other\\\"\""));
  ASSERT_THAT(tested({tests_, "--update", "--node-name", "bench-2"}), StartsWith("exit 0"));
  EXPECT_THAT(expected_of("bench-1"), HasSubstr("\"id\": \"bench-2\""));
  EXPECT_EQ(expected_of("other"), expected_of("bench-1"));
}

TEST_F(TestCommandTest, NodeName_ThatIsInvalid_FailsTheCase) {
  add_case("two words");
  EXPECT_EQ(tested({tests_}),
            "exit 1\n--- out\n--- FAIL: two words (0.00s)\n"
            "    'two words' cannot be a node's name: rename the directory, or give --node-name\n"
            "FAIL: 1 of 1 case (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, Directory_WithMachineFile_IsACase) {
  add_case("bench-1");
  add_case("bench-1/replugged");
  add_case("bench-1/.hidden");
  std::filesystem::create_directory_symlink(tests_ + "/bench-1", tests_ + "/bench-1/link");
  EXPECT_EQ(tested({tests_ + "/bench-1/", "-c", config_, "--update"}),
            "exit 0\n--- out\nwritten    DIR/tests/bench-1/expected.json\n"
            "written    DIR/tests/bench-1/replugged/expected.json\nok: 2 cases (0.00s)\n"
            "--- err\n");
  EXPECT_EQ(tested({tests_ + "/bench-1/", "-c", config_, "-v"}),
            "exit 0\n--- out\n--- PASS: bench-1 (0.00s)\n--- PASS: replugged (0.00s)\n"
            "ok: 2 cases (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, SeveralDirectories_PrefixNamesOfCases) {
  add_case("a/bench-1");
  add_case("b/bench-1");
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  EXPECT_EQ(tested({tests_ + "/b", tests_ + "/a", "-v", "-c", config_}),
            "exit 0\n--- out\n--- PASS: DIR/tests/b/bench-1 (0.00s)\n"
            "--- PASS: DIR/tests/a/bench-1 (0.00s)\nok: 2 cases (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, Run_SelectsCasesByRegex) {
  for (const char* name : {"bench-1", "pool/bench-2", "other"}) add_case(name);
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  EXPECT_EQ(tested({tests_, "-v", "--run", "ench-[0-9]$"}),
            "exit 0\n--- out\n--- PASS: bench-1 (0.00s)\n--- PASS: pool/bench-2 (0.00s)\n"
            "ok: 2 cases (0.00s)\n--- err\n");
  EXPECT_EQ(tested({tests_, "--run", "^ench"}),
            "exit 2\n--- out\n--- err\npatchbay: --run matches none of 3 cases\n");
  EXPECT_EQ(tested({tests_, "--run", "("}),
            "exit 2\n--- out\n--- err\npatchbay: --run takes a regular expression, not '(' "
            "(missing ): ()\nTry 'patchbay test --help'.\n");
}

TEST_F(TestCommandTest, WrongCommandLine_IsRefused) {
  EXPECT_EQ(tested({tests_}),
            "exit 2\n--- out\n--- err\npatchbay: DIR/tests contains no case: a case is a directory "
            "with machine.txt, the output of `patchbay snapshot`\n");
  EXPECT_EQ(tested({dir_ / "none"}),
            "exit 2\n--- out\n--- err\npatchbay: DIR/none: No such file or directory\n");
  EXPECT_EQ(tested({config_}),
            "exit 2\n--- out\n--- err\npatchbay: DIR/tests/config.yaml: Not a directory\n");
  add_case("bench-1");
  EXPECT_EQ(tested({tests_, "-c", dir_ / "none.yaml"}),
            "exit 2\n--- out\n--- err\npatchbay: DIR/none.yaml: No such file or directory\n");
  EXPECT_EQ(tested({}),
            "exit 2\n--- out\n--- err\npatchbay: DIR is required\nTry 'patchbay test --help'.\n");
}

TEST_F(TestCommandTest, Json_IsOneDocument) {
  add_case("bench-1");
  add_case("bench-2");
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  dir_.write("tests/bench-2/machine.txt", "Z: 1\n");
  add_case("bench-3");
  dir_.write("tests/bench-3/expected.json", "[]\n");
  const auto end = run({"test", tests_, "-o", "json"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(end.err, "");
  auto json = nlohmann::ordered_json::parse(end.out);
  EXPECT_GT(json["seconds"], 0);
  json.erase("seconds");
  for (auto& one : json["cases"]) {
    EXPECT_GE(one["seconds"], 0);
    one.erase("seconds");
  }
  EXPECT_THAT(json["cases"][2]["diff"].get<std::string>(),
              StartsWith("a.io/uart: resource new\n-: []\n+: {"));
  json["cases"][2]["diff"] = "DIFF";
  EXPECT_EQ(json.dump(1),
            R"({
 "passed": false,
 "cases": [
  {
   "name": "bench-1",
   "directory": "DIR/tests/bench-1",
   "result": "pass",
   "diff": "",
   "error": ""
  },
  {
   "name": "bench-2",
   "directory": "DIR/tests/bench-2",
   "result": "fail",
   "diff": "",
   "error": "DIR/tests/bench-2/machine.txt:1: 'Z:' belongs to a device, and no 'P:' is above it"
  },
  {
   "name": "bench-3",
   "directory": "DIR/tests/bench-3",
   "result": "fail",
   "diff": "DIFF",
   "error": ""
  }
 ]
})");
}

TEST_F(TestCommandTest, Json_ReportsUpdatedFiles) {
  add_case("bench-1");
  const auto result = [&] {
    const auto end = run({"test", tests_, "-o", "json", "--update"});
    return nlohmann::json::parse(end.out)["cases"][0]["result"].get<std::string>();
  };
  EXPECT_EQ(result(), "written");
  EXPECT_EQ(result(), "unchanged");
}

TEST_F(TestCommandTest, Terminal_HasColors) {
  add_case("bench-1");
  dir_.write("tests/bench-1/expected.json", "[]\n");
  const auto shown = [&](const Environment& environment) {
    PseudoTerminal terminal;
    static_cast<void>(fake::run_process(
        patchbay({"test", tests_}, redirected(">" + terminal.path())), with_node(environment)));
    return without_durations(relative(terminal.shown()));
  };
  const std::string colored = shown({{"TERM", "xterm"}});
  EXPECT_THAT(colored, StartsWith("\x1b[1;31m--- FAIL: bench-1 (0.00s)\x1b[0m\n"));
  EXPECT_THAT(colored, HasSubstr("\n    \x1b[1;31m-: []\x1b[0m\n    \x1b[32m+: {"));
  EXPECT_THAT(shown({{"TERM", "xterm"}, {"NO_COLOR", "1"}}),
              StartsWith("--- FAIL: bench-1 (0.00s)\n"));
}

TEST_F(TestCommandTest, NeedsNoRoot) {
  add_case("bench-1");
  ASSERT_THAT(tested({tests_, "--update"}), StartsWith("exit 0"));
  EXPECT_EQ(without_durations(text_of(
                fake::run_process(patchbay({"test", tests_}, ordinary_user()), with_node({})))),
            "exit 0\n--- out\nok: 1 case (0.00s)\n--- err\n");
}

TEST_F(TestCommandTest, ExampleCases_Pass) {
  EXPECT_EQ(tested({PATCHBAY_SOURCE_DIR "/examples/tests", "-v"}),
            "exit 0\n--- out\n--- PASS: bench-1 (0.00s)\n--- PASS: bench-2 (0.00s)\n"
            "ok: 2 cases (0.00s)\n--- err\n");
}

}  // namespace
}  // namespace patchbay::cli
