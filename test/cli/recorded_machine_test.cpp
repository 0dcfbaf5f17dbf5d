// Tests `--machine FILE` and the command `snapshot`.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class RecordedMachineTest : public CliTest {
 protected:
  RecordedMachineTest() {
    config_ = dir_.write("config.yaml",
                         "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                         "  - name: example.com/uart\n"
                         "    match: {subsystem: tty, property: {ID_BUS: usb}}\n"
                         "    id: $(name)\n"
                         "    health: [{open: $(devnode)}, {exec: [/bin/false]}]\n");
    machine_ = dir_.write("machine.txt",
                          "P: /devices/usb1/1-4\nU: usb\n"
                          "P: /devices/usb1/1-4/tty/ttyUSB7\n"
                          "U: tty\nN: ttyUSB7\nD: c 60:7\nE: ID_BUS=usb\n");
  }

  /// Writes a configuration for a device and for paths of this machine.
  [[nodiscard]] std::string write_rules_for(const std::string& paths) const {
    return dir_.write("here.yaml",
                      "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                      "  - {name: example.com/null, match: {subsystem: mem, name: \"null\"}, "
                      "id: $(name)}\n"
                      "  - {name: example.com/path, match: {glob: " +
                          paths + "}, id: $(name), devices: []}\n");
  }

  std::string config_;
  std::string machine_;
};

TEST_F(RecordedMachineTest, RecordedMachineIsReadInsteadOfThisMachine) {
  EXPECT_EQ(output_of({"discover", "--machine", machine_, config_}),
            "exit 0\n--- out\n"
            "RESOURCE          UNIT     STATE    DEVICE        ID FROM  REASON\n"
            "example.com/uart  ttyUSB7  healthy  /dev/ttyUSB7  id\n--- err\n");
  EXPECT_EQ(output_of({"allocate", "uart", "ttyUSB7", "--machine", machine_, config_}),
            "exit 0\n--- out\n"
            "DEVICE        HOST PATH     PERMISSIONS\n"
            "/dev/ttyUSB7  /dev/ttyUSB7  rw\n--- err\n");
  EXPECT_THAT(output_of({"explain", "ttyUSB7", "--machine", machine_, config_}),
              HasSubstr("/sys/devices/usb1/1-4/tty/ttyUSB7"));
}

TEST_F(RecordedMachineTest, RecordedMachineNeedsNoRoot) {
  const auto end = fake::run_process(
      patchbay({"discover", "--machine", machine_, config_}, ordinary_user()), with_node({}));
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("ttyUSB7"));
}

TEST_F(RecordedMachineTest, DiffShowsEffectOfEditOnRecordedMachine) {
  const std::string now = dir_.write("now.yaml",
                                     "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                                     "  - name: example.com/uart\n"
                                     "    match: {subsystem: tty, property: {ID_BUS: pci}}\n"
                                     "    id: $(name)\n"
                                     "    health: [{open: $(devnode)}, {exec: [/bin/false]}]\n");
  EXPECT_EQ(output_of({"diff", config_, now, "--machine", machine_}),
            "exit 1\n--- out\n"
            "RESOURCE          CHANGE   UNITS  KEYS\n"
            "example.com/uart  changed  +0 -1  match\n--- err\n");
}

TEST_F(RecordedMachineTest, ValidateWarnsAboutResourcesWithoutUnits) {
  EXPECT_THAT(output_of({"validate", "--strict", config_, "--machine", machine_}),
              StartsWith("exit 0\n--- out\nok: 1 resource\n"));
  const std::string rules = dir_.write("rules.yaml",
                                       "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                                       "  - {name: example.com/typo, match: {subsystem: tyy}}\n"
                                       "  - name: example.com/no-id\n"
                                       "    match: {subsystem: tty}\n"
                                       "    id: $(property.ID_SERIAL)\n"
                                       "    claim: shared\n");
  const std::string warnings =
      "DIR/rules.yaml:4:5: warning: 'example.com/typo' offers no unit on DIR/machine.txt\n"
      "      - {name: example.com/typo, match: {subsystem: tyy}}\n"
      "        ^\n"
      "  hint: `patchbay discover CONFIG --machine DIR/machine.txt` says why\n"
      "DIR/rules.yaml:5:5: warning: 'example.com/no-id' offers no unit on DIR/machine.txt\n"
      "      - name: example.com/no-id\n"
      "        ^\n"
      "  hint: `patchbay discover CONFIG --machine DIR/machine.txt` says why\n";
  EXPECT_EQ(output_of({"validate", rules, "--machine", machine_}),
            "exit 0\n--- out\nok: 2 resources, 2 warnings\n--- err\n" + warnings);
  EXPECT_THAT(output_of({"validate", "--strict", rules, "--machine", machine_}),
              StartsWith("exit 1\n"));
  EXPECT_THAT(output_of({"validate", "-o", "json", rules, "--machine", machine_}),
              HasSubstr("'example.com/typo' offers no unit on DIR/machine.txt"));
}

TEST_F(RecordedMachineTest, ErrorNamesFileAndMistake) {
  const std::string none = dir_ / "none.txt";
  const std::string broken = dir_.write("broken.txt", "P: /devices/a\nU: tty\nZ: 1\n");
  for (const Words& command : {Words{"discover", config_}, Words{"explain", "ttyUSB7", config_},
                               Words{"allocate", "uart", "ttyUSB7", config_},
                               Words{"diff", config_, config_}, Words{"validate", config_}}) {
    Words words = command;
    words.insert(words.end(), {"--machine", none});
    EXPECT_EQ(output_of(words),
              "exit 2\n--- out\n--- err\n"
              "patchbay: DIR/none.txt: No such file or directory\n");
    words.back() = broken;
    EXPECT_EQ(output_of(words),
              "exit 2\n--- out\n--- err\n"
              "patchbay: DIR/broken.txt:3: 'Z:' is unknown: the file is from a newer patchbay, or "
              "describes no machine\n");
  }
}

TEST_F(RecordedMachineTest, MachineWithoutUdevData_CausesWarning) {
  const std::string machine = dir_.write("bare.txt",
                                         "P: /devices/usb1/1-4/tty/ttyUSB7\n"
                                         "U: tty\nN: ttyUSB7\nD: c 60:7\n");
  EXPECT_THAT(output_of({"discover", "--machine", machine, config_}),
              EndsWith("warning no udev data in the machine file: its devices have no properties, "
                       "tags and links, but rules use them; record it where udevd runs\n"));
  const std::string other =
      dir_.write("other.yaml",
                 "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                 "  - {name: example.com/uart, match: {subsystem: tty}, id: $(name)}\n");
  EXPECT_THAT(output_of({"discover", "--machine", machine, other}), EndsWith("--- err\n"));
}

TEST_F(RecordedMachineTest, NamesSkippedLinksOfMachineFile) {
  const std::string machine =
      dir_.write("links.txt", "P: /devices/a\nU: tty\nS: a\x1b\nE: ID_BUS=usb\n");
  EXPECT_THAT(output_of({"discover", "--machine", machine, config_}),
              EndsWith("--- err\npatchbay: DIR/links.txt:3: the link is left out: a path cannot "
                       "have this character: 'a\\x1b'\n"));
}

TEST_F(RecordedMachineTest, SnapshotNamesUnitsThatStandInsHide) {
  dir_.write("home/jane17/one", "");
  const std::string config = write_rules_for(dir_ / "home/jane17/*");
  const auto end = run({"snapshot", "-c", config});
  EXPECT_EQ(end.exit_code, 0);
  const std::string line =
      "example.com/path: 0 of 1 unit in this file (its rules can compare stand-ins); try "
      "--keep-serials\n";
  EXPECT_EQ(end.err, "patchbay: " + line);
  EXPECT_THAT(end.out, HasSubstr("\n# " + line));
  EXPECT_THAT(end.out, Not(HasSubstr("jane17")));
  EXPECT_EQ(run({"snapshot", "--keep-serials", "-c", config}).err, "");
}

TEST_F(RecordedMachineTest, MachineExcludesHostRootAndWatch) {
  EXPECT_THAT(output_of({"discover", "--machine", machine_, "--host-root", "/", config_}),
              StartsWith("exit 2\n--- out\n--- err\npatchbay: --machine and --host-root exclude "
                         "each other: each names the host to read\n"));
  EXPECT_THAT(output_of({"discover", "--machine", machine_, "--watch", config_}),
              StartsWith("exit 2\n--- out\n--- err\npatchbay: a recorded machine does not change: "
                         "give --machine or --watch\n"));
}

TEST_F(RecordedMachineTest, SnapshotOfThisMachineGivesTheSameUnits) {
  const std::string config = write_rules_for(dir_ / "paths/*");
  dir_.write("paths/one", "");
  const auto snapshot = run({"snapshot", "--keep-serials", "-c", config});
  ASSERT_EQ(snapshot.exit_code, 0) << snapshot.err;
  // Restores the path of the directory, which run() replaces by DIR.
  std::string text = snapshot.out;
  for (size_t at = text.find("DIR/"); at != std::string::npos; at = text.find("DIR/", at)) {
    text.replace(at, 3, dir_.path());
    at += dir_.path().size();
  }
  const std::string machine = dir_.write("here.txt", text);
  const std::string live = output_of({"discover", config});
  EXPECT_THAT(live, HasSubstr("one"));
  EXPECT_EQ(output_of({"discover", "--machine", machine, config}), live);
}

TEST_F(RecordedMachineTest, SnapshotNeedsNoConfiguration) {
  const auto end = run({"snapshot"});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, StartsWith("# patchbay snapshot, format 1\n# serials, "));
  EXPECT_THAT(end.out, HasSubstr("\nP: /devices/virtual/mem/null\nU: mem\nN: null\nD: c 1:3\n"));
  EXPECT_THAT(end.out, EndsWith("\n# end\n"));
}

TEST_F(RecordedMachineTest, SnapshotNeedsAValidConfiguration) {
  const std::string broken = dir_.write("broken.yaml", "kind: Config\n");
  const auto end = run({"snapshot", "-c", broken});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(end.out, "");
  EXPECT_THAT(end.err, Not(HasSubstr("P: ")));
}

}  // namespace
}  // namespace patchbay::cli
