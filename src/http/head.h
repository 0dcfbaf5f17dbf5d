#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

/// The head of a request, framed as RFC 9112 says. Pure.
namespace patchbay::http {

struct Head {
  enum class Method { get, head, other };
  Method method = Method::other;
  std::string path;  ///< As it was sent, without the query.
  std::map<std::string, std::string> query;
  std::string host;  ///< With its port; of a whole address in the request line: the one there.
  std::string accept;
  std::string last_event_id;
  bool has_body = false;
  bool keep_alive = false;  ///< The peer may send another request on the connection.
};

/// How many bytes the head takes, with its empty line; npos: its end has not come.
[[nodiscard]] size_t head_size(std::string_view received);

/// `text`: a whole head. An Error is the text of the answer 400. It covers each head of which two
/// readers might disagree where the request ends.
[[nodiscard]] Result<Head> parse_head(std::string_view text);

/// Whether the host names an address of loopback, in any spelling, or is "localhost" or empty.
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace patchbay::http
