#include "config/foreign_words.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/text.h"

namespace patchbay::config {
namespace {

constexpr std::string_view kManifest =
    "this file is not a Kubernetes manifest: write 'defaults' and 'resources' at the top level; to "
    "deploy it, put it into a ConfigMap as text";
constexpr std::string_view kLabels =
    "node labels are not available: select nodes by name (node), by paths (glob) and by the "
    "content of files (file)";
constexpr std::string_view kAllOrAnyHint =
    "all keys of a block must match; for alternatives write any: [{…}, {…}]";
constexpr std::string_view kNoHttp =
    "there is no HTTP probe: {tcp: \"HOST:PORT\"} checks that the port accepts connections, and "
    "{exec: [/usr/bin/curl, -fs, URL]} requests a page";

constexpr std::string_view kOneOfAList =
    "write a text without an operator, vendor: \"10de\"; for alternatives write a list: [a, b]";
constexpr std::string_view kOperators =
    "a condition is a text; In is a list, [a, b]; NotIn is {not: [a, b]}; Exists is {exists: "
    "true}; Gt is {gt: 5}";
constexpr std::string_view kFeatures =
    "features have no names: their values are keys of match, such as pci: {vendor: \"10de\", "
    "class: \"03\"}";
constexpr std::string_view kRdma =
    "to match functions with RDMA write attribute: {infiniband/*/node_type: {exists: true}} beside "
    "subsystem: pci; to add the verbs device see members:";
constexpr std::string_view kPlainResource =
    "a resource is not a Kubernetes object: write name: and description: directly in it; it has no "
    "labels";
constexpr std::string_view kDevicePathHint =
    "match a directory with match: {sysfs: /sys/devices/…}; match a device's location with usb: "
    "{port: …}, pci: {address: …} or property: {ID_PATH: …}";

constexpr std::array kKeys{
    // The file.
    ForeignKey{"config", "metadata labels annotations data", "", kManifest},
    ForeignKey{"config", "spec resourceList resource devices plugins items", "resources"},
    ForeignKey{"config", "version", "apiVersion", "apiVersion: patchbay/v1"},
    ForeignKey{"config", "domain resourcePrefix vendor prefix", "defaults",
               "defaults: {domain: vendor.example}"},
    ForeignKey{"defaults", "resourcePrefix vendor prefix namespace", "domain"},
    ForeignKey{"defaults", "health probes livenessProbe", "probe",
               "write the probes in each resource's health"},
    // A resource or a group in it.
    ForeignKey{"resource", "resourceName resource", "name"},
    ForeignKey{"resource", "resourcePrefix domain vendor", "name",
               "vendor.example/name; or defaults: {domain: vendor.example} for all"},
    ForeignKey{"resource group", "nodeSelector nodes nodeName affinity", "when",
               "when: {node: \"bench-*\"}"},
    ForeignKey{"resource", "shared", "claim",
               "shared lets other resources use its devices, too; to give one device to "
               "several containers write share: {count: 4}"},
    ForeignKey{"resource", "exclusive", "claim",
               "resources are exclusive by default: remove the line"},
    ForeignKey{"resource group", "metadata spec", "", kPlainResource},
    ForeignKey{"resource group", "matchFeatures matchAny matchExpressions matchName", "match",
               kFeatures},
    ForeignKey{"resource group", "deviceType", "match",
               "netDevice is match: {subsystem: pci, pci: {class: \"02\"}}, accelerator is class: "
               "\"12\""},
    ForeignKey{"resource group", "isRdma needVhostNet", "", kRdma},
    ForeignKey{"resource group", "rdmaHcaMax capacity", "share", "share: {count: 4}"},
    ForeignKey{"resource group", "failRequestsGreaterThanOne", "share",
               "share: {count: 4, perContainer: 1}"},
    ForeignKey{"resource group", "timeSlicing", "share", "share: {count: 4}"},
    ForeignKey{"resource group", "additionalInfo brokerProperties", "envs"},
    ForeignKey{"resource group", "pciVendorSelector pciDeviceSelector mdevNameSelector", "match",
               R"(match: {subsystem: pci, pci: {vendor: "10de", device: "1eb8"}})"},
    ForeignKey{"resource group", "selector selectors filter rules udevRules devicematch", "match"},
    ForeignKey{"resource group", "path paths devicePath", "match", "match: {glob: /dev/line*}"},
    ForeignKey{"resource group", "groupBy", "by"},
    ForeignKey{"resource group", "uid unitId", "id"},
    ForeignKey{"resource group", "replicas slots sharing maxSharedUsers nummaxdevices", "share",
               "share: {count: 4}"},
    ForeignKey{"resource group", "env environment", "envs"},
    ForeignKey{"resource group", "volumes volumeMounts", "mounts"},
    ForeignKey{"resource group", "probe probes livenessProbe readinessProbe healthCheck", "health"},
    ForeignKey{"resource group", "lifecycle hooks initContainers preStartContainer postStart",
               "preStart"},
    ForeignKey{"group", "name description", "",
               "write it in the resource: a group does not have it"},
    ForeignKey{"resource", "numa excludeTopology", "topology", "topology: none"},
    // The container's devices, mounts and variables.
    ForeignKey{"device mount", "path source src devicePath pathOnHost", "hostPath"},
    ForeignKey{"device mount", "mountPath target destination dst pathInContainer", "containerPath"},
    ForeignKey{"device", "permission cgroupPermissions access", "permissions"},
    ForeignKey{"device", "fileMode", "mode", "mode: \"0660\", with cdi: write"},
    ForeignKey{"device", "user owner", "uid", "a number, with cdi: write"},
    ForeignKey{"device", "group", "gid", "a number, with cdi: write"},
    ForeignKey{"device", "readOnly", "permissions", "permissions: r"},
    ForeignKey{"device", "required", "optional",
               "which has the opposite meaning; without it the entry is required"},
    ForeignKey{"device", "type name major minor", "",
               "a device needs hostPath only: /dev/kfd, or $(devnode) of the matched device"},
    ForeignKey{"mount", "mode", "readOnly"},
    ForeignKey{"mount", "name type subPath mountPropagation", "",
               "a mount maps hostPath of the host to containerPath in the container"},
    ForeignKey{"mount", "permissions", "readOnly", "with false, the container can write"},
    ForeignKey{"env", "valueFrom fieldRef", "value",
               "write values of the device or the node as $(usb.serial), $(node)"},
    ForeignKey{"env", "separator delimiter sep", "join"},
    ForeignKey{"env", "name", "", "write the name as the key: NAME: {value: …}"},
    ForeignKey{"env", "default fallback", "value", "write a fallback as $(usb.serial:-none)"},
    // Units.
    ForeignKey{"resource group member", "count", "",
               "for the number of devices in a unit write size: 2; to give one unit to several "
               "containers write share: {count: 2}"},
    ForeignKey{"member", "optional required", "size", "size: 0+ for one that may be missing"},
    ForeignKey{"member", "subsystem glob sysfs usb pci driver", "match"},
    ForeignKey{"share", "replicas replica copies slots times shares", "count"},
    ForeignKey{"share", "failRequestsGreaterThanOne", "perContainer", "perContainer: 1"},
    ForeignKey{"share", "size slice unit", "each"},
    ForeignKey{"share", "memory capacity", "total"},
    // A match and the blocks in it.
    ForeignKey{
        "any all except", "subsystem", "",
        "write it once, beside any, all and except; for several subsystems: subsystem: [tty, net]"},
    ForeignKey{"any all except", "sysfs glob static", "",
               "write it once, beside any, all and except; for several kinds of matches write "
               "groups in the resource"},
    ForeignKey{"match", "paths file_path files", "glob",
               "glob: /dev/line*; for the node of a device that subsystem matches, write devnode"},
    ForeignKey{"match any all except ancestor", "kernel interface ifname sysname", "name"},
    ForeignKey{"ancestor", "kernels", "name"},
    ForeignKey{"match any all except", "kernels subsystems parent parents", "ancestor",
               "ancestor: {subsystem: usb, name: \"1-2\"}"},
    ForeignKey{"match any all except ancestor", "drivers module", "driver"},
    ForeignKey{"match any all except ancestor", "attr sysattr", "attribute"},
    ForeignKey{"match any all except ancestor", "attrs", "attribute",
               "attribute: {idVendor: \"0403\"}; for a parent device write it in ancestor"},
    ForeignKey{"match any all except ancestor", "env udev properties", "property"},
    ForeignKey{"match any all except ancestor", "symlink symlinks byId", "link",
               "link: \"/dev/serial/by-id/*\""},
    ForeignKey{"match any all except ancestor", "tags", "tag"},
    ForeignKey{"match any all except ancestor", "dev device", "devnode"},
    ForeignKey{"match any all except ancestor", "node nodeName hostname", "",
               "for the node's name write when: {node: bench-1} beside match; for a device node "
               "write devnode: /dev/ttyUSB0"},
    ForeignKey{"match any all except ancestor", "devpath syspath", "", kDevicePathHint},
    ForeignKey{"match any all except ancestor", "isRdma", "", kRdma},
    ForeignKey{"match any all except ancestor", "deviceType", "pci",
               R"(pci: {class: "02"} for netDevice, class: "12" for accelerator)"},
    ForeignKey{"match any all except ancestor", "rootDevices", "pci",
               "pci: {physfn: \"0000:86:00.0\"}, of virtual functions"},
    ForeignKey{"match any all except ancestor", "pciVendorSelector pciDeviceSelector", "pci",
               R"(pci: {vendor: "10de", device: "1eb8"})"},
    ForeignKey{"match any all except ancestor", "mdevNameSelector", "attribute",
               "attribute: {mdev_type/name: \"GRID T4-1B\"}"},
    ForeignKey{"match any all except ancestor", "acpiIndexes acpiIndex", "attribute",
               "attribute: {acpi_index: \"101\"}, of the PCI function"},
    ForeignKey{"match any all except ancestor", "linkTypes", "attribute",
               "attribute: {net/*/type: \"1\"}, with 32 for InfiniBand"},
    ForeignKey{"match any all except ancestor", "ifNames", "name",
               "name: ens1f0, of devices of subsystem: net"},
    ForeignKey{"match any all except", "matchAny", "any"},
    ForeignKey{"match any all except ancestor", "matchFeatures matchExpressions matchName", "",
               kFeatures},
    ForeignKey{"match any all except ancestor", "mac macAddress address", "attribute",
               "attribute: {address: \"00:0c:0b:0a:09:08\"}, in small letters"},
    ForeignKey{"match any all except ancestor", "numa", "numaNode"},
    ForeignKey{"match any all except ancestor", "iommu", "iommuGroup"},
    ForeignKey{"match any all except ancestor", "idVendor idProduct vid pid serial", "usb",
               R"(usb: {vendor: "0403", product: "6001", serial: "A1*"})"},
    ForeignKey{"match any all except ancestor", "pciAddress pciAddresses bdf", "pci",
               "pci: {address: \"0000:3b:00.0\"}"},
    ForeignKey{"match any all except ancestor", "pfNames pf", "pci", "pci: {pfName: ens1f0}"},
    ForeignKey{"match any all except ancestor", "vendor vendors", "",
               R"(it is in usb: {vendor: "0403"}, or in pci: {vendor: "15b3"})"},
    ForeignKey{"match any all except", "or oneOf anyOf", "any"},
    ForeignKey{"match any all except", "not exclude none noneOf unless", "except",
               "except: {name: \"lo*\"}"},
    ForeignKey{"match any all except when", "and allOf", "all"},
    ForeignKey{"ancestor", "and all allOf", "", kAllOrAnyHint},
    ForeignKey{"usb", "idVendor vendorId vid", "vendor"},
    ForeignKey{"usb", "idProduct productId pid device", "product"},
    ForeignKey{"usb", "serialNumber sn", "serial"},
    ForeignKey{"usb", "bus devnum busid path", "port"},
    ForeignKey{"usb", "manufacturer class speed", "",
               "for the USB device's files write ancestor: {subsystem: usb, devtype: usb_device, "
               "attribute: {manufacturer: \"FTDI\"}}"},
    ForeignKey{"pci", "vendorId vid", "vendor"},
    ForeignKey{"pci", "deviceId product productId pid did", "device"},
    ForeignKey{"pci", "subvendor subsystemVendorId svid", "subsystemVendor"},
    ForeignKey{"pci", "subdevice subsystemId ssid", "subsystemDevice"},
    ForeignKey{"pci", "pciAddress bdf slot addresses", "address"},
    ForeignKey{"pci", "pf pfNames", "pfName"},
    ForeignKey{"pci", "rootDevices", "physfn", "the address of the physical function"},
    ForeignKey{"pci", "vfs vfIndex vfNumber", "vf"},
    ForeignKey{"pci", "drivers module", "driver"},
    // A condition.
    ForeignKey{"condition", "in oneOf or any anyOf", "",
               "for alternatives write a list without an operator: [a, b]"},
    ForeignKey{"condition", "value values", "", kOneOfAList},
    ForeignKey{"condition", "notIn", "not", "not: [a, b]"},
    ForeignKey{"condition", "ne neq notEqual nin except", "not"},
    ForeignKey{"condition", "eq equals equal text", "is"},
    ForeignKey{"condition", "re regexp matches match", "regex"},
    ForeignKey{"condition", "pattern glob like", "",
               "write a pattern without an operator: \"tty*\""},
    ForeignKey{"condition", "contains startsWith endsWith prefix suffix", "",
               R"(these are patterns, without a key: "*part*", "begin*", "*end")"},
    ForeignKey{"condition", "gte min minimum", "ge"},
    ForeignKey{"condition", "lte max maximum", "le"},
    ForeignKey{"condition", "present absent missing", "exists"},
    ForeignKey{"condition", "op operator", "", kOperators},
    // The nodes of a resource.
    ForeignKey{"when", "nodeName nodes name names hostname host", "node"},
    ForeignKey{"when", "path paths exists", "glob"},
    ForeignKey{"when", "nodeSelector label labels matchLabels matchExpressions", "", kLabels},
    ForeignKey{"when", "not exclude none", "except"},
    ForeignKey{"when", "or anyOf oneOf", "any"},
    // Health.
    ForeignKey{"health probe", "periodSeconds interval every", "period", "period: 10s"},
    ForeignKey{"health probe", "timeoutSeconds", "timeout", "timeout: 2s"},
    ForeignKey{"health probe", "retries failures", "failureThreshold"},
    ForeignKey{"health probe", "successes", "successThreshold"},
    ForeignKey{"health", "initialDelaySeconds initialDelay startPeriod", "initial",
               "with unhealthy, a unit cannot be allocated until a probe has passed"},
    ForeignKey{"health", "http https httpGet url grpc", "", kNoHttp},
    ForeignKey{"health", "tcpSocket port address", "tcp", "tcp: \"HOST:PORT\""},
    ForeignKey{"health", "command cmd script run program test", "exec"},
    ForeignKey{"health", "attr attrs", "attribute"},
    ForeignKey{"health", "env udev", "property"},
    ForeignKey{"health", "path device devnode", "open"},
    ForeignKey{"health", "carrier link", "attribute", "attribute: {carrier: \"1\"}"},
    ForeignKey{"open", "device devnode file", "path"},
    ForeignKey{"open", "flags permissions", "mode"},
    ForeignKey{"flap", "count threshold max", "changes"},
    ForeignKey{"flap", "window period interval", "within"},
    ForeignKey{"flap", "cooldown backoff for", "hold"},
    // Steps before a container starts.
    ForeignKey{"preStart", "command cmd script run program shell", "exec"},
    ForeignKey{"preStart", "sleep delay waitFor", "wait", "wait: {path: $(devnode), for: 5s}"},
    ForeignKey{"preStart", "reset resetUsb", "usbReset"},
    ForeignKey{"preStart", "echo sysfs attribute file", "write",
               "write: {path: $(syspath)/power/control, value: \"on\"}"},
    ForeignKey{"write", "file target to", "path"},
    ForeignKey{"write", "text content data", "value"},
    ForeignKey{"wait", "file device devnode exists", "path"},
    ForeignKey{"wait", "timeout timeoutSeconds seconds limit", "for", "for: 5s"},
};

constexpr std::array kValues{
    ForeignValue{"topology", "off false no n never disabled 0", "none"},
    ForeignValue{"topology", "true yes y on always enabled 1 numa", "auto"},
    ForeignValue{"claim", "true yes share", "shared"},
    ForeignValue{"claim", "false no private own", "exclusive"},
    ForeignValue{"prefer", "balanced round-robin", "spread"},
    ForeignValue{"prefer", "dense binpack compact", "packed"},
    ForeignValue{"prefer", "topology", "numa"},
    ForeignValue{"deviceInfo", "true yes on", "pci"},
    ForeignValue{"mode", "ro read readonly O_RDONLY", "r"},
    ForeignValue{"mode", "write O_WRONLY", "w"},
    ForeignValue{"mode", "wr readwrite O_RDWR", "rw"},
    ForeignValue{"type", "c character chardev characterDevice", "char"},
    ForeignValue{"type", "b blk blockDevice disk", "block"},
    ForeignValue{"type", "f regular fileOrCreate", "file"},
    ForeignValue{"type", "d directory folder directoryOrCreate", "dir"},
    ForeignValue{"type", "s sock unix", "socket"},
    ForeignValue{"initial", "true up ok good", "healthy"},
    ForeignValue{"initial", "false down bad unknown", "unhealthy"},
    ForeignValue{"onError", "fail failed error", "unhealthy"},
    ForeignValue{"onError", "skip continue keep healthy", "ignore"},
};

bool contains_word(std::string_view words, std::string_view word) {
  const auto entries = split(words, ' ');
  return std::ranges::any_of(entries, [&](std::string_view entry) {
    return normalise_word(entry) == normalise_word(word);
  });
}

}  // namespace

std::span<const ForeignKey> foreign_keys() { return kKeys; }
std::span<const ForeignValue> foreign_values() { return kValues; }

const ForeignKey* find_foreign_key(std::string_view block, std::string_view word) {
  const auto* const found = std::ranges::find_if(kKeys, [&](const ForeignKey& key) {
    return contains_word(key.blocks, block) && contains_word(key.words, word);
  });
  return found == kKeys.end() ? nullptr : found;
}

std::string_view find_foreign_value(std::string_view key, std::string_view value) {
  const auto* const found = std::ranges::find_if(kValues, [&](const ForeignValue& foreign) {
    return foreign.key == key && contains_word(foreign.values, value);
  });
  return found == kValues.end() ? std::string_view{} : found->replacement;
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
