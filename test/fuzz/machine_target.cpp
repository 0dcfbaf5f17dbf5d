#include <string>
#include <vector>

#include "fuzz/must.h"
#include "fuzz/targets.h"
#include "host/facts/device_list.h"
#include "host/facts/device_tree.h"
#include "host/facts/lineage.h"
#include "host/facts/udev_record.h"
#include "machine/machine_files.h"
#include "machine/machine_text.h"
#include "machine/stand_ins.h"
#include "paths/host_root.h"

namespace patchbay::fuzz {
namespace {

/// The text of a machine file. Only snapshots have a header. The reader accepts more without it.
std::string written(const machine::Machine& machine, bool with_header) {
  std::string text = machine::write_machine(machine, {});
  if (!with_header) text.erase(0, text.find('\n') + 1);
  return text;
}

/// Reads the facts that need no rule.
void read_devices(const machine::Machine& machine) {
  const host::DeviceTree tree{paths::HostRoot(machine::files_of(machine))};
  host::UdevRecords records(tree);
  for (const std::string& syspath : host::list_kernel_devices(tree, {"*"})) {
    must(tree.contains(syspath), "a device is in the tree", syspath);
    static_cast<void>(host::hardware_lineages(tree, syspath));
    if (const auto record = records.find(syspath)) static_cast<void>(record->properties());
  }
}

}  // namespace

void examine_machine(std::string_view data) {
  const bool has_header = data.starts_with(machine::kHeader);
  auto read = machine::read_machine("input", data);
  if (!read) return must_be_plain(read.error().message, "an error is printable");
  read_devices(*read);
  const std::string text = written(*read, has_header);
  const auto again = machine::read_machine("written", text);
  must(again.has_value(), "a written machine can be read", text);
  must(written(*again, has_header) == text, "reading and writing change nothing", text);
  std::vector<std::string> notes;
  machine::replace_identifiers(*read, notes, {"bench-1"});
  const std::string replaced = written(*read, has_header);
  must(machine::read_machine("replaced", replaced).has_value(),
       "a machine with stand-ins can be read", replaced);
}

}  // namespace patchbay::fuzz
