#include "cli/host_options.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/variable.h"

namespace patchbay::cli {
namespace {

/// As a prefix of paths: absolute, without a slash at its end; empty for the root itself.
Result<std::string> prefix_of(const std::string& directory) {
  if (directory.empty()) return std::string{};
  const std::string shown = "--host-root: " + printable(directory, 500);
  std::error_code error;
  const auto path = std::filesystem::canonical(directory, error);
  if (error) return fail_errno(shown, error.value());
  if (!std::filesystem::is_directory(path, error)) return fail(shown + " is no directory");
  return path == "/" ? std::string{} : path.string();
}

Result<void> check_rules(const rules::Plan& plan) {
  for (const rules::Rule& rule : plan.index.all()) {
    const auto& match = plan.group(rule).matcher(rule.role);
    if (match.kind() != RuleKind::subsystem && match.kind() != RuleKind::sysfs) {
      continue;
    }
    return fail(fmt::format(
        "{}:{}: a {} rule looks at /sys and /run/udev, which --host-root cannot move; mount the "
        "host's there and leave --host-root out",
        printable(match.at().source->name, 500), match.at().line, rule_word(match.kind())));
  }
  return {};
}

}  // namespace

Result<host::HostOptions> host_options(const HostCommandOptions& options, const rules::Plan& plan,
                                       bool watch) {
  auto root = prefix_of(options.host_root);
  if (!root) return std::unexpected(std::move(root).error());
  if (!root->empty()) {
    if (auto fits = check_rules(plan); !fits) return std::unexpected(std::move(fits).error());
  }
  return host::HostOptions{
      .receive_buffer_bytes = options.udev_buffer_bytes,
      .rescan_period = options.rescan_period,
      .watch = watch,
      .root = host::HostRoot(*std::move(root)),
  };
}

}  // namespace patchbay::cli
