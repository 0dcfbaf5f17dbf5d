#include "rules/lint/udev_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "rules/match/matcher.h"
#include "rules/plan/plan.h"

namespace patchbay::rules {
namespace {

constexpr std::string_view kDev = "/dev/";

/// Whether udev renames the devices of this path component.
bool is_renamed(std::string_view component) {
  return component == "net" || component.starts_with("infiniband");
}

bool has_renamed_component(std::string_view path) {
  return std::ranges::any_of(split(path, '/'), is_renamed);
}

/// Paths below /dev where the kernel creates nodes and udev creates no links.
bool is_of_kernel(std::string_view rest) {
  constexpr std::array<std::string_view, 2> kDirectories{"bus/usb/", "vfio/"};
  constexpr std::array<std::string_view, 2> kNodes{"$(name)", "null"};
  const std::string_view path = rest.substr(0, rest.find_first_of(" \t\n\"';,:&|<>"));
  return std::ranges::find(kNodes, path) != kNodes.end() ||
         std::ranges::any_of(kDirectories, [&](auto one) { return path.starts_with(one); });
}

/// Checks the text as written, so that fallbacks are included. The path can be anywhere in an
/// argument.
bool may_depend_on_udev(std::string_view text) {
  if (text.find("/run/udev") != std::string_view::npos) return true;
  for (size_t at = text.find(kDev); at != std::string_view::npos; at = text.find(kDev, at)) {
    at += kDev.size();
    if (!is_of_kernel(text.substr(at))) return true;
  }
  return false;
}

bool any_depends_on_udev(const std::vector<Template>& texts) {
  return std::ranges::any_of(texts,
                             [](const auto& text) { return may_depend_on_udev(text.text()); });
}

bool any_file_depends_on_udev(const Matcher& match) {
  std::vector<Matcher::HostReference> named;
  match.add_host_references(named);
  return std::ranges::any_of(named, [](const auto& one) {
    return one.fact == Fact::file && may_depend_on_udev(one.text);
  });
}

bool reads_udev_data(const ProbePlan& probe) {
  return probe.kind == Check::Kind::properties || any_depends_on_udev(probe.texts) ||
         std::ranges::any_of(probe.tests, [](const ProbePlan::Test& test) {
           return test.path && may_depend_on_udev(test.path->text());
         });
}

}  // namespace

bool uses_udev_names(const WantedFacts& wanted) {
  return std::ranges::any_of(wanted.facts,
                             [](const FactName& name) {
                               if (name.fact == Fact::pci) return name.argument == "pfName";
                               return name.fact == Fact::attribute &&
                                      has_renamed_component(name.argument);
                             }) ||
         std::ranges::any_of(wanted.above,
                             [](const WantedFacts& above) { return uses_udev_names(above); });
}

bool uses_udev_names(const GroupPlan& group) {
  for (Role role = 0; role < group.roles(); ++role) {
    if (any_file_depends_on_udev(group.matcher(role))) return true;
  }
  return std::ranges::any_of(group.devices,
                             [](const DeviceEntry& entry) {
                               return entry.host_path &&
                                      may_depend_on_udev(entry.host_path->text());
                             }) ||
         std::ranges::any_of(
             group.mounts,
             [](const MountEntry& entry) { return may_depend_on_udev(entry.host_path.text()); }) ||
         std::ranges::any_of(group.health, reads_udev_data) ||
         std::ranges::any_of(group.pre_start,
                             [](const StepPlan& step) { return any_depends_on_udev(step.texts); });
}

bool contains_udev_name(std::string_view syspath) { return has_renamed_component(syspath); }

}  // namespace patchbay::rules
