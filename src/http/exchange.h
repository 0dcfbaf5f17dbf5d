#pragma once

#include "http/server.h"

struct evhttp_request;

/// Between libevent's requests and ours. The server's thread.
namespace patchbay::http {

[[nodiscard]] Request request_of(Door door, evhttp_request* raw);

/// Whether the name that the peer believes to talk to is an address of this machine: a browser that
/// a foreign site has led here says that site's name.
[[nodiscard]] bool is_own_name(evhttp_request* raw);

/// Of bodies that were given to send() and that peers have not taken.
[[nodiscard]] size_t unsent_bytes();

/// Answers it; of a peer that has gone it is freed. `head`: the body is not wanted.
void send(evhttp_request* request, const Answer& answer, bool head);

}  // namespace patchbay::http
