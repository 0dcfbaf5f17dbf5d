#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "kube/slice.h"

namespace httplib {
class Client;
}

namespace patchbay::kube {

/// The API server, and the files of a mounted service account.
struct Server {
  std::string url;  ///< https://HOST:PORT
  std::string ca_file;
  std::string token_file;
};

/// The sum of the first two, with two for `connect`, is the limit of 10 s for a request.
struct Timeouts {
  std::chrono::milliseconds connect{2'000};  ///< For TCP, and again for TLS.
  std::chrono::milliseconds answer{6'000};   ///< Between two parts of an answer.
  std::chrono::milliseconds request{10'000};
  /// Between two parts of a watch. The server sends a bookmark about once a minute.
  std::chrono::milliseconds silence{90'000};
};

/// The server's answer, or the reason why there is none.
struct Answer {
  int status = 0;  ///< The HTTP status. 0: no whole answer; the server may still execute a write.
  Json body{};
  std::string error{};  ///< For users. Empty if the status is 200 to 299.
  std::chrono::seconds retry_after{};

  [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
};

/// Receives the answer to a watch.
struct WatchReceiver {
  std::function<void()> on_start;                 ///< The server accepts the watch.
  std::function<bool(std::string_view)> on_line;  ///< Returns false to end the watch.
  std::stop_token stop;                           ///< Ends the watch soon.
};

/// Sends requests over one connection to the API server, whose certificate is verified. Kubernetes
/// replaces the token and the CA in place. So the token is read before each request, and the CA
/// before each connection. One thread uses a client; its calls block.
class ApiClient {
 public:
  ApiClient(Server server, Timeouts timeouts);
  ~ApiClient();

  /// `body`: JSON. With `watch`, the status of an accepted watch is 200, however it ended.
  [[nodiscard]] Answer send(const char* method, const std::string& path,
                            const std::string& body = "", const WatchReceiver* watch = nullptr);

 private:
  [[nodiscard]] httplib::Client& connection();

  const Server server_;
  const Timeouts timeouts_;
  std::chrono::steady_clock::time_point last_use_;
  std::unique_ptr<httplib::Client> client_;
};

}  // namespace patchbay::kube
