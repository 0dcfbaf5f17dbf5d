#include "rules/dra_compile.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "rules/plan/attribute.h"
#include "rules/text/position.h"
#include "rules/text/qualified_name.h"

namespace patchbay::rules {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMaxDriverBytes = 63;
constexpr milliseconds kDefaultReleaseTimeout = std::chrono::minutes(5);
constexpr milliseconds kMinReleaseTimeout = std::chrono::seconds(1);
constexpr milliseconds kMaxReleaseTimeout = std::chrono::hours(1);

/// The name is also the vendor of a CDI kind, which begins with a letter.
std::optional<std::string> driver_fault(std::string_view name) {
  if (auto fault = dns_name_fault(name, kMaxDriverBytes)) return fault;
  if (is_digit(name.front())) return "begins with a digit";
  return std::nullopt;
}

/// Reports the keys that resources with `serve: dra` do not have.
class DraKeyChecker {
 public:
  explicit DraKeyChecker(config::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void check(const config::ResourceSpec& spec) {
    if (spec.device_info) report_later(spec.device_info->at, "deviceInfo");
    if (!spec.prefer.empty()) {
      report(spec.prefer.front().at, "prefer",
             "the scheduler chooses the devices: write selectors and constraints in the "
             "ResourceClaim");
    }
    for (const config::GroupSpec& group : spec.groups) check(group);
  }

 private:
  void check(const config::GroupSpec& spec) {
    if (spec.share) report_later(spec.share->at, "share");
    if (!spec.annotations.empty()) {
      report(spec.annotations.front().name.at, "annotations",
             "the kubelet passes none from a DRA driver to the runtime: write envs:");
    }
    if (spec.cdi && spec.cdi->write) {
      report(spec.cdi->at, "cdi: write", "DRA always writes CDI specs: remove it");
    }
  }

  void report(const config::Position& at, std::string_view key, std::string hint) {
    diagnostics_.error(at, fmt::format("'{}' is not available with 'serve: dra'", key),
                       std::move(hint));
  }

  void report_later(const config::Position& at, std::string_view key) {
    diagnostics_.error(at, fmt::format("'{}' is not yet available with 'serve: dra'", key),
                       "remove it, or write serve: devicePlugin");
  }

  config::Diagnostics& diagnostics_;
};

}  // namespace

std::optional<std::string> compile_driver(std::span<const config::Spec> specs,
                                          config::Diagnostics& diagnostics) {
  const config::ErrorCheckpoint errors(diagnostics);
  std::optional<config::Located<std::string>> first;
  for (const config::Spec& spec : specs) {
    if (!spec.dra) continue;
    const config::Located<std::string>& written = spec.dra->driver;
    if (!first || first->value.empty()) {
      first = written;
      if (written.value.empty()) continue;  // The missing name is already reported.
      const auto fault = driver_fault(written.value);
      if (!fault) continue;
      diagnostics.error(written.at,
                        fmt::format("the driver's name '{}' {}", printable(written.value), *fault),
                        "write your own domain in lower case, for example "
                        "patchbay.lab.example.com");
    } else if (!written.value.empty() && written.value != first->value) {
      diagnostics.error(written.at,
                        fmt::format("the driver's name is '{}' at {}", printable(first->value),
                                    location_text(first->at)),
                        "a configuration has one driver: write dra: in one of the files");
    }
  }
  if (!first) return std::nullopt;
  return errors.any() ? std::string() : first->value;
}

milliseconds compile_release_timeout(std::span<const config::Spec> specs,
                                     config::Diagnostics& diagnostics) {
  std::optional<config::Located<milliseconds>> first;
  for (const config::Spec& spec : specs) {
    if (!spec.dra || !spec.dra->release_timeout) continue;
    const config::Located<milliseconds>& written = *spec.dra->release_timeout;
    if (written.value < kMinReleaseTimeout || written.value > kMaxReleaseTimeout) {
      diagnostics.error(written.at, "'releaseTimeout' is out of range",
                        "write a value from 1s to 1h");
    } else if (first && written.value != first->value) {
      diagnostics.error(
          written.at,
          fmt::format("'releaseTimeout' has another value at {}", location_text(first->at)),
          "a configuration has one driver: write dra: in one of the files");
    } else {
      first = written;
    }
  }
  return first ? first->value : kDefaultReleaseTimeout;
}

void check_serve(const config::ResourceSpec& spec, const std::string& full_name, bool has_driver,
                 config::Diagnostics& diagnostics) {
  if (!spec.serve || spec.serve->value != config::Serve::dra) {
    for (const config::GroupSpec& group : spec.groups) {
      if (!group.release.empty()) {
        diagnostics.error(group.release.front().at, "'release' needs 'serve: dra'",
                          "the kubelet does not report the end of a container to a device plugin: "
                          "write serve: dra in the resource, or remove release:");
      }
      if (!group.dra) continue;
      diagnostics.error(group.dra->at, "'dra' needs 'serve: dra'",
                        "write serve: dra in the resource, or remove dra:");
    }
    return;
  }
  if (!has_driver) {
    diagnostics.error(spec.serve->at, "'serve: dra' needs the name of a driver",
                      "write dra: {driver: patchbay.lab.example.com} beside resources:, with your "
                      "own domain");
  }
  if (full_name.size() > kMaxAttributeBytes) {
    diagnostics.error(spec.name.at,
                      fmt::format("the resource name has {} characters; with 'serve: dra' at most "
                                  "{} are allowed",
                                  full_name.size(), kMaxAttributeBytes),
                      "the name is the attribute 'resource' of the devices: write a shorter one");
  }
  DraKeyChecker(diagnostics).check(spec);
}

}  // namespace patchbay::rules
