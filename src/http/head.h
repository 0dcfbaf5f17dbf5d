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
  std::string host;  ///< With the port. An absolute URI in the request line overrides the header.
  bool has_body = false;
};

/// Returns the size of the head in bytes, including its empty line. npos if the head is incomplete.
[[nodiscard]] size_t head_size(std::string_view received);

/// Parses a complete head. An Error is the text for an answer 400. A head is refused if two parsers
/// could disagree where the request ends.
[[nodiscard]] Result<Head> parse_head(std::string_view text);

/// Whether Head::host is a loopback address in any notation, "localhost" or empty.
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace patchbay::http
