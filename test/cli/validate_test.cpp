#include <sys/stat.h>

#include <filesystem>

#include "cli/cli_fixture.h"

namespace patchbay::cli {
namespace {

constexpr const char* kHead = "apiVersion: patchbay/v1\nkind: Config\nresources:\n";

class ValidateTest : public CliTest {
 protected:
  static std::string resource(const std::string& name) {
    return "  - {name: " + name + ", claim: shared, match: {glob: /dev/null}, id: $(name)}\n";
  }
  static std::string ok(const std::string& count) {
    return "exit 0\n--- out\nok: " + count + "\n--- err\n";
  }
};

TEST_F(ValidateTest, ValidatesFile) {
  const std::string path = dir_.write("a.yaml", kHead + resource("example.com/a"));
  EXPECT_EQ(output_of({"validate", path}), ok("1 resource"));
}

TEST_F(ValidateTest, AcceptsConfigurationAsArgumentOptionOrInput) {
  const std::string a = dir_.write("a.yaml", kHead + resource("example.com/a"));
  const std::string b = dir_.write("b.yaml", kHead + resource("example.com/b"));
  EXPECT_EQ(output_of({"validate", "--config", a}), ok("1 resource"));
  EXPECT_EQ(output_of({"validate", a, "-c", b}), ok("2 resources"));
  EXPECT_EQ(text_of(fake::run_process(patchbay({"validate", "-"}, redirected("<" + a)))),
            ok("1 resource"));
  EXPECT_EQ(text_of(fake::run_process(patchbay({"validate", b, "-c", "-"}, redirected("<" + a)))),
            ok("2 resources"));
  EXPECT_EQ(text_of(relative(fake::run_process(patchbay({"validate", "-"}, redirected("</"))))),
            "exit 2\n--- out\n--- err\npatchbay: standard input: Is a directory\n");
}

TEST_F(ValidateTest, ValidatesConfigMapsInManifestStream) {
  const std::string stream = dir_.write("stream.yaml", R"yaml(---
# Source: chart/templates/config.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: lab}
data:
  lab.yaml: |
    apiVersion: patchbay/v1
    kind: Config
    resources:
      - {name: example.com/a, match: {glob: /dev/null}, idd: $(name)}
---
apiVersion: apps/v1
kind: DaemonSet
)yaml");
  const std::string said_of_it =
      ":11:57: error: unknown key 'idd' in resource\n"
      "          - {name: example.com/a, match: {glob: /dev/null}, idd: $(name)}\n"
      "                                                            ^\n"
      "  hint: did you mean 'id'?\n"
      "1 error\n";
  EXPECT_EQ(output_of({"validate", stream}),
            "exit 1\n--- out\n--- err\nDIR/stream.yaml" + said_of_it);
  EXPECT_EQ(text_of(fake::run_process(patchbay({"validate", "-"}, redirected("<" + stream)))),
            "exit 1\n--- out\n--- err\n<stdin>" + said_of_it);
}

TEST_F(ValidateTest, ValidatesEachConfigMapSeparately) {
  const auto map = [](const std::string& texts) {
    return "---\napiVersion: v1\nkind: ConfigMap\ndata:\n" + texts;
  };
  const auto text = [](const std::string& key, const std::string& more) {
    return "  " + key +
           ": |\n    apiVersion: patchbay/v1\n    kind: Config\n    resources:\n"
           "      - {name: example.com/a, match: {glob: /dev/null}" +
           more + "}\n";
  };
  const std::string pools =
      dir_.write("pools.yaml", map(text("a.yaml", "")) + map(text("a.yaml", "")));
  EXPECT_EQ(output_of({"validate", pools}), ok("2 resources in 2 configurations"));
  const std::string json = output_of({"validate", "-o", "json", pools});
  EXPECT_TRUE(json.contains("\"valid\": true")) << json;
  // The keys of one ConfigMap form one configuration, so equal names are an error.
  const std::string twice = dir_.write("twice.yaml", map(text("a.yaml", "") + text("b.yaml", "")));
  EXPECT_TRUE(
      output_of({"validate", twice}).contains("'example.com/a' is already at DIR/twice.yaml:9"));
  // Needs of the same kind are reported together, once.
  const std::string more = ", cdi: write, health: [{tcp: \"localhost:1\"}]";
  const std::string needs =
      dir_.write("needs.yaml", map(text("a.yaml", more)) + map(text("a.yaml", more)));
  const std::string shown = output_of({"validate", needs});
  for (const std::string heading : {"The host's network", "To apply it as a patch", "cdi"}) {
    const size_t first = shown.find(heading);
    EXPECT_NE(first, std::string::npos) << heading << shown;
  }
  const size_t first = shown.find("The host's network");
  EXPECT_EQ(shown.find("The host's network", first + 1), std::string::npos) << shown;
}

TEST_F(ValidateTest, MergesSeveralFiles) {
  const std::string a = dir_.write("a.yaml", kHead + resource("example.com/a"));
  const std::string b =
      dir_.write("b.yaml", kHead + resource("example.com/b") + resource("example.com/c"));
  EXPECT_EQ(output_of({"validate", a, b}), ok("3 resources"));
  EXPECT_EQ(output_of({"validate", a, a}).substr(0, 6), "exit 1");  // The same resource twice.
}

TEST_F(ValidateTest, ValidatesDirectory) {
  dir_.write("d/a.yaml", kHead + resource("example.com/a"));
  dir_.write("d/b.yml", kHead + resource("example.com/b"));
  dir_.write("d/.hidden.yaml", "no configuration");
  EXPECT_EQ(output_of({"validate", dir_ / "d"}), ok("2 resources"));
  EXPECT_EQ(output_of({"validate", dir_ / "d/"}), ok("2 resources"));
}

TEST_F(ValidateTest, RejectsSecondDocument) {
  const std::string path = dir_.write(
      "a.yaml", kHead + resource("example.com/a") + "---\napiVersion: v1\nkind: ConfigMap\n");
  EXPECT_EQ(output_of({"validate", path}),
            "exit 1\n--- out\n--- err\n"
            "DIR/a.yaml:5:1: error: a second document is not allowed\n"
            "    ---\n    ^\n"
            "  hint: put it into a separate file in the same directory\n"
            "1 error\n");
}

TEST_F(ValidateTest, FileNameWithLeadingDashNeedsDotSlash) {
  dir_.write("-a.yaml", kHead + resource("example.com/a"));
  const auto output_in_directory = [this](const std::string& path) {
    const std::string binary = std::filesystem::absolute(fake::patchbay_binary());
    return text_of(fake::run_process(
        {"env", "--chdir=" + dir_.path(), binary, "validate", "--", path}, with_node({})));
  };
  EXPECT_EQ(output_in_directory("./-a.yaml"), ok("1 resource"));
  EXPECT_EQ(output_in_directory("-a.yaml"),
            "exit 2\n--- out\n--- err\npatchbay: PATH takes a path, not '-a.yaml'\n"
            "Try 'patchbay validate --help'.\n");
}

TEST_F(ValidateTest, PrintsEachError) {
  const std::string a = dir_.write("a.yaml", kHead + resource("example.com/a") + "kund: Config\n");
  const std::string b = dir_.write(
      "b.yaml", kHead + resource("no domain") + "  - {name: example.com/b, match: {}}\n");
  expect_golden("validate-mistakes.txt", output_of({"validate", a, b}));
  expect_golden("validate-mistakes.json.txt", output_of({"validate", a, b, "-o", "json"}));
}

TEST_F(ValidateTest, StrictTreatsWarningsAsErrors) {
  const std::string warns =
      dir_.write("w.yaml", std::string(kHead) +
                               "  - {name: example.com/w, match: {glob: \"/dev/a|/dev/b\"}}\n");
  const std::string quiet = dir_.write("q.yaml", kHead + resource("example.com/q"));
  expect_golden("validate-warnings.txt", output_of({"validate", warns, quiet}));
  expect_golden("validate-warnings-strict.txt", output_of({"validate", "--strict", warns, quiet}));
  expect_golden("validate-warnings-strict.json.txt",
                output_of({"validate", "--strict", "-o", "json", warns, quiet}));
  EXPECT_EQ(run({"validate", "-o", "json", warns}).exit_code, 0);
  EXPECT_EQ(output_of({"validate", "--strict", quiet}), ok("1 resource"));
}

TEST_F(ValidateTest, StrictDoesNotChangeErrors) {
  const std::string path =
      dir_.write("a.yaml", kHead + resource("example.com/a") + "kund: Config\n");
  EXPECT_EQ(output_of({"validate", "--strict", path}), output_of({"validate", path}));
}

TEST_F(ValidateTest, PrintsSuccessAsJson) {
  const std::string path = dir_.write("a.yaml", kHead + resource("example.com/a"));
  EXPECT_EQ(output_of({"validate", "-o", "json", path}),
            "exit 0\n--- out\n{\n  \"valid\": true,\n  \"readError\": \"\",\n"
            "  \"diagnostics\": [],\n  \"needs\": [],\n  \"patch\": null\n}\n--- err\n");
}

TEST_F(ValidateTest, PrintsMissingFileAsJson) {
  EXPECT_EQ(output_of({"validate", "-o", "json", dir_ / "none.yaml"}),
            "exit 2\n--- out\n{\n  \"valid\": false,\n"
            "  \"readError\": \"DIR/none.yaml: No such file or directory\",\n"
            "  \"diagnostics\": [],\n  \"needs\": [],\n  \"patch\": null\n}\n--- err\n");
}

TEST_F(ValidateTest, PrintsNeedsBeyondManifest) {
  const std::string path = dir_.write("a.yaml", std::string(kHead) + R"yaml(
  - name: example.com/vm
    when: {env: {POOL: lab}, file: {/proc/device-tree/model: "Raspberry Pi*"}}
    match: {glob: /run/vm/*/net.sock}
    by: $(path)
    health: [{tcp: "localhost:80"}, {exec: [/probes/vm.sh]}, {file: {/proc/1/mounts: "*"}}]
  - name: example.com/nic
    match: {subsystem: net}
    cdi: write
    deviceInfo: pci
    preStart: [{write: {path: $(syspath)/mtu, value: "9000"}}, {usbReset: true}]
)yaml");
  expect_golden("validate-needs.txt", output_of({"validate", path}));
  expect_golden("validate-needs.json.txt", output_of({"validate", "-o", "json", path}));
  EXPECT_EQ(run({"validate", "--strict", path}).exit_code, 0);
}

/// A DaemonSet that reads the ConfigMap `lab`, with one more mount and its volume.
std::string daemons_with(const std::string& mount = "", const std::string& volume = "") {
  return R"yaml(---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: bench, namespace: devices}
spec:
  template:
    spec:
      containers:
        - name: daemon
          command: [/usr/local/bin/patchbay, run, --config, /etc/patchbay]
          volumeMounts:
            - {name: config, mountPath: /etc/patchbay, readOnly: true}
            - {name: dev, mountPath: /dev, readOnly: true}
)yaml" + mount +
         R"yaml(      volumes:
        - {name: config, configMap: {name: lab}}
        - {name: dev, hostPath: {path: /dev}}
)yaml" + volume;
}

constexpr const char* kLab = R"yaml(
  - name: example.com/tool
    match: {glob: /dev/null}
    id: $(name)
    claim: shared
    mounts: [{hostPath: /opt/lab-tools}]
)yaml";

/// The same configuration in a ConfigMap.
std::string config_map() {
  return std::string("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: lab}\ndata:\n") +
         "  a.yaml: |\n    apiVersion: patchbay/v1\n    kind: Config\n    resources:\n"
         "      - name: example.com/tool\n        match: {glob: /dev/null}\n"
         "        id: $(name)\n        claim: shared\n"
         "        mounts: [{hostPath: /opt/lab-tools}]\n";
}

TEST_F(ValidateTest, ComparesConfigurationWithDaemonSetOfManifest) {
  const std::string lacks = dir_.write("lacks.yaml", config_map() + daemons_with());
  expect_golden("validate-daemon-set.txt", output_of({"validate", lacks}));
  EXPECT_EQ(run({"validate", "--strict", lacks}).exit_code, 1);
  const std::string has = dir_.write(
      "has.yaml",
      config_map() + daemons_with("            - {name: opt, mountPath: /opt/lab-tools/}\n",
                                  "        - {name: opt, hostPath: {path: /opt/lab-tools}}\n"));
  EXPECT_EQ(output_of({"validate", "--strict", has}), ok("1 resource"));
}

TEST_F(ValidateTest, ComparesFilesWithDaemonSetOfAnotherFile) {
  const std::string config = dir_.write("a.yaml", std::string(kHead) + kLab);
  const std::string lacks = dir_.write("lacks.yaml", daemons_with());
  const std::string warning =
      "DIR/a.yaml:9:25: warning: '/opt/lab-tools' is not mounted in the "
      "DaemonSet bench\n";
  EXPECT_TRUE(output_of({"validate", config, lacks}).contains(warning));
  EXPECT_FALSE(output_of({"validate", config}).contains("warning"));
  EXPECT_EQ(output_of({"validate", lacks}).substr(0, 6), "exit 1");  // There is no configuration.
}

/// The path is a pipe without a writer, so reading it would hang.
TEST_F(ValidateTest, DoesNotAccessConfiguredPaths) {
  const std::string pipe = dir_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string program = dir_.write("program", "touch '" + (dir_ / "ran") + "'\n");
  ASSERT_EQ(::chmod(program.c_str(), 0700), 0);
  const std::string config =
      dir_.write("a.yaml", kHead + std::string("  - name: example.com/a\n    when: {file: {") +
                               pipe + ": \"1\"}}\n    match: {static: [a], file: {" + pipe +
                               ": \"1\"}}\n    mounts: [{hostPath: " + pipe +
                               "}]\n    health: [{exec: [" + program + "]}, {open: " + pipe +
                               "}]\n    preStart: [{exec: [" + program + "]}]\n");
  EXPECT_EQ(run({"validate", config}).exit_code, 0);
  EXPECT_EQ(run({"validate", "-o", "json", config}).exit_code, 0);
  EXPECT_EQ(
      run({"diff", config, dir_.write("b.yaml", kHead + resource("example.com/b"))}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "ran"));
}

TEST_F(ValidateTest, EscapesHostileBytesInJson) {
  const std::string path = dir_.write("\xff\x1b.yaml", "\"\xc3\xa9\xff\x01");
  const auto end = run({"validate", "-o", "json", path});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_NE(end.out.find("\"file\": \"DIR/\\ufffd\\u001b.yaml\""), std::string::npos) << end.out;
  EXPECT_EQ(end.err, "");
}

}  // namespace
}  // namespace patchbay::cli
