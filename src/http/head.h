#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

/// Parses the head of a request, as RFC 9112 specifies. Pure.
namespace patchbay::http {

struct Head {
  enum class Method { get, head, other };
  Method method = Method::other;
  std::string path;  ///< As sent, without the query.
  std::map<std::string, std::string> query;
  std::string host;  ///< With the port; from the request line if that has an absolute URI.
  bool has_body = false;
};

/// Returns the size of the head in bytes, with its empty line; npos: it is incomplete.
[[nodiscard]] size_t head_size(std::string_view received);

/// `text` is a complete head. An Error is the text of the answer 400. Each head that two parsers
/// may frame differently is an Error.
[[nodiscard]] Result<Head> parse_head(std::string_view text);

/// Whether the host is a loopback address in any notation, "localhost" or empty.
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace patchbay::http
