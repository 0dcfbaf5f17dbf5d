#include "cli/standalone/standalone.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/unix_address.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "plugin/endpoint_name.h"
#include "rules/plan/plan.h"

namespace patchbay::cli {
namespace {

/// The length of the longest possible socket name in the directory.
size_t longest_name(const rules::Plan& plan) {
  size_t longest = std::string_view("kubelet.sock").size();
  for (const rules::ResourcePlanPtr& resource : plan.resources) {
    longest = std::max(longest, plugin::endpoint_name(resource->name, "00000000", 99'999).size());
  }
  return longest;
}

/// Returns an Error if sockets with names of that length would have too long a path.
Result<FreshDirectory> make_directory(size_t longest_name) {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error)
    return fail_errno("cannot use the directory for temporary files ($TMPDIR)", error.value());
  std::string path = parent / "pb-XXXXXX";
  if (path.size() + 1 + longest_name > kMaxSocketPath) {
    return fail("the path of sockets in " + shown(path) +
                " would be too long; set TMPDIR to a directory with a short path");
  }
  if (mkdtemp(path.data()) == nullptr) {
    return fail_errno("cannot create a directory in " + shown(parent.native()), errno);
  }
  return FreshDirectory(new std::string(std::move(path)));
}

}  // namespace

void RemoveDirectory::operator()(const std::string* path) const {
  std::error_code ignored;
  std::filesystem::remove_all(*path, ignored);
  delete path;
}

/// Posts the notifications of the kubelet's threads to the loop. The kubelet can outlive this
/// object, because a pending call keeps it alive.
template <typename Act>
auto Standalone::on_loop(Act act) {
  return
      [&loop = loop_, act = weak_self_.guard(act)](const std::string& resource, const auto& event) {
        loop.post([act, resource, event]() mutable { act(resource, event); });
      };
}

Result<void> Standalone::begin() {
  auto kubelet = standin::Kubelet::start({.directory = directory()}, events());
  if (!kubelet) return std::unexpected(std::move(kubelet).error());
  executor_.emplace(plan_, lists_, KubeletCalls(loop_, *std::move(kubelet)),
                    [this] { loop_.stop(); });
  if (plan_->resources.empty()) executor_->begin();
  start_input();
  return {};
}

void Standalone::start_input() {
  const bool terminal = is_terminal(STDIN_FILENO);
  const auto add = [this](const std::string& line) { executor_->add(line); };
  const auto end = [this, terminal] {
    if (terminal) loop_.stop();  // Ctrl-D
  };
  input_.emplace(loop_, LineInput::Listener{.line = add, .end = end});
  if (terminal) print_error(hint_ + "kubelet stand-in; type: help\n");
}

standin::KubeletEvents Standalone::events() {
  using Text = const std::string&;
  standin::KubeletEvents events;
  events.refused = on_loop([](Standalone&, Text resource, Text why) {
    print_error("refused " + shown(resource) + ": " + shown(why) + "\n");
  });
  events.listed = on_loop([](Standalone& self, Text resource, const Devices& devices) {
    self.listed(resource, devices);
  });
  events.ended =
      on_loop([](Standalone& self, Text resource, Text /*why*/) { self.lists_.ended(resource); });
  return events;
}

void Standalone::listed(const std::string& resource, const Devices& devices) {
  print(lists_.changed(resource, devices));
  listed_.insert(resource);
  if (listed_.size() >= plan_->resources.size()) executor_->begin();
}

Result<std::unique_ptr<Standalone>> Standalone::start(loop::UvLoop& loop, rules::PlanPtr plan,
                                                      std::string hint) {
  auto directory = make_directory(longest_name(*plan));
  if (!directory) return std::unexpected(std::move(directory).error());
  queue_output();
  std::unique_ptr<Standalone> standalone(
      new Standalone(loop, std::move(plan), *std::move(directory), std::move(hint)));
  if (auto begun = standalone->begin(); !begun) return std::unexpected(begun.error());
  return standalone;
}

}  // namespace patchbay::cli
