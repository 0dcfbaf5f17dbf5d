#include "observe/page.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "observe/embedded_page.h"

namespace patchbay::observe {
namespace {

/// Escapes text for an element or an attribute.
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

/// The template with the value of each $(name). An unknown name stays unchanged.
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

}  // namespace

std::string page(std::string_view node, std::string_view nonce) {
  return filled(kPageHtml, {{"node", html_text(node)},
                            {"nonce", std::string(nonce)},
                            {"style", std::string(kPageCss)},
                            {"script", std::string(kPageJs)}});
}

std::string page_policy(std::string_view nonce) {
  return fmt::format(
      "default-src 'none'; img-src data:; style-src 'nonce-{0}'; script-src 'nonce-{0}'; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      nonce);
}

}  // namespace patchbay::observe
