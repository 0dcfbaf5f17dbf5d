#include "rules/udev_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "rules/matcher.h"

namespace patchbay::rules {
namespace {

constexpr std::string_view kDev = "/dev/";

/// Of what udev renames.
bool is_renamed(std::string_view part) { return part == "net" || part.starts_with("infiniband"); }

bool has_renamed_part(std::string_view path) {
  return std::ranges::any_of(split(path, '/'), is_renamed);
}

/// Below /dev, where the kernel makes nodes and udev makes no links.
bool is_of_kernel(std::string_view rest) {
  constexpr std::array<std::string_view, 2> kDirectories{"bus/usb/", "vfio/"};
  constexpr std::array<std::string_view, 2> kNodes{"$(name)", "null"};
  const std::string_view path = rest.substr(0, rest.find_first_of(" \t\n\"';,:&|<>"));
  return std::ranges::find(kNodes, path) != kNodes.end() ||
         std::ranges::any_of(kDirectories, [&](auto one) { return path.starts_with(one); });
}

/// In a path, or anywhere in an argument. As it is written, so that fallbacks count as well.
bool may_be_of_udev(std::string_view text) {
  if (text.find("/run/udev") != std::string_view::npos) return true;
  for (size_t at = text.find(kDev); at != std::string_view::npos; at = text.find(kDev, at)) {
    at += kDev.size();
    if (!is_of_kernel(text.substr(at))) return true;
  }
  return false;
}

bool any_of_udev(const std::vector<Template>& texts) {
  return std::ranges::any_of(texts, [](const auto& text) { return may_be_of_udev(text.text()); });
}

bool any_file_of_udev(const Matcher& match) {
  std::vector<Matcher::Named> named;
  match.add_named(named);
  return std::ranges::any_of(
      named, [](const auto& one) { return one.fact == Fact::file && may_be_of_udev(one.text); });
}

bool asks_udev(const ProbePlan& probe) {
  return probe.kind == Check::Kind::properties || any_of_udev(probe.texts) ||
         std::ranges::any_of(probe.tests, [](const ProbePlan::Test& test) {
           return test.path && may_be_of_udev(test.path->text());
         });
}

}  // namespace

bool asks_for_names_of_udev(const WantedFacts& wanted) {
  return std::ranges::any_of(wanted.facts,
                             [](const FactName& name) {
                               if (name.fact == Fact::pci) return name.argument == "pfName";
                               return name.fact == Fact::attribute &&
                                      has_renamed_part(name.argument);
                             }) ||
         std::ranges::any_of(
             wanted.above, [](const WantedFacts& above) { return asks_for_names_of_udev(above); });
}

bool asks_for_names_of_udev(const GroupPlan& group) {
  for (Role role = 0; role < group.roles(); ++role) {
    if (any_file_of_udev(group.matcher(role))) return true;
  }
  return std::ranges::any_of(group.devices,
                             [](const DeviceEntry& entry) {
                               return entry.host_path && may_be_of_udev(entry.host_path->text());
                             }) ||
         std::ranges::any_of(
             group.mounts,
             [](const MountEntry& entry) { return may_be_of_udev(entry.host_path.text()); }) ||
         std::ranges::any_of(group.health, asks_udev) ||
         std::ranges::any_of(group.pre_start,
                             [](const StepPlan& step) { return any_of_udev(step.texts); });
}

bool has_name_of_udev(std::string_view syspath) { return has_renamed_part(syspath); }

}  // namespace patchbay::rules
