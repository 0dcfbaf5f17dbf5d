#include "config/foreign_file.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/diagnostics.h"
#include "config/spec_reader.h"
#include "config/yaml_tree.h"

namespace patchbay::config {
namespace {

struct Case {
  std::string text;
  std::string what;  ///< The expected format; empty if the file may be Patchbay's.
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"devices: [{name: serial, groups: [{paths: [{path: /dev/ttyUSB*}]}]}]\n",
       "a configuration of the generic device plugin"},
      {R"({"resourceList": [{"resourceName": "a", "selectors": {"vendors": ["8086"]}}]})",
       "a configuration of the SR-IOV network device plugin"},
      {"apiVersion: akri.sh/v0\nkind: Configuration\nspec: {}\n",
       "an object of Akri (kind Configuration)"},
      {"version: v1\nsharing: {timeSlicing: {resources: []}}\n",
       "a configuration of NVIDIA's device plugin"},
      {"version: v1\nflags: {migStrategy: none}\n", "a configuration of NVIDIA's device plugin"},
      {"apiVersion: v1\nkind: Pod\n", "an object of Kubernetes (kind Pod)"},
      {"SUBSYSTEM==\"tty\", ATTRS{idVendor}==\"0403\"\n", "a udev rule file"},
      // Configurations of Patchbay with mistakes.
      {"resources: [{name: a, match: {subsystem: tty}}]\n", ""},
      {"apiVersion: patchbay/v2\nkind: Config\nresources: []\n", ""},
      {"apiVersion: patchbay/v1\nkind: Config\nservices: {app: {image: x}}\n", ""},
      {"kind: Config\ndevices: [/dev/ttyUSB0]\n", ""},
      {"name: a\ngroups: [{match: {subsystem: tty, usb: {vendor: \"0403\"}}}]\n", ""},
      {"version: patchbay/v1\nkind: Config\n", ""},
      {"apiVersion: v1\nkind: ConfigMap\ndata: {}\n", ""},
      {"- name: a\n", ""},
      {"nothing\n", ""},
  };
  return all;
}

TEST(ForeignFileTest, OneErrorNamesForeignFormat) {
  for (const Case& one : cases()) {
    const auto source = std::make_shared<const Source>(Source{"lab.yaml", one.text});
    Diagnostics diagnostics;
    const auto root = parse_yaml(source, diagnostics);
    ASSERT_TRUE(root) << render(diagnostics);
    const auto file = recognise_file(*root);
    EXPECT_EQ(file ? file->what : "", one.what) << one.text;
    if (one.what.empty()) continue;
    static_cast<void>(read_spec(source, diagnostics));
    ASSERT_EQ(diagnostics.error_count(), 1U) << render(diagnostics);
    EXPECT_EQ(diagnostics.all().front().message,
              "this is " + one.what + ", not a configuration of Patchbay");
    EXPECT_NE(diagnostics.all().front().hint, "") << one.text;
  }
}

}  // namespace
}  // namespace patchbay::config
