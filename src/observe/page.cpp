#include "observe/page.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/duration.h"
#include "base/text.h"
#include "observe/embedded_page.h"
#include "observe/unit_holders.h"

namespace patchbay::observe {
namespace {

using State = RegistrationStatus::State;

/// As text of an element or of an attribute.
std::string html_text(std::string_view text) {
  std::string html;
  for (const char c : printable(text, 2000)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

/// The template with each $(name) as it is told; a name that is not told stays.
std::string filled(std::string_view text, const std::map<std::string_view, std::string>& values) {
  std::string filled;
  while (!text.empty()) {
    const size_t begin = std::min(text.find("$("), text.size());
    filled += text.substr(0, begin);
    text.remove_prefix(begin);
    const size_t end = text.find(')');
    const auto found = text.empty() || end == std::string_view::npos
                           ? values.end()
                           : values.find(text.substr(2, end - 2));
    if (found != values.end()) {
      filled += found->second;
      text.remove_prefix(end + 1);
    } else if (!text.empty()) {
      filled += text.front();
      text.remove_prefix(1);
    }
  }
  return filled;
}

std::string age(const NodeStatus& status, std::chrono::steady_clock::time_point since) {
  return age_text(status.at - since);
}

std::string facts(const NodeStatus& status) {
  const auto registered =
      std::ranges::count(status.resources, State::registered,
                         [](const ResourceStatus& one) { return one.registration.state; });
  return fmt::format(
      "<li>patchbay {}, up {}<li>configuration {} since {}<li>{}<li>{} of {} resources registered"
      "<li class=dim>kernel {}",
      html_text(status.program.version), age(status, status.program.since),
      status.configuration.number, age(status, status.configuration.since),
      status.kubelet.waited_for.empty() ? "the kubelet answers" : "waits for the kubelet",
      registered, status.resources.size(), html_text(status.program.kernel));
}

std::string notice(const std::string& text) {
  return "<p class=notice>" + html_text(text) + "</p>";
}

std::string notices(const NodeStatus& status) {
  std::string all;
  const ConfigurationStatus& configuration = status.configuration;
  if (!configuration.refused.empty()) {
    all += notice(fmt::format("A newer configuration was refused {} ago: {}",
                              age(status, configuration.refused_since), configuration.refused));
  }
  if (configuration.hangs) all += notice("The file system of the configuration does not answer.");
  if (!status.kubelet.waited_for.empty()) {
    all += notice(fmt::format("Waits for the kubelet since {}: {}",
                              age(status, status.kubelet.since), status.kubelet.waited_for));
  }
  return all;
}

std::string row_of(const NodeStatus& status, const ResourceStatus& resource) {
  constexpr std::array<std::string_view, 7> kStates{"pending",     "standing by",     "no kubelet",
                                                    "registering", "cannot register", "registered",
                                                    "leaving"};
  const auto& units = resource.resolved.snapshot->units;
  const auto healthy = static_cast<size_t>(std::ranges::count_if(units, &inventory::Unit::healthy));
  const auto refused = std::ranges::count_if(resource.resolved.refusals, [](const auto& refusal) {
    return refusal.kind != inventory::Refusal::Kind::claimed;
  });
  return fmt::format(
      "<tr><th scope=row>{}<td class=number>{}<td class=number>{}<td class=number>{}"
      "<td class=\"number later\">{}<td class=\"number later\">{}<td>{}<td class=later>{}",
      html_text(resource.resolved.name()), units.size(), healthy, units.size() - healthy, refused,
      knows_holders(status) ? std::to_string(held_units(status, resource.resolved.name())) : "-",
      kStates.at(static_cast<size_t>(resource.registration.state)),
      age(status, resource.registration.since));
}

/// As many things that are not offered as are told of one resource.
constexpr size_t kMostRefused = 100;

std::string refused_row(const std::string& resource, std::string_view device, std::string_view kind,
                        std::string_view reason) {
  return fmt::format("<tr><td class=mono>{}<td class=mono>{}<td class={}>{}<td>{}",
                     html_text(resource), html_text(device), kind == "refused" ? "bad" : "warn",
                     kind, html_text(reason));
}

std::string refused_rows(const ResourceStatus& resource) {
  const inventory::ResolvedResource& resolved = resource.resolved;
  const std::string& name = resolved.name();
  std::string rows;
  size_t left = kMostRefused;
  for (const inventory::Refusal& refusal : resolved.refusals) {
    if (refusal.kind == inventory::Refusal::Kind::claimed) continue;
    if (left-- == 0) break;
    rows += refused_row(name, refusal.device, word_of(refusal.kind), refusal.reason);
  }
  for (const inventory::Pending& pending : resolved.pending) {
    rows += refused_row(name, pending.what, "pending", pending.why());
  }
  for (const inventory::Degraded& rule : resolved.degraded) {
    rows += refused_row(name, rule.pattern, "degraded", rule.reason);
  }
  return rows;
}

}  // namespace

std::string page(const NodeStatus& status, std::string_view nonce) {
  std::string rows;
  std::string refused;
  for (const ResourceStatus& resource : status.resources) {
    rows += row_of(status, resource);
    refused += refused_rows(resource);
  }
  return filled(kPageHtml, {{"node", html_text(status.program.node)},
                            {"nonce", std::string(nonce)},
                            {"style", std::string(kPageCss)},
                            {"script", std::string(kPageJs)},
                            {"facts", facts(status)},
                            {"notices", notices(status)},
                            {"resources", rows},
                            {"refused-hidden", refused.empty() ? " hidden" : ""},
                            {"refused", refused}});
}

std::string page_policy(std::string_view nonce) {
  return fmt::format(
      "default-src 'none'; img-src data:; style-src 'nonce-{0}'; script-src 'nonce-{0}'; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      nonce);
}

}  // namespace patchbay::observe
