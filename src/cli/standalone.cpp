#include "cli/standalone.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/fresh_directory.h"
#include "cli/kubelet_calls.h"
#include "cli/line_editor.h"
#include "cli/line_input.h"
#include "cli/list_printer.h"
#include "cli/standalone_lines.h"
#include "cli/terminal.h"
#include "serve/endpoint_name.h"
#include "standin/kubelet.h"

namespace patchbay::cli {
namespace {

using Devices = std::vector<standin::ListedDevice>;

std::string shown(const std::string& text) { return printable(text, 1000); }

/// Of the sockets in the directory, the longest name that there can be.
size_t longest_name(const rules::Plan& plan) {
  size_t longest = std::string_view("kubelet.sock").size();
  for (const rules::ResourcePlanPtr& resource : plan.resources) {
    longest = std::max(longest, serve::endpoint_name(resource->name, "00000000", 99'999).size());
  }
  return longest;
}

class EmbeddedKubelet final : public Standalone {
 public:
  EmbeddedKubelet(loop::UvLoop& loop, rules::PlanPtr plan, FreshDirectory directory)
      : loop_(loop), plan_(std::move(plan)), directory_(std::move(directory)) {}

  Result<void> begin();

  [[nodiscard]] const std::string& directory() const override { return directory_.path(); }

 private:
  /// Passes what the kubelet's threads say to the loop. The kubelet may live a little longer than
  /// this object: a call that is under way keeps it.
  template <typename Act>
  auto on_loop(Act act) {
    return [&loop = loop_, act, self = std::weak_ptr(self_)](const std::string& resource,
                                                             const auto& said) {
      loop.post([act, self, resource, said] {
        if (const auto me = self.lock()) act(**me, resource, said);
      });
    };
  }

  standin::KubeletEvents events();
  void take_lines();
  void listed(const std::string& resource, const Devices& devices);
  void tell_editor();

  loop::UvLoop& loop_;
  rules::PlanPtr plan_;
  FreshDirectory directory_;
  std::set<std::string> listed_;  ///< Those that have been, once.
  ListPrinter lists_;
  std::shared_ptr<EmbeddedKubelet*> self_ = std::make_shared<EmbeddedKubelet*>(this);
  std::optional<StandaloneLines> lines_;  ///< Holds the kubelet.
  std::optional<LineInput> input_;
  std::optional<LineEditor> editor_;  ///< Or this, on a terminal.
};

Result<void> EmbeddedKubelet::begin() {
  auto kubelet = standin::Kubelet::start({.directory = directory()}, events());
  if (!kubelet) return std::unexpected(std::move(kubelet).error());
  lines_.emplace(plan_, lists_, KubeletCalls(loop_, *std::move(kubelet)), [this] { loop_.stop(); });
  if (plan_->resources.empty()) lines_->begin();
  take_lines();
  return {};
}

void EmbeddedKubelet::take_lines() {
  const auto add = [this](const std::string& line) { lines_->add(line); };
  if (LineEditor::possible()) {
    editor_.emplace(loop_, LineEditor::Listener{.line = add, .end = [this] { loop_.stop(); }});
    print_error("a kubelet of our own; type: help (Tab completes)\n");
    return;
  }
  input_.emplace(loop_, add);
  if (is_terminal(STDIN_FILENO)) print_error("a kubelet of our own; type: help\n");
}

standin::KubeletEvents EmbeddedKubelet::events() {
  using Text = const std::string&;
  standin::KubeletEvents events;
  events.refused = on_loop([](EmbeddedKubelet&, Text resource, Text why) {
    print_error("refused " + shown(resource) + ": " + shown(why) + "\n");
  });
  events.listed = on_loop([](EmbeddedKubelet& self, Text resource, const Devices& devices) {
    self.listed(resource, devices);
  });
  events.ended = on_loop(
      [](EmbeddedKubelet& self, Text resource, Text /*why*/) { self.lists_.ended(resource); });
  return events;
}

void EmbeddedKubelet::listed(const std::string& resource, const Devices& devices) {
  print(lists_.changed(resource, devices));
  if (editor_) tell_editor();
  listed_.insert(resource);
  if (listed_.size() >= plan_->resources.size()) lines_->begin();
}

void EmbeddedKubelet::tell_editor() {
  std::vector<ListedUnits> all;
  for (const auto& [resource, list] : lists_.lists()) {
    ListedUnits& units = all.emplace_back(ListedUnits{.resource = resource, .ids = {}});
    for (const auto& [id, device] : list) units.ids.push_back(id);
  }
  editor_->set_listed(std::move(all));
}

}  // namespace

Result<std::unique_ptr<Standalone>> Standalone::start(loop::UvLoop& loop, rules::PlanPtr plan) {
  auto directory = FreshDirectory::make(longest_name(*plan));
  if (!directory) return std::unexpected(std::move(directory).error());
  auto standalone = std::make_unique<EmbeddedKubelet>(loop, std::move(plan), *std::move(directory));
  if (auto begun = standalone->begin(); !begun) return std::unexpected(begun.error());
  return standalone;
}

}  // namespace patchbay::cli
