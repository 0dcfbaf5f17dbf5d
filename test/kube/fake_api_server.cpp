#include "kube/fake_api_server.h"

#include <httplib.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace patchbay::kube {
namespace {

constexpr const char* kSlicesPath = "/apis/resource.k8s.io/v1/resourceslices";

void make_certificate(const std::string& directory) {
  const std::string command = fmt::format(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
      "-subj /CN=fake-api -addext subjectAltName=IP:127.0.0.1 -keyout {0}/key -out {0}/ca.crt "
      "2>{0}/log",
      directory);
  if (std::system(command.c_str()) != 0) throw std::runtime_error("openssl failed");
}

std::string kind_of(const httplib::Request& request) {
  return request.has_param("watch") ? "WATCH" : request.method;
}

/// The driver that the field selector of a list or watch names; "" if it has another form.
std::string selected_driver(const httplib::Request& request) {
  const std::string selector = request.get_param_value("fieldSelector");
  const std::string begin = "spec.driver=";
  const std::string end = ",spec.nodeName=" + kPool.node;
  if (!selector.starts_with(begin) || !selector.ends_with(end)) return {};
  return selector.substr(begin.size(), selector.size() - begin.size() - end.size());
}

}  // namespace

FakeApiServer::FakeApiServer() {
  make_certificate(directory_.path());
  set_token("token-1", true);
  start();
}

FakeApiServer::~FakeApiServer() { stop(); }

void FakeApiServer::start() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = false;
  }
  server_ = std::make_unique<httplib::SSLServer>((directory_ / "ca.crt").c_str(),
                                                 (directory_ / "key").c_str());
  // A watch keeps its thread, for some time also if its client has ended.
  server_->new_task_queue = [] { return new httplib::ThreadPool(64); };
  server_->set_tcp_nodelay(true);
  const auto respond = [this](const httplib::Request& request, httplib::Response& response) {
    answer(request, response);
  };
  server_->Get(".*", respond).Post(".*", respond).Put(".*", respond).Delete(".*", respond);
  if (port_ == 0) {
    port_ = server_->bind_to_any_port("127.0.0.1");
  } else if (!server_->bind_to_port("127.0.0.1", port_)) {
    throw std::runtime_error("the port is in use");
  }
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  if (!fake::wait_until([&] { return server_->is_running(); }))
    throw std::runtime_error("no start");
}

void FakeApiServer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  server_->stop();
  if (thread_.joinable()) thread_.join();
}

Server FakeApiServer::address() const {
  return {.url = fmt::format("https://127.0.0.1:{}", port_),
          .ca_file = directory_ / "ca.crt",
          .token_file = directory_ / "token"};
}

void FakeApiServer::set_token(const std::string& token, bool in_file) {
  const std::lock_guard lock(mutex_);
  token_ = token;
  if (in_file) directory_.write("token", token + "\n");
}

void FakeApiServer::fail(Failure failure) {
  const std::lock_guard lock(mutex_);
  failures_.push_back(std::move(failure));
}

void FakeApiServer::release() {
  const std::lock_guard lock(mutex_);
  ++released_;
  changed_.notify_all();
}

void FakeApiServer::stop_failing() {
  {
    const std::lock_guard lock(mutex_);
    failures_.clear();
  }
  release();
}

void FakeApiServer::add_claim(const std::string& path, Json claim) {
  const std::lock_guard lock(mutex_);
  claims_[path] = std::move(claim);
}

void FakeApiServer::remove_claim(const std::string& path) {
  const std::lock_guard lock(mutex_);
  claims_.erase(path);
}

void FakeApiServer::allocate(const std::string& uid, const std::string& request,
                             const std::string& device) {
  const Json result{
      {"request", request}, {"driver", kPool.driver}, {"pool", kPool.node}, {"device", device}};
  const Json pod{{"resource", "pods"}, {"name", "pod-" + uid}, {"uid", "pod-" + uid}};
  add_claim(claim_path(uid),
            {{"metadata", {{"namespace", "lab"}, {"name", "claim-" + uid}, {"uid", uid}}},
             {"status",
              {{"reservedFor", Json::array({pod})},
               {"allocation", {{"devices", {{"results", Json::array({result})}}}}}}}});
}

std::string FakeApiServer::claim_path(const std::string& uid) {
  return "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/claim-" + uid;
}

void FakeApiServer::cut_next_event() {
  const std::lock_guard lock(mutex_);
  cut_ = true;
}

void FakeApiServer::compact() {
  end_watches({{"type", "ERROR"}, {"object", SliceStore::refuse(410, "too old").body}});
}

void FakeApiServer::expire_watches() {
  std::string version;
  with_store([&](SliceStore& store) {
    version = store.list()["metadata"]["resourceVersion"].get<std::string>();
  });
  end_watches({{"type", "BOOKMARK"}, {"object", {{"metadata", {{"resourceVersion", version}}}}}});
}

void FakeApiServer::end_watches(Json last_event) {
  const std::lock_guard lock(mutex_);
  last_event_ = std::move(last_event);
  ++ends_;
  changed_.notify_all();
}

void FakeApiServer::with_store(const std::function<void(SliceStore&)>& use) {
  const std::lock_guard lock(mutex_);
  use(store_);
  changed_.notify_all();
}

bool FakeApiServer::wait_for_store(const std::function<bool(const SliceStore&)>& holds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, fake::kPatience, [&] { return holds(store_); });
}

bool FakeApiServer::intercept(const httplib::Request& request, httplib::Response& response) {
  std::unique_lock lock(mutex_);
  const auto refuse = [&](int status, const std::string& message) {
    response.status = status;
    response.set_content(SliceStore::refuse(status, message).body.dump(), "application/json");
    return true;
  };
  if (request.get_header_value("Authorization") != "Bearer " + token_) {
    return refuse(401, "Unauthorized");
  }
  const auto matches = [&](const Failure& failure) {
    return failure.method == kind_of(request) &&
           request.path.find(failure.path_part) != std::string::npos;
  };
  const auto found = std::ranges::find_if(failures_, matches);
  if (found == failures_.end()) return false;
  Failure failure = *found;
  if (--failure.times == 0) {
    failures_.erase(found);
  } else {
    *found = failure;
  }
  if (failure.slow) {
    changed_.wait(lock, [&, before = released_] { return stopped_ || released_ > before; });
  }
  if (!failure.retry_after.empty()) response.set_header("Retry-After", failure.retry_after);
  if (failure.status != 0) return refuse(failure.status, "failure on demand");
  static_cast<void>(execute(request));
  changed_.notify_all();
  response.set_content_provider(1, "application/json",
                                [](size_t, size_t, httplib::DataSink&) { return false; });
  return true;
}

void FakeApiServer::answer(const httplib::Request& request, httplib::Response& response) {
  size_t ends = 0;
  {
    const std::lock_guard lock(mutex_);
    ends = ends_;
    requests_.add(kind_of(request) + " " + request.path);
  }
  if (intercept(request, response)) return;
  if (request.has_param("watch")) return watch(request, response, ends);
  const std::lock_guard lock(mutex_);
  const SliceStore::Reply reply = execute(request);
  response.status = reply.status;
  response.set_content(reply.body.dump(), "application/json");
  changed_.notify_all();
}

/// With the lock.
SliceStore::Reply FakeApiServer::execute(const httplib::Request& request) {
  const std::string name = request.path.substr(request.path.rfind('/') + 1);
  if (request.method == "POST") return store_.create(request.body);
  if (request.method == "PUT") return store_.replace(name, request.body);
  if (request.method == "DELETE") return store_.remove(name, request.body);
  if (request.path == kSlicesPath) {
    const std::string driver = selected_driver(request);
    if (driver.empty()) return SliceStore::refuse(400, "another field selector is expected");
    return {200, store_.list(driver)};
  }
  if (request.path == "/api/v1/nodes/" + kPool.node) {
    return {200, {{"kind", "Node"}, {"metadata", {{"uid", "node-uid"}}}}};
  }
  const auto claim = claims_.find(request.path);
  if (claim != claims_.end()) return {200, claim->second};
  return SliceStore::refuse(404, "\"" + name + "\" not found");
}

void FakeApiServer::watch(const httplib::Request& request, httplib::Response& response,
                          size_t ends) {
  auto seen = std::stoull(request.get_param_value("resourceVersion"));
  const std::string driver = selected_driver(request);
  with_store([&](const SliceStore& store) {
    // As a server with older data.
    if (seen > store.version()) response.status = 504;
  });
  if (response.status == 504) {
    response.set_content(SliceStore::refuse(504, "Too large resource version").body.dump(),
                         "application/json");
    return;
  }
  const int seconds = std::stoi(request.get_param_value("timeoutSeconds"));
  if (seconds < 300 || seconds > 600) {
    throw std::runtime_error("watches of " + std::to_string(seconds) + " s");
  }
  response.set_chunked_content_provider(
      "application/json", [this, seen, ends, driver](size_t, httplib::DataSink& sink) mutable {
        std::unique_lock lock(mutex_);
        const auto newer = [&] {
          return std::ranges::find_if(store_.events(), [&](const auto& event) {
            return event.version > seen && event.json["object"]["spec"]["driver"] == driver;
          });
        };
        // The short wait lets httplib notice that the server stops.
        changed_.wait_for(lock, std::chrono::milliseconds(20), [&] {
          return stopped_ || ends_ != ends || newer() != store_.events().end();
        });
        if (stopped_) return false;
        if (ends_ != ends) {
          const std::string line = last_event_.dump() + "\n";
          sink.write(line.data(), line.size());
          sink.done();
          return true;
        }
        const auto event = newer();
        if (event == store_.events().end()) return true;
        std::string text = event->json.dump() + "\n";
        if (std::exchange(cut_, false)) {
          sink.write(text.data(), text.size() / 2);
          return false;
        }
        seen = event->version;
        return sink.write(text.data(), text.size());
      });
}

}  // namespace patchbay::kube
