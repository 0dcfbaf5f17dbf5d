#include <string>

#include <gtest/gtest.h>

#include "rules/compiled.h"
#include "rules/lint/warnings.h"

namespace patchbay::rules {
namespace {

/// The printed notes for two resources with these keys.
std::string notes(const std::string& first, const std::string& second) {
  const auto resource = [](const std::string& name, const std::string& keys) {
    return "  - name: example.com/" + name + "\n    match: {subsystem: " + name + "}\n    " + keys +
           "\n";
  };
  const Compiled compiled = compile_resources(resource("a", first) + resource("b", second));
  EXPECT_NE(compiled.plan, nullptr);
  return compiled.printed;
}

TEST(Clashes, NotePointsAtEntryOfLaterResource) {
  EXPECT_EQ(notes("envs: {UART: $(id)}", "envs: {UART: $(name)}"),
            "lab.yaml:9:12: note: example.com/b could give a container the same environment "
            "variable as example.com/a (lab.yaml:6)\n"
            "        envs: {UART: $(name)}\n"
            "               ^\n"
            "  hint: the kubelet then uses only one of the two; give them different names, or make "
            "sure that no container requests both resources\n");
}

TEST(Clashes, NotesEnvNamesThatCanBeEqual) {
  const auto clash = [](const std::string& a, const std::string& b) {
    return !notes("envs: {" + a + ": $(id)}", "envs: {" + b + ": $(id)}").empty();
  };
  EXPECT_FALSE(clash("UART", "USB"));
  EXPECT_TRUE(clash("UART_$(slot)", "UART_$(slot)"));
  EXPECT_TRUE(clash("UART_$(slot)", "UART_12"));
  EXPECT_FALSE(clash("UART_$(slot)", "UART_A"));
  EXPECT_FALSE(clash("UART_$(slot)", "UART_"));
  EXPECT_TRUE(clash("A_$(name)_B", "A_x_$(name)"));
  EXPECT_FALSE(clash("A_$(name)_B", "A_$(name)_C"));
  EXPECT_TRUE(clash("A_$(name)_B", "A_$(name)_B_B"));
  EXPECT_TRUE(clash("A_$(name)", "A_B"));
  EXPECT_TRUE(clash("A_B", "A_$(name)"));
  EXPECT_TRUE(clash("\"A$(driver:-)\"", "A"));
}

TEST(Clashes, NotesContainerPathsThatCanBeEqual) {
  const auto clash = [](const std::string& a, const std::string& b) {
    return !notes("devices: [" + a + "]", "devices: [" + b + "]").empty();
  };
  EXPECT_FALSE(clash("/dev/kfd", "/dev/kfd")) << "the same device at the same path";
  EXPECT_FALSE(clash("$(devnode)", "{hostPath: $(devnode), permissions: rwm}"))
      << "$(devnode) differs for each unit";
  EXPECT_TRUE(clash("/dev/kfd", "{hostPath: /dev/kfd, permissions: rwm}"));
  EXPECT_TRUE(clash("{hostPath: $(devnode), containerPath: /dev/x$(slot)}",
                    "{hostPath: $(devnode), containerPath: /dev/x$(slot)}"));
  EXPECT_FALSE(clash("{hostPath: $(devnode), containerPath: /dev/x/$(name)}",
                     "{hostPath: $(devnode), containerPath: /dev/x/y/$(name)}"));
  EXPECT_FALSE(clash("{hostPath: /dev/a, containerPath: /dev/x}",
                     "{hostPath: /dev/a, containerPath: /dev/x}"));
  EXPECT_TRUE(clash("{hostPath: /dev/a, containerPath: /dev/x}",
                    "{hostPath: /dev/b, containerPath: /dev/x}"));
}

TEST(Clashes, NotesDeviceAndMountAtOnePath) {
  EXPECT_NE(notes("devices: [/dev/snd]", "mounts: [{hostPath: /dev/snd}]"), "");
  EXPECT_EQ(notes("mounts: [{hostPath: /opt/x}]", "mounts: [{hostPath: /opt/x}]"), "");
  EXPECT_NE(notes("mounts: [{hostPath: /opt/x}]", "mounts: [{hostPath: /opt/x, readOnly: false}]"),
            "");
}

TEST(Clashes, NotesEqualNamesWithDifferentValues) {
  EXPECT_NE(notes("annotations: {a/b: $(id)}", "annotations: {a/b: x}"), "");
  EXPECT_EQ(notes("envs: {MODE: fast}", "envs: {MODE: fast}"), "") << "the same value";
  EXPECT_NE(notes("envs: {MODE: fast}", "envs: {MODE: slow}"), "");
}

}  // namespace
}  // namespace patchbay::rules
