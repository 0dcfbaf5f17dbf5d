#include "kube/api_client.h"

#include <httplib.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "base/whole_number.h"
#include "kube/line_splitter.h"

namespace patchbay::kube {
namespace {

using Clock = std::chrono::steady_clock;

/// The API server closes a connection that was idle for 90 s. A request on a connection that is
/// just being closed would fail, so an idle one is not used again.
constexpr std::chrono::seconds kMaxIdle{30};
constexpr size_t kMaxReason = 500;

Result<std::string> read_token(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail_errno(path, errno);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return std::string(trim_end(text));
}

std::string failure(httplib::Error error, const Server& server) {
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
      return server.url + ": cannot connect; check the address and the network";
    case httplib::Error::SSLLoadingCerts:
      return server.ca_file + ": no certificate in PEM format; check --api-ca";
    case httplib::Error::SSLConnection:
    case httplib::Error::SSLServerVerification:
      return fmt::format("{}: certificate not verified by {}; check --api-server and --api-ca",
                         server.url, server.ca_file);
    case httplib::Error::Read:
    case httplib::Error::Canceled:
      return server.url + ": no answer in time, or the connection was closed";
    default:
      return server.url + ": " + httplib::to_string(error);
  }
}

}  // namespace

ApiClient::ApiClient(Server server, Timeouts timeouts)
    : server_(std::move(server)), timeouts_(timeouts) {}

ApiClient::~ApiClient() = default;

httplib::Client& ApiClient::connection() {
  if (!client_ || Clock::now() - last_use_ > kMaxIdle) {
    client_ = std::make_unique<httplib::Client>(server_.url);
    client_->set_keep_alive(true);
    client_->set_tcp_nodelay(true);  // Otherwise a PUT takes 47 ms instead of 3.5.
    client_->set_url_encode(false);
    client_->set_ca_cert_path(server_.ca_file);
    client_->set_connection_timeout(timeouts_.connect);
    client_->set_write_timeout(timeouts_.answer);
  }
  return *client_;
}

Answer ApiClient::send(const char* method, const std::string& path, const std::string& body,
                       const WatchReceiver* watch) {
  const auto token = read_token(server_.token_file);
  if (!token) return {.error = token.error().message};
  Answer answer;
  std::string text;
  LineSplitter lines;
  const auto deadline = Clock::now() + timeouts_.request;
  httplib::Request request;
  request.method = method;
  request.path = path;
  request.body = body;
  request.headers = {{"Authorization", "Bearer " + *token},
                     {"Accept", "application/json"},
                     {"Content-Type", "application/json"},
                     {"User-Agent", "patchbay-kube/" PATCHBAY_VERSION}};
  request.response_handler = [&](const httplib::Response& response) {
    const auto delay = parse_whole<uint32_t>(response.get_header_value("Retry-After"));
    answer.status = response.status;
    answer.retry_after = std::chrono::seconds(delay.value_or(0));
    if (watch && answer.ok()) watch->on_start();
    return !watch || !watch->stop.stop_requested();
  };
  request.content_receiver = [&](const char* data, size_t size, uint64_t, uint64_t) {
    if (watch && answer.ok()) return lines.add({data, size}, watch->on_line);
    text.append(data, size);
    return Clock::now() < deadline;
  };
  httplib::Client& client = connection();
  client.set_read_timeout(watch ? timeouts_.silence : timeouts_.answer);
  httplib::Error error{};
  {
    const std::stop_callback on_stop(watch ? watch->stop : std::stop_token(),
                                     [&] { client.stop(); });
    error = client.send(request).error();
  }
  last_use_ = Clock::now();
  if (error != httplib::Error::Success) {
    client_.reset();
    if (!watch || !answer.ok()) return {.error = failure(error, server_)};
  }
  if (watch && answer.ok()) return answer;
  answer.body = Json::parse(text, nullptr, false);
  if (!answer.ok()) {
    const std::string message = text_field(answer.body, "message");  // In a metav1.Status.
    answer.error = fmt::format("status {}: {}", answer.status,
                               printable(message.empty() ? text : message, kMaxReason));
  } else if (!answer.body.is_object()) {
    return {.error = server_.url + ": answer is not JSON; check --api-server"};
  }
  return answer;
}

}  // namespace patchbay::kube
