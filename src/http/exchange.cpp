#include "http/exchange.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include <event2/buffer.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>

#include "base/text.h"

namespace patchbay::http {
namespace {

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Service Unavailable";
  }
}

std::atomic<size_t> unsent = 0;

/// It is counted until the peer has it, or has gone.
void add_counted(const std::string& text, evbuffer* buffer) {
  if (text.empty()) return;
  auto* const kept = new std::string(text);
  unsent += kept->size();
  const auto forget = [](const void*, size_t size, void* its) {
    unsent -= size;
    delete static_cast<std::string*>(its);
  };
  if (evbuffer_add_reference(buffer, kept->data(), kept->size(), forget, kept) != 0) {
    forget(nullptr, kept->size(), kept);
  }
}

}  // namespace

size_t unsent_bytes() { return unsent; }

Request request_of(Door door, evhttp_request* raw) {
  Request request;
  request.door = door;
  const evhttp_uri* const uri = evhttp_request_get_evhttp_uri(raw);
  request.path = text_or_empty(evhttp_uri_get_path(uri));
  if (const char* const query = evhttp_uri_get_query(uri); query != nullptr) {
    // A word without a value is one to people.
    std::string whole;
    for (const std::string_view part : split(query, '&')) {
      whole += (whole.empty() ? "" : "&") + std::string(part);
      if (part.find('=') == std::string_view::npos) whole += '=';
    }
    evkeyvalq values{};
    if (evhttp_parse_query_str(whole.c_str(), &values) == 0) {
      for (const evkeyval* value = values.tqh_first; value != nullptr;
           value = value->next.tqe_next) {
        request.query[value->key] = value->value;
      }
    }
    evhttp_clear_headers(&values);
  }
  evkeyvalq* const headers = evhttp_request_get_input_headers(raw);
  request.accept = text_or_empty(evhttp_find_header(headers, "Accept"));
  request.last_event_id = text_or_empty(evhttp_find_header(headers, "Last-Event-ID"));
  return request;
}

bool is_own_name(evhttp_request* raw) {
  std::string host =
      text_or_empty(evhttp_find_header(evhttp_request_get_input_headers(raw), "Host"));
  if (host.starts_with("[::1]")) return host.size() == 5 || host[5] == ':';
  host.resize(std::min(host.find(':'), host.size()));
  // Whole, since a name of anyone's may begin like an address.
  in_addr address{};
  const bool is_loopback =
      inet_pton(AF_INET, host.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24U) == 127;
  return host.empty() || host == "localhost" || is_loopback;
}

void send(evhttp_request* request, const Answer& answer, bool head) {
  evkeyvalq* const headers = evhttp_request_get_output_headers(request);
  evhttp_add_header(headers, "Content-Type", answer.type.c_str());
  evhttp_add_header(headers, "Cache-Control", "no-store");
  evhttp_add_header(headers, "X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : answer.headers) {
    evhttp_add_header(headers, name.c_str(), value.c_str());
  }
  const std::unique_ptr<evbuffer, void (*)(evbuffer*)> body(evbuffer_new(), evbuffer_free);
  if (head) {
    evhttp_add_header(headers, "Content-Length", std::to_string(answer.body.size()).c_str());
  } else {
    add_counted(answer.body, body.get());
  }
  // Of a peer that has gone it frees the request.
  evhttp_send_reply(request, answer.status, reason_of(answer.status), body.get());
}

}  // namespace patchbay::http
