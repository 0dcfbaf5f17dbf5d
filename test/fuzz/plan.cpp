#include "fuzz/plan.h"

#include "fuzz/must.h"
#include "rules/compiled.h"

namespace patchbay::fuzz {
namespace {

constexpr const char* kResources = R"yaml(
  - name: a.io/serial
    match:
      subsystem: tty
      property: {SERIAL: {regex: '(?P<first>[^-]*)(?:-(?P<rest>.*))?'}}
    id: $(property.SERIAL)
    devices:
      - {hostPath: $(devnode), containerPath: /dev/uart$(slot)}
      - {hostPath: "/dev/lab/$(capture.first)", optional: true}
    mounts:
      - {hostPath: "/opt/$(property.SERIAL)/lib", containerPath: "/lib/$(capture.rest:-none)"}
    envs:
      SERIALS: $(property.SERIAL)
      SERIAL_$(capture.first): {value: "$(capture.rest:-)", join: ""}
    annotations: {"a.io/$(capture.first)": $(link.by-id:-none)}
    health:
      - open: $(devnode)
      - exec: [/bin/true, $(capture.first), "--serial=$(property.SERIAL)"]
      - file: {"/run/lab/$(name)": {not: "$(name)*"}}
      - tcp: "$(property.SERIAL):5025"
    preStart:
      - exec: [/bin/true, "x$(capture.rest:-)"]
      - write: {path: $(syspath)/power/control, value: $(property.SERIAL)}
      - wait: {path: $(devnode)}
  - name: a.io/compared
    match:
      subsystem: hidraw
      attribute: {label: {regex: '$(name)+(?P<tail>.*)'}, size: {ge: "$(attribute.least:-2)"}}
      property: {OTHER: {not: "$(attribute.label)*"}}
      ancestor: {subsystem: usb, name: {not: "$(name)"}}
    envs: {TAIL: $(capture.tail)}
  - name: a.io/card
    match: {subsystem: video4linux}
    by: $(usb.socket)
    size: 1+
    members:
      microphone: {match: {subsystem: sound}, size: 0-4}
    share: {total: $(attribute.size), each: 1Ki, perContainer: 3}
    cdi: write
    devices:
      - $(devnode)
      - {hostPath: $(microphone.devnode), containerPath: "/dev/snd/$(microphone.name)"}
    envs: {"CARD_$(by)": "$(shares) $(microphone.usb.serial:-none)"}
  - name: a.io/nic
    deviceInfo: pci
    match: {subsystem: net, pci: {address: {exists: true}}}
    cdi: ["nvidia.com/gpu=$(pci.address)", "lab.example.com/x=$(name)"]
    envs: {NICS: $(name), NODES: "$(numaNode:-?)"}
  - name: a.io/vm
    claim: shared
    match: {glob: "/run/vm/*/net.sock", path: {regex: '/run/vm/(?P<vm>[^/]+)/.*'}}
    id: $(capture.vm)
    mounts: [{hostPath: $(path), containerPath: "/run/vm$(unit)", optional: true}]
  - name: a.io/anything
    claim: shared
    match: {subsystem: "*", any: [{tag: lab}, {driver: "f*"}, {link: "/dev/lab/*"}]}
)yaml";

}  // namespace

const rules::PlanPtr& hostile_plan() {
  static const rules::PlanPtr plan = [] {
    const auto compiled = rules::compile_resources(kResources);
    must(compiled.plan != nullptr, "a plan", compiled.printed);
    return compiled.plan;
  }();
  return plan;
}

}  // namespace patchbay::fuzz
