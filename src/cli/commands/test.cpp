#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/commands/case_diff.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_input.h"
#include "cli/commands/host_discovery.h"
#include "cli/commands/resolution_view.h"
#include "cli/commands/test_cases.h"
#include "cli/commands/test_view.h"
#include "cli/commands/text_file.h"
#include "cli/options/option_values.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/terminal.h"
#include "config/loader.h"
#include "daemon/configuration.h"
#include "inventory/allocate.h"
#include "plugin/plugin_messages.h"
#include "standin/kubelet_messages.h"

namespace patchbay::cli {
namespace {

using Sources = std::vector<std::shared_ptr<const config::Source>>;
using Clock = std::chrono::steady_clock;

constexpr auto kProgressAfter = std::chrono::seconds(1);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A change without a review can have any text here.
constexpr int kMostDepth = 50;

/// Removes times, and positions in configurations: they change without a change of the rules.
void remove_unstable_fields(Json& json) {
  if (!json.is_structured()) return;
  if (json.is_object()) {
    for (const char* key : {"since", "file", "line", "column"}) json.erase(key);
  }
  for (Json& inner : json) remove_unstable_fields(inner);
}

/// Adds the answer to Allocate for each unit alone.
void add_answers(Json& resources, const inventory::Resolution& resolution,
                 const paths::HostRoot& root) {
  const auto exists = [&](const std::string& path, bool device) {
    return root.exists(path, device);
  };
  for (size_t i = 0; i < resolution.resources.size(); ++i) {
    const inventory::Snapshot& snapshot = *resolution.resources[i].snapshot;
    for (size_t u = 0; u < snapshot.units.size(); ++u) {
      const inventory::Unit& unit = snapshot.units[u];
      const std::vector<std::string> ids{unit.shares > 0 ? unit.listed_id(0) : unit.id};
      const auto answer = inventory::allocate(snapshot, ids, exists);
      resources[i]["units"][u]["answer"] =
          answer ? Json::parse(standin::to_json_text(plugin::to_response(*answer)))
                 : Json{{"error", answer.error().message}};
    }
  }
}

Result<std::string> read_expected_file(const TestCase& test_case) {
  const std::string path = case_file(test_case, kCaseExpected);
  if (auto usable = check_case_file(test_case, path); !usable) {
    if (usable.error().number != ENOENT) return std::unexpected(std::move(usable).error());
    return fail(printable(path, 500) + " does not exist: write it with --update");
  }
  return read_text_file(path);
}

/// The cases of one command.
class TestRun {
 public:
  TestRun(const TestOptions& options, std::optional<Sources> shared_config)
      : options_(options), shared_config_(std::move(shared_config)) {}

  /// Runs the cases and prints the results.
  int run(const std::vector<TestCase>& cases) {
    for (const TestCase& test_case : cases) {
      auto result = result_of(test_case);
      if (!result) return kFailure;
      results_.push_back(*std::move(result));
      if (!is_json() &&
          print(case_text(results_.back(), options_.verbose, color())) != Printed::all) {
        return kFailure;
      }
      show_progress(cases.size());
    }
    const double seconds = seconds_since(start_);
    if (print(is_json() ? json_text(results_json(results_, seconds))
                        : summary_text(results_, seconds, color())) == Printed::failed) {
      return kFailure;
    }
    return all_passed(results_) ? kOk : kDiffers;
  }

 private:
  [[nodiscard]] bool is_json() const { return options_.output == OutputFormat::json; }
  [[nodiscard]] bool color() const { return !is_json() && wants_color(STDOUT_FILENO); }

  [[nodiscard]] Result<Sources> config_of(const TestCase& test_case) const {
    if (shared_config_) return *shared_config_;
    if (!test_case.config.empty()) return config::load_sources(std::vector{test_case.config});
    return fail(
        fmt::format("no configuration: give --config, or write {} in the directory of the "
                    "case or in one above",
                    kCaseConfig));
  }

  [[nodiscard]] Result<std::string> node_of(const TestCase& test_case) const {
    if (!options_.config.node.empty()) return options_.config.node;
    if (parse_node_name(test_case.node)) return test_case.node;
    return fail(
        fmt::format("'{}' cannot be a node's name: rename the directory, or give "
                    "--node-name",
                    printable(test_case.node)));
  }

  /// The content of expected.json. Null: nobody reads the output.
  [[nodiscard]] Result<std::optional<Json>> discover(const TestCase& test_case) const {
    const auto node = node_of(test_case);
    if (!node) return std::unexpected(node.error());
    const std::string machine = case_file(test_case, kCaseMachine);
    for (const std::string& path : {machine, shared_config_ ? machine : test_case.config}) {
      if (auto usable = check_case_file(test_case, path); !usable) {
        return std::unexpected(std::move(usable).error());
      }
    }
    const auto root = read_recorded_root(machine);
    if (!root) return std::unexpected(root.error());
    const auto sources = config_of(test_case);
    if (!sources) return std::unexpected(sources.error());
    const auto configuration = daemon::compile_configuration(*sources, *node);
    if (!configuration.plan) return fail(config::render(configuration.diagnostics, color()));
    std::optional<Json> json;
    const auto end =
        run_discovery(daemon::plan_for_this_node(configuration.plan, *root),
                      {.watch = false, .root = *root}, [&](const inventory::Inventory& inventory) {
                        json = findings_of(inventory, *root).json;
                        add_answers((*json)["resources"], inventory.last(), *root);
                        remove_unstable_fields(*json);
                        return false;
                      });
    if (!end) return std::unexpected(end.error());
    return json;
  }

  static void compare(const Json& found, CaseResult& result) {
    const auto text = read_expected_file(result.test_case);
    Json expected = Json::parse(
        text.value_or(""), [](int depth, auto, auto&) { return depth < kMostDepth; }, false);
    if (!text) {
      result.error = text.error().message;
    } else if (expected.is_discarded()) {
      result.error = printable(case_file(result.test_case, kCaseExpected), 500) +
                     " is not JSON: write it with --update";
    } else {
      remove_unstable_fields(expected);
      result.diff = case_diff(expected, found);
      if (result.diff.empty()) return;
    }
    result.outcome = CaseResult::Outcome::failed;
  }

  static void update(const std::string& found, CaseResult& result) {
    const auto text = read_expected_file(result.test_case);
    result.outcome =
        text && *text == found ? CaseResult::Outcome::unchanged : CaseResult::Outcome::written;
    if (result.outcome == CaseResult::Outcome::unchanged) return;
    if (const auto written = replace_text_file(case_file(result.test_case, kCaseExpected), found);
        !written) {
      result.outcome = CaseResult::Outcome::failed;
      result.error = written.error().message;
    }
  }

  /// Null: nobody reads the output.
  [[nodiscard]] std::optional<CaseResult> result_of(const TestCase& test_case) const {
    const auto start = Clock::now();
    CaseResult result{.test_case = test_case};
    const auto found = discover(test_case);
    if (found && !*found) return std::nullopt;
    if (!found) {
      result.outcome = CaseResult::Outcome::failed;
      result.error = found.error().message;
    } else if (options_.update) {
      update(json_text(**found), result);
    } else {
      compare(**found, result);
    }
    result.seconds = seconds_since(start);
    return result;
  }

  /// Once, on a terminal.
  void show_progress(size_t cases) {
    if (progress_shown_ || Clock::now() - start_ < kProgressAfter) return;
    progress_shown_ = true;
    if (is_terminal(STDERR_FILENO)) {
      print_error(fmt::format("{} of {} done…\n", results_.size(), count_text(cases, "case")));
    }
  }

  const TestOptions& options_;
  const std::optional<Sources> shared_config_;  ///< --config.
  const Clock::time_point start_ = Clock::now();
  std::vector<CaseResult> results_;
  bool progress_shown_ = false;
};

}  // namespace

int test(const TestOptions& options) {
  auto cases = find_cases(options.directories);
  if (!cases) return report_failure(cases.error());
  const std::string all = count_text(cases->size(), "case");
  if (options.selects) {
    std::erase_if(*cases, [&](const TestCase& one) { return !options.selects(one.name); });
  }
  if (cases->empty()) return report_failure({"--run matches none of " + all});
  std::optional<Sources> shared_config;
  if (!options.config.paths.empty()) {
    auto sources = config::load_sources(options.config.paths);
    if (!sources) return report_failure(sources.error());
    shared_config = *std::move(sources);
  }
  return TestRun(options, std::move(shared_config)).run(*cases);
}

}  // namespace patchbay::cli
