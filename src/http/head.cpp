#include "http/head.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "http/listening.h"

namespace patchbay::http {
namespace {

constexpr std::string_view kScheme = "http://";

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_alphanumeric(c) || kMarks.find(c) != std::string_view::npos;
  });
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, ascii_lower, ascii_lower);
}

std::string_view without_spaces(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

int hex_value(char c) {
  const size_t at = kHexDigits.find(ascii_lower(c));
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// A '%' without two hex digits stays.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
                         hex_value(text[i + 2]) >= 0;
    if (is_code) {
      decoded += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::map<std::string, std::string> query_of(std::string_view text) {
  std::map<std::string, std::string> query;
  for (const std::string_view word : split(text, '&')) {
    const size_t equals = std::min(word.find('='), word.size());
    if (equals == 0) continue;
    query[percent_decoded(word.substr(0, equals))] =
        percent_decoded(word.substr(std::min(equals + 1, word.size())));
  }
  return query;
}

/// The lines of a head without their ends. Empty: a forbidden character occurs.
std::optional<std::vector<std::string_view>> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_text = std::ranges::all_of(line, [](char c) {
      return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    });
    if (!is_text) return std::nullopt;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

class Parser {
 public:
  Result<Head> parse(std::string_view text) {
    const auto lines = lines_of(text);
    if (!lines || lines->empty()) return fail("the request head contains a forbidden character");
    if (auto first = take_request_line(lines->front()); !first) {
      return std::unexpected(std::move(first).error());
    }
    for (size_t i = 1; i < lines->size(); ++i) {
      if (auto taken = take_header((*lines)[i]); !taken) {
        return std::unexpected(std::move(taken).error());
      }
    }
    if (!host_ && version_ == '1') return fail("no Host");
    if (head_.host.empty()) head_.host = host_.value_or("");
    head_.has_body = chunked_ || length_.value_or("0") != "0";
    return std::move(head_);
  }

 private:
  Result<void> take_request_line(std::string_view line) {
    const auto words = split(line, ' ');
    const bool is_http = words.size() == 3 && is_token(words[0]) &&
                         (words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0");
    if (!is_http) return fail("the first line must be METHOD TARGET HTTP/1.1");
    head_.method = words[0] == "GET"    ? Head::Method::get
                   : words[0] == "HEAD" ? Head::Method::head
                                        : Head::Method::other;
    version_ = words[2].back();
    return take_target(words[1]);
  }

  Result<void> take_target(std::string_view target) {
    if (target.starts_with(kScheme)) {
      target.remove_prefix(kScheme.size());
      const size_t end = std::min(target.find_first_of("/?"), target.size());
      const std::string_view authority = target.substr(0, end);
      if (authority.empty() || authority.find('@') != std::string_view::npos) {
        return fail("the target must be a path");
      }
      head_.host = authority;
      target.remove_prefix(end);
    } else if (!target.starts_with('/') && head_.method != Head::Method::other) {
      return fail("the target must be a path");
    }
    target = target.substr(0, target.find('#'));
    const size_t question = std::min(target.find('?'), target.size());
    head_.path = question == 0 ? "/" : target.substr(0, question);
    head_.query = query_of(target.substr(std::min(question + 1, target.size())));
    return {};
  }

  Result<void> take_header(std::string_view line) {
    const size_t colon = line.find(':');
    // Rejects a folded line and a space before the colon.
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
      return fail("a header line must be NAME: VALUE");
    }
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = without_spaces(line.substr(colon + 1));
    const auto is = [name](std::string_view wanted) { return equal_ignoring_case(name, wanted); };
    if (is("Host")) {
      if (host_) return fail("more than one Host");
      host_ = value;
    }
    if (is("Content-Length")) {
      if (length_ || chunked_)
        return fail("Content-Length and Transfer-Encoding allow one value only");
      if (value.empty() || !std::ranges::all_of(value, is_digit)) {
        return fail("Content-Length must be a number");
      }
      length_ = value;
    }
    if (is("Transfer-Encoding")) {
      if (length_ || chunked_)
        return fail("Content-Length and Transfer-Encoding allow one value only");
      if (!equal_ignoring_case(value, "chunked")) return fail("unknown Transfer-Encoding");
      chunked_ = true;
    }
    return {};
  }

  Head head_;
  char version_ = '0';  ///< The last digit of HTTP/1.x.
  std::optional<std::string> host_;
  std::optional<std::string> length_;
  bool chunked_ = false;
};

/// "127.0.0.1" of "127.0.0.1:9405", "::1" of "[::1]:9405". Empty: it has none of these forms.
std::optional<std::string> without_port(std::string_view host) {
  size_t end = host.find(':');
  if (host.starts_with('[')) {
    const size_t bracket = host.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    end = bracket + 1;
  }
  const std::string_view name = host.substr(0, end);
  const std::string_view port = host.substr(name.size());
  const bool is_port =
      port.empty() || (port.front() == ':' && std::ranges::all_of(port.substr(1), is_digit));
  if (!is_port) return std::nullopt;
  return std::string(name.starts_with('[') ? name.substr(1, name.size() - 2) : name);
}

}  // namespace

size_t head_size(std::string_view received) {
  for (size_t at = received.find('\n'); at != std::string_view::npos;
       at = received.find('\n', at + 1)) {
    const std::string_view rest = received.substr(at + 1);
    if (rest.starts_with('\n')) return at + 2;
    if (rest.starts_with("\r\n")) return at + 3;
  }
  return std::string_view::npos;
}

Result<Head> parse_head(std::string_view text) { return Parser().parse(text); }

bool is_loopback_host(std::string_view host) {
  const auto name = without_port(host);
  if (!name) return false;
  return name->empty() || equal_ignoring_case(*name, "localhost") || is_loopback_address(*name);
}

}  // namespace patchbay::http
