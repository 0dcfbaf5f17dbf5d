#include "cli/standalone_lines.h"

#include <utility>

#include "base/text.h"
#include "cli/find_unit.h"
#include "cli/terminal.h"

namespace patchbay::cli {
namespace {

using Kind = LineCommand::Kind;

void say(const std::string& text) { print_error(printable(text, 1000) + "\n"); }

}  // namespace

StandaloneLines::StandaloneLines(rules::PlanPtr plan, const ListPrinter& lists, KubeletCalls calls,
                                 std::function<void()> quit)
    : plan_(std::move(plan)), lists_(lists), calls_(std::move(calls)), quit_(std::move(quit)) {}

void StandaloneLines::add(const std::string& line) {
  lines_.push_back(line);
  obey_next();
}

void StandaloneLines::begin() {
  begun_ = true;
  obey_next();
}

void StandaloneLines::obey_next() {
  while (begun_ && !waiting_ && !lines_.empty()) {
    const auto command = read_line_command(lines_.front());
    lines_.pop_front();
    if (command) {
      obey(*command);
    } else {
      print_error(command.error().message + "\n");
    }
  }
}

void StandaloneLines::obey(const LineCommand& command) {
  if (command.kind == Kind::nothing) return;
  if (command.kind == Kind::help) return print_error(line_help());
  if (command.kind == Kind::list) {
    print(lists_.table());
  } else if (command.kind == Kind::quit) {
    lines_.clear();
    quit_();
  } else if (const auto found = find_resource(*plan_, command.resource)) {
    call(command, plan_->resources[*found].name);
  } else {
    say(found.error().message);
    print_error(usage_of(command.kind) + "\n");
  }
}

void StandaloneLines::call(const LineCommand& command, const std::string& resource) {
  calls_.allocate(resource, command.ids,
                  then<standin::AllocateAnswer>([](const auto& answer) { print(answer + "\n"); }));
}

template <typename T, typename Print>
KubeletCalls::Done<T> StandaloneLines::then(const Print& print_answer) {
  waiting_ = true;
  return [this, print_answer](const Result<T>& answer) {
    waiting_ = false;
    if (!answer) {
      say(answer.error().message);
    } else {
      print_answer(*answer);
    }
    obey_next();
  };
}

}  // namespace patchbay::cli
