#include "cli/standalone/line_executor.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands/find_unit.h"
#include "cli/standalone/preference_query.h"
#include "cli/terminal/terminal.h"

namespace patchbay::cli {
namespace {

using LineKind = LineCommand::Kind;
using Ids = std::vector<std::string>;

void print_line(const std::string& text) { print_error(printable(text, 1000) + "\n"); }

std::string id_list(const Ids& ids) {
  Ids safe;
  for (const std::string& id : ids) safe.push_back(printable(id));
  return join(safe, " ");
}

}  // namespace

LineExecutor::LineExecutor(rules::PlanPtr plan, const ListPrinter& lists, KubeletCalls calls,
                           std::function<void()> quit)
    : plan_(std::move(plan)), lists_(lists), calls_(std::move(calls)), quit_(std::move(quit)) {}

void LineExecutor::add(const std::string& line) {
  lines_.push_back(line);
  execute_next();
}

void LineExecutor::begin() {
  begun_ = true;
  execute_next();
}

void LineExecutor::execute_next() {
  while (begun_ && !waiting_ && !lines_.empty()) {
    const auto command = read_line_command(lines_.front());
    lines_.pop_front();
    if (command) {
      execute(*command);
    } else {
      print_error(command.error().message + "\n");
    }
  }
}

void LineExecutor::execute(const LineCommand& command) {
  if (command.kind == LineKind::nothing) return;
  if (command.kind == LineKind::help) return print_error(line_help());
  if (command.kind == LineKind::list) {
    print(lists_.table());
  } else if (command.kind == LineKind::quit) {
    lines_.clear();
    quit_();
  } else if (const auto found = find_resource(*plan_, command.resource)) {
    call(command, plan_->resources[*found]->name);
  } else {
    print_line(found.error().message);
    print_error(usage_of(command.kind) + "\n");
  }
}

void LineExecutor::call(const LineCommand& command, const std::string& resource) {
  if (command.kind == LineKind::prefer) return prefer(command, resource);
  if (command.kind == LineKind::start) return start(command, resource);
  calls_.allocate(resource, command.ids,
                  then<standin::AllocateAnswer>([](const auto& answer) { print(answer + "\n"); }));
}

void LineExecutor::prefer(const LineCommand& command, const std::string& resource) {
  const auto options = calls_.options(resource);
  if (!options) return print_line(options.error().message);
  const auto query = preference_query(command, resource, lists_.list_of(resource));
  if (!query) return print_line(query.error().message);
  const std::string any = resource + " has no preference: the kubelet takes any";
  if (!options->preferred_allocation_available) return print_line(any);
  calls_.prefer(resource, *query, then<Ids>([any](const Ids& chosen) {
                  if (chosen.empty()) return print_line(any);
                  print(id_list(chosen) + "\n");
                }));
}

void LineExecutor::start(const LineCommand& command, const std::string& resource) {
  const auto options = calls_.options(resource);
  if (!options) return print_line(options.error().message);
  if (!options->pre_start_required) {
    return print_line(resource +
                      " has no preStart: the kubelet starts the container without a call");
  }
  calls_.pre_start(resource, command.ids, then<void>([resource, ids = command.ids] {
                     print("ready to start: " + resource + " " + id_list(ids) + "\n");
                   }));
}

template <typename T, typename Print>
KubeletCalls::Done<T> LineExecutor::then(const Print& print_answer) {
  waiting_ = true;
  return [this, print_answer](const Result<T>& answer) {
    waiting_ = false;
    if (!answer) {
      print_line(answer.error().message);
    } else if constexpr (std::is_void_v<T>) {
      print_answer();
    } else {
      print_answer(*answer);
    }
    execute_next();
  };
}

}  // namespace patchbay::cli
