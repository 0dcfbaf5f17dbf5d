#include "kube/agent.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/write_all.h"
#include "kube/line_splitter.h"
#include "kube/slice_controller.h"
#include "kube/slice_watch.h"

namespace patchbay::kube {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kSlices = "/apis/resource.k8s.io/v1/resourceslices";

class Agent {
 public:
  Agent(UniqueFd socket, const AgentOptions& options)
      : pool_(options.pool),
        list_path_(fmt::format("{}?fieldSelector=spec.driver%3D{}%2Cspec.nodeName%3D{}", kSlices,
                               pool_.driver, pool_.node)),
        socket_(std::move(socket)),
        api_(options.server, options.timeouts),
        backoff_(options.backoff),
        controller_(options.pool.node),
        watch_(options.server, options.timeouts, list_path_) {}

  /// Throws Json::exception if a message is not understood.
  void run();

 private:
  [[nodiscard]] bool wait() const;
  [[nodiscard]] bool read_messages();
  void take(const Json& message);
  void take_pool();
  void take(WatchUpdate update);

  // Each does at most one request, so that new messages count between two requests.
  void answer_get();
  void list();
  void read_node();
  void write_next();

  [[nodiscard]] bool has_work() const;
  void retry(std::string& problem, const Answer& answer);
  void list_later(std::chrono::milliseconds delay);
  void report();
  void send(const Json& message) const;

  const Pool pool_;
  const std::string list_path_;
  const UniqueFd socket_;
  LineSplitter lines_;
  ApiClient api_;
  Backoff backoff_;
  SliceController controller_;
  std::deque<std::tuple<int64_t, std::string, std::string>> gets_;  // Key, namespace, name.
  bool hold_ = true;
  int64_t wanted_ = 0;  // The number of the wanted pool. 0: none yet.
  bool stored_ = false;
  bool rejected_ = false;
  int64_t incoming_ = 0;  // The number of the pool whose slices follow.
  size_t missing_ = 0;    // How many of its slices follow.
  std::vector<std::string> incoming_slices_;
  bool listed_ = false;   // false: the controller may lack a change of the stored slices.
  std::string node_uid_;  // "": not read yet, or the Node may have been replaced.
  Clock::time_point next_attempt_;
  std::string read_problem_;
  std::string write_problem_;
  Json last_api_;
  SliceWatch watch_;
};

void Agent::run() {
  while (wait() && read_messages()) {
    for (WatchUpdate& update : watch_.take()) take(std::move(update));
    report();
    if (!gets_.empty()) {
      answer_get();
    } else if (has_work() && Clock::now() >= next_attempt_) {
      listed_ ? write_next() : list();
    }
    report();
  }
}

/// Waits until there is something to do.
bool Agent::wait() const {
  int timeout = -1;
  if (!gets_.empty()) {
    timeout = 0;
  } else if (has_work()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_attempt_ - Clock::now());
    timeout = static_cast<int>(std::max<int64_t>(left.count(), 0));
  }
  std::array<pollfd, 2> ready{{{socket_.get(), POLLIN, 0}, {watch_.descriptor(), POLLIN, 0}}};
  return poll(ready.data(), ready.size(), timeout) >= 0 || errno == EINTR;
}

/// Returns false if the daemon has closed the socket.
bool Agent::read_messages() {
  std::array<char, 16384> chunk;
  const auto on_line = [this](std::string_view line) {
    take(Json::parse(line));
    return true;
  };
  while (true) {
    const ssize_t size = recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    if (size == 0 || !lines_.add({chunk.data(), static_cast<size_t>(size)}, on_line)) return false;
  }
}

void Agent::take(const Json& message) {
  if (missing_ > 0) {
    incoming_slices_.push_back(message.at("devices").dump());
    if (--missing_ == 0) take_pool();
  } else if (message.contains("wanted")) {
    incoming_ = message["wanted"].get<int64_t>();
    missing_ = message.at("slices").get<size_t>();
    if (missing_ == 0) take_pool();
  } else if (message.contains("hold")) {
    hold_ = message["hold"].get<bool>();
  } else {
    gets_.emplace_back(message.at("get").get<int64_t>(), message.at("namespace").get<std::string>(),
                       message.at("name").get<std::string>());
  }
}

void Agent::take_pool() {
  controller_.set_wanted(std::exchange(incoming_slices_, {}));
  wanted_ = incoming_;
  stored_ = false;
  rejected_ = false;
}

void Agent::take(WatchUpdate update) {
  switch (update.kind) {
    case WatchUpdate::Kind::started:
      return read_problem_.clear();
    case WatchUpdate::Kind::event:
      // The garbage collector deletes the slices of a Node that was replaced.
      if (text_field(update.event, "type") == "DELETED") node_uid_.clear();
      if (write_problem_.empty()) backoff_.reset();
      return controller_.apply(update.event);
    case WatchUpdate::Kind::ended:
      if (update.answer.status == 410) update.answer.error.clear();  // Changes were missed.
      return retry(read_problem_, update.answer);
  }
}

void Agent::answer_get() {
  const auto [key, name_space, name] = std::move(gets_.front());
  gets_.pop_front();
  Answer answer{.error = "not a name of a ResourceClaim"};
  if (is_object_name(name_space) && is_object_name(name)) {
    answer = api_.send(
        "GET",
        fmt::format("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims/{}", name_space, name));
  }
  if (answer.ok()) return send({{"got", key}, {"claim", std::move(answer.body)}});
  send({{"got", key}, {"status", answer.status}, {"error", answer.error}});
}

bool Agent::has_work() const { return !listed_ || (!hold_ && !rejected_ && controller_.next()); }

void Agent::list() {
  Answer answer = api_.send("GET", list_path_);
  if (answer.status == 404) {
    answer.error =
        "this cluster has no resource.k8s.io/v1: Kubernetes 1.34 or newer is needed for serve: dra";
    backoff_.slow_down();
  }
  if (!answer.ok()) return retry(read_problem_, answer);
  controller_.set_stored(answer.body);
  node_uid_.clear();
  listed_ = true;
  // A new watch may be refused, though the list is not.
  if (!watch_.start(version_of(answer.body))) read_problem_.clear();
}

void Agent::read_node() {
  const Answer answer = api_.send("GET", "/api/v1/nodes/" + pool_.node);
  node_uid_ = text_field(field(answer.body, "metadata"), "uid");
  if (node_uid_.empty()) retry(write_problem_, answer);
}

void Agent::write_next() {
  const auto operation = controller_.next();
  const bool creates = operation->kind == Operation::Kind::create;
  const bool removes = operation->kind == Operation::Kind::remove;
  if (creates && node_uid_.empty()) return read_node();
  const std::string path = fmt::format("{}/{}", kSlices, operation->stored.name);
  Answer answer = creates ? api_.send("POST", std::string(kSlices),
                                      create_body(pool_, node_uid_, operation->content))
                  : removes
                      ? api_.send("DELETE", path, delete_body(operation->stored))
                      : api_.send("PUT", path, update_body(operation->stored, operation->content));
  const bool rejected = answer.status == 400 || answer.status == 413 || answer.status == 422;
  send({{"wrote", answer.ok() ? "succeeded" : rejected ? "rejected" : "failed"}});
  if (answer.status == 409 || (answer.status == 404 && !creates)) {
    return list_later(backoff_.next());
  }
  if (rejected) {
    rejected_ = true;
    return send({{"rejected", wanted_}, {"reason", answer.error}});
  }
  if (!answer.ok()) return retry(write_problem_, answer);
  write_problem_.clear();
  backoff_.reset();
  auto slice = parse_slice(std::move(answer.body));
  if (removes || !slice) return list_later({});
  controller_.written(*operation, *std::move(slice));
}

void Agent::retry(std::string& problem, const Answer& answer) {
  problem = answer.error;
  list_later(std::max<std::chrono::milliseconds>(backoff_.next(), answer.retry_after));
}

/// The answer may have been lost, or another program may have changed a slice. So the next attempt
/// starts with a list.
void Agent::list_later(std::chrono::milliseconds delay) {
  listed_ = false;
  next_attempt_ = Clock::now() + delay;
}

void Agent::report() {
  if (!has_work()) write_problem_.clear();
  const std::string& problem = read_problem_.empty() ? write_problem_ : read_problem_;
  if (listed_ || !problem.empty()) {
    Json api = problem.empty() ? Json{{"api", "up"}} : Json{{"api", "down"}, {"reason", problem}};
    if (api != last_api_) send(api);
    last_api_ = std::move(api);
  }
  if (wanted_ == 0 || stored_ || !listed_ || controller_.next()) return;
  stored_ = true;
  Json stored = {{"stored", wanted_}};
  if (const auto dropped = controller_.dropped(); !dropped.empty()) stored["dropped"] = dropped;
  send(stored);
}

void Agent::send(const Json& message) const {
  write_all(socket_.get(), message.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n");
}

}  // namespace

Result<void> run_agent(UniqueFd socket, const AgentOptions& options) {
  try {
    Agent(std::move(socket), options).run();
    return {};
  } catch (const Json::exception& error) {
    return fail(std::string("message of the daemon: not understood: ") + error.what());
  }
}

}  // namespace patchbay::kube
