#include "config/foreign_words.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace patchbay::config {
namespace {

constexpr std::string_view kRdma =
    "to match functions with RDMA write attribute: {infiniband/*/node_type: {exists: true}} beside "
    "subsystem: pci; to add the verbs device see members:";
constexpr std::string_view kLocation =
    "match a directory with match: {sysfs: /sys/devices/…}; match a device's location with usb: "
    "{socket: …}, pci: {address: …} or property: {ID_PATH: …}";

constexpr std::array kKeys{
    // The generic device plugin, the SR-IOV network device plugin, NVIDIA's plugin and Akri.
    ForeignKey{"config", "resourceList devices", "resources"},
    ForeignKey{"config", "domain resourcePrefix", "defaults", "defaults: {domain: vendor.example}"},
    ForeignKey{"defaults", "resourcePrefix", "domain"},
    ForeignKey{"resource", "resourceName", "name"},
    ForeignKey{"resource", "resourcePrefix domain", "name",
               "vendor.example/name; or defaults: {domain: vendor.example} for all"},
    ForeignKey{"resource", "excludeTopology", "topology", "topology: none"},
    ForeignKey{"resource group", "deviceType", "match",
               "netDevice is match: {subsystem: pci, pci: {class: \"02\"}}, accelerator is class: "
               "\"12\""},
    ForeignKey{"resource group", "isRdma needVhostNet", "", kRdma},
    ForeignKey{"resource group", "replicas timeSlicing sharing capacity", "share",
               "share: {count: 4}"},
    ForeignKey{"resource group", "failRequestsGreaterThanOne", "share",
               "share: {count: 4, perContainer: 1}"},
    ForeignKey{"resource group", "additionalInfo brokerProperties", "envs"},
    ForeignKey{"resource group", "selectors udevRules", "match"},
    ForeignKey{"resource group", "path paths", "match", "match: {glob: /dev/line*}"},
    ForeignKey{"resource group member", "count", "",
               "for the number of devices in a unit write size: 2; to give one unit to several "
               "containers write share: {count: 2}"},
    ForeignKey{"device mount", "path", "hostPath"},
    ForeignKey{"device mount", "mountPath", "containerPath"},
    ForeignKey{"device", "readOnly", "permissions", "permissions: r"},
    ForeignKey{"device", "type", "",
               "a device needs hostPath only: write paths that are no device nodes in mounts:"},
    ForeignKey{"share", "replicas", "count"},
    ForeignKey{"share", "failRequestsGreaterThanOne", "perContainer", "perContainer: 1"},
    ForeignKey{"match", "paths", "glob",
               "glob: /dev/line*; for the node of a device that subsystem matches, write devnode"},
    ForeignKey{"match any all except ancestor", "isRdma", "", kRdma},
    ForeignKey{"match any all except ancestor", "deviceType", "pci",
               R"(pci: {class: "02"} for netDevice, class: "12" for accelerator)"},
    ForeignKey{"match any all except ancestor", "rootDevices", "pci",
               "pci: {physfn: \"0000:86:00.0\"}, of virtual functions"},
    ForeignKey{"match any all except ancestor", "acpiIndexes", "attribute",
               "attribute: {acpi_index: \"101\"}, of the PCI function"},
    ForeignKey{"match any all except ancestor", "linkTypes", "attribute",
               "attribute: {net/*/type: \"1\"}, with 32 for InfiniBand"},
    ForeignKey{"match any all except ancestor", "pciAddresses", "pci",
               "pci: {address: \"0000:3b:00.0\"}"},
    ForeignKey{"match any all except ancestor", "pfNames", "pci", "pci: {pfName: ens1f0}"},
    ForeignKey{"match any all except ancestor", "vendor vendors", "",
               R"(it is in usb: {vendor: "0403"}, or in pci: {vendor: "15b3"})"},
    ForeignKey{"pci", "pciAddresses", "address"},
    ForeignKey{"pci", "pfNames", "pfName"},
    ForeignKey{"pci", "rootDevices", "physfn", "the address of the physical function"},
    ForeignKey{"pci", "drivers", "driver"},
    // Kubernetes' ResourceSlices, and keys of dra in the wrong block.
    ForeignKey{"config", "driver", "dra", "dra: {driver: patchbay.lab.example.com}"},
    ForeignKey{"resource group", "attributes", "dra", "dra: {attributes: {serial: $(usb.serial)}}"},
    ForeignKey{"dra", "attributes", "", "write dra: {attributes: …} in a resource"},
    ForeignKey{"resource.dra", "driver", "",
               "write dra: {driver: …} once for all resources, beside resources:"},
    ForeignKey{"resource.dra", "releaseTimeout", "",
               "write it once for all resources, in dra: beside resources:"},
    ForeignKey{"dra.attribute", "integer", "int"},
    ForeignKey{"dra.attribute", "boolean", "bool"},
    ForeignKey{"dra.attribute", "string text value", "",
               "write the text without a key, such as serial: $(usb.serial)"},
    // udev.
    ForeignKey{"device", "owner", "uid", "a number, with cdi: write"},
    ForeignKey{"device", "group", "gid", "a number, with cdi: write"},
    ForeignKey{"match any all except ancestor", "kernel", "name"},
    ForeignKey{"ancestor", "kernels", "name"},
    ForeignKey{"match any all except", "kernels subsystems", "ancestor",
               "ancestor: {subsystem: usb, name: \"1-2\"}"},
    ForeignKey{"match any all except ancestor", "drivers", "driver"},
    ForeignKey{"match any all except ancestor", "attr", "attribute"},
    ForeignKey{"match any all except ancestor", "attrs", "attribute",
               "attribute: {idVendor: \"0403\"}; for a parent device write it in ancestor"},
    ForeignKey{"match any all except ancestor", "env", "property"},
    ForeignKey{"match any all except ancestor", "symlink", "link", "link: \"/dev/serial/by-id/*\""},
    ForeignKey{"match any all except ancestor", "tags", "tag"},
    ForeignKey{"match any all except ancestor", "devpath", "", kLocation},
    ForeignKey{"match any all except ancestor", "idVendor idProduct serial", "usb",
               R"(usb: {vendor: "0403", product: "6001", serial: "A1*"})"},
    ForeignKey{"usb", "idVendor", "vendor"},
    ForeignKey{"usb", "idProduct", "product"},
    // Former keys.
    ForeignKey{"defaults", "probe", "", "write the options in each probe"},
    ForeignKey{"health", "onError", "", "a probe that cannot run fails: remove the line"},
    ForeignKey{"defaults resource", "settle", "",
               "changes within 100 ms are always sent together: remove the line"},
    ForeignKey{"resource group", "flap", "",
               "failureThreshold and successThreshold of a probe damp changes"},
    ForeignKey{"health", "initial", "", "the first result decides: remove the line"},
    ForeignKey{"condition", "is", "",
               R"(write the text without a key: "ttyS0"; '100\*' is 100* itself)"},
    ForeignKey{"usb", "port", "socket"},
    ForeignKey{"when", "any", "", "write a list under node or glob, or two groups"},
    ForeignKey{"when", "all", "", "all keys of when must match; a group can have a when, too"},
    // Keys of match in its blocks.
    ForeignKey{"any all except", "subsystem sysfs glob static", "",
               "write it once, beside any, all and except; for several kinds of devices write "
               "groups in the resource"},
};

bool contains_normalised(std::string_view words, std::string_view word) {
  const auto entries = split(words, ' ');
  return std::ranges::any_of(entries, [&](std::string_view entry) {
    return normalise_word(entry) == normalise_word(word);
  });
}

}  // namespace

std::span<const ForeignKey> foreign_keys() { return kKeys; }

const ForeignKey* find_foreign_key(std::string_view block, std::string_view word) {
  const auto* const found = std::ranges::find_if(kKeys, [&](const ForeignKey& key) {
    return contains_normalised(key.blocks, block) && contains_normalised(key.words, word);
  });
  return found == kKeys.end() ? nullptr : found;
}

std::string normalise_word(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '-' || c == '_') continue;
    out += ascii_lower(c);
  }
  return out;
}

}  // namespace patchbay::config
