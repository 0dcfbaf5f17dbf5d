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
  std::string what;  ///< Empty: it may be a configuration of ours.
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"image: {repository: x}\nreplicaCount: 1\n", "the values file of a Helm chart"},
      {"image: {tag: x}\nnodeSelector: {}\n", "the values file of a Helm chart"},
      {"config: |\n  apiVersion: patchbay/v1\nimage: {repository: x}\n",
       "the values file of a Helm chart"},
      {"apiVersion: v2\nname: x\nversion: 1.0.0\n", "the Chart.yaml of a Helm chart"},
      {"services: {app: {image: x, devices: [/dev/ttyUSB0]}}\n", "a docker compose file"},
      {"version: \"3\"\nservices:\n  app:\n    build: .\n", "a docker compose file"},
      {"devices: [{name: serial, groups: [{paths: [{path: /dev/ttyUSB*}]}]}]\n",
       "a configuration of the generic device plugin"},
      {"name: serial\ngroups: [{paths: [{path: /dev/ttyUSB*}]}]\n",
       "a device of the generic device plugin"},
      {"name: stick\ngroups: [{usb: [{vendor: 0403, product: 6001}]}]\n",
       "a device of the generic device plugin"},
      {"genericDevicePlugin: {status: Enabled}\n", "a configuration of MicroShift"},
      {"- devicematch: ^ttyUSB[0-9]*$\n  nummaxdevices: 1\n",
       "a configuration of the smarter device manager"},
      {R"({"resourceList": [{"resourceName": "a", "selectors": {"vendors": ["8086"]}}]})",
       "a configuration of the SR-IOV network device plugin"},
      {R"({"periodicUpdateInterval": 300, "configList": [{"resourceName": "hca"}]})",
       "a configuration of the RDMA shared device plugin"},
      {"sources: {pci: {deviceClassWhitelist: [\"03\"]}}\n",
       "a configuration of Node Feature Discovery"},
      {"apiVersion: nfd.k8s-sigs.io/v1alpha1\nkind: NodeFeatureRule\n",
       "an object of Node Feature Discovery (kind NodeFeatureRule)"},
      {"apiVersion: akri.sh/v0\nkind: Configuration\nspec: {}\n",
       "an object of Akri (kind Configuration)"},
      {"version: v1\nsharing: {timeSlicing: {resources: []}}\n",
       "a configuration of NVIDIA's device plugin"},
      {"version: v1\nflags: {migStrategy: none}\n", "a configuration of NVIDIA's device plugin"},
      {"apiVersion: kubevirt.io/v1\nkind: KubeVirt\n", "an object of KubeVirt (kind KubeVirt)"},
      {"permittedHostDevices: {pciHostDevices: []}\n", "a section of a KubeVirt object"},
      {"apiVersion: sriovnetwork.openshift.io/v1\nkind: SriovNetworkNodePolicy\n",
       "an object of the SR-IOV operator (kind SriovNetworkNodePolicy)"},
      {"apiVersion: deviceplugin.intel.com/v1\nkind: GpuDevicePlugin\n",
       "an object of Intel's device plugins (kind GpuDevicePlugin)"},
      {"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n",
       "an object of Kubernetes' dynamic resource allocation (kind DeviceClass)"},
      {"apiVersion: v1\nkind: Pod\n", "an object of Kubernetes (kind Pod)"},
      {"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
       "an object of kustomize (kind Kustomization)"},
      {"resources: [a.yaml]\nconfigMapGenerator: [{name: x}]\n", "a kustomize file"},
      {"cdiVersion: 0.6.0\nkind: vendor.com/device\ndevices: []\n", "a CDI spec"},
      {"groups: [{name: x, rules: [{alert: y}]}]\n", "a Prometheus rule file"},
      {"SUBSYSTEM==\"tty\", ATTRS{idVendor}==\"0403\"\n", "a udev rule file"},
      // Ours, with mistakes.
      {"resources: [{name: a, match: {subsystem: tty}}]\n", ""},
      {"apiVersion: patchbay/v2\nkind: Config\nresources: []\n", ""},
      {"apiVersion: patchbay/v1\nkind: Config\nservices: {app: {image: x}}\n", ""},
      {"kind: Config\ndevices: [/dev/ttyUSB0]\n", ""},
      {"name: a\ngroups: [{match: {subsystem: tty, usb: {vendor: \"0403\"}}}]\n", ""},
      {"version: patchbay/v1\nkind: Config\n", ""},
      {"sources: [{name: a}]\n", ""},
      {"apiVersion: v1\nkind: ConfigMap\ndata: {}\n", ""},
      {"- name: a\n", ""},
      {"nothing\n", ""},
  };
  return all;
}

TEST(ForeignFileTest, ErrorNamesForeignFormatInOneLine) {
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
