#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "fake/event_log.h"
#include "fake/temp_dir.h"
#include "kube/api_client.h"
#include "kube/slice_store.h"

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace patchbay::kube {

/// An API server with TLS on a port of this machine: ResourceSlices with a watch, one Node,
/// ResourceClaims, and failures on demand. Any thread.
class FakeApiServer {
 public:
  /// The next requests that match are not answered normally.
  struct Failure {
    std::string method;     ///< "WATCH" for a GET with watch=1.
    std::string path_part;  ///< "": any path.
    int status = 0;         ///< 0: the request is executed, but the answer is lost.
    std::string retry_after{};
    bool slow = false;  ///< The answer waits until the server is destroyed or release() is called.
    int times = 1;
  };

  FakeApiServer();
  FakeApiServer(const FakeApiServer&) = delete;
  FakeApiServer& operator=(const FakeApiServer&) = delete;
  ~FakeApiServer();

  /// The address, and files with the CA and the token.
  [[nodiscard]] Server address() const;
  [[nodiscard]] int port() const { return port_; }
  /// Ends all connections. start() then uses the same port and certificate.
  void stop();
  void start();
  /// Requires another token. `in_file`: the file has it, too.
  void set_token(const std::string& token, bool in_file);
  void fail(Failure failure);
  /// Answers the requests that wait.
  void release();
  /// Forgets the failures that have not occurred, and answers the requests that wait.
  void stop_failing();
  void add_claim(const std::string& path, Json claim);
  void remove_claim(const std::string& path);
  /// The scheduler has given a device of kPool to the ResourceClaim "lab/claim-UID" of a Pod.
  void allocate(const std::string& uid, const std::string& request, const std::string& device);
  static std::string claim_path(const std::string& uid);
  /// Only the first half of the next event is sent, then the connection is closed.
  void cut_next_event();
  /// Ends all watches by an event with the code 410: changes may have been missed.
  void compact();
  /// Ends all watches as at their time limit, after a bookmark.
  void expire_watches();

  /// Calls `use(store)` under the lock, and wakes the watches.
  void with_store(const std::function<void(SliceStore&)>& use);
  /// Waits until `holds(store)` is true.
  [[nodiscard]] bool wait_for_store(const std::function<bool(const SliceStore&)>& holds);

  /// Each request as "METHOD PATH", without the parameters; "WATCH" for a watch.
  [[nodiscard]] const fake::EventLog<std::string>& requests() const { return requests_; }

 private:
  [[nodiscard]] bool intercept(const httplib::Request& request, httplib::Response& response);
  void answer(const httplib::Request& request, httplib::Response& response);
  [[nodiscard]] SliceStore::Reply execute(const httplib::Request& request);
  void watch(const httplib::Request& request, httplib::Response& response, size_t ends);
  void end_watches(Json last_event);

  fake::TempDir directory_;
  std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  fake::EventLog<std::string> requests_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  SliceStore store_;
  std::string token_;
  std::list<Failure> failures_;
  std::map<std::string, Json> claims_;
  bool cut_ = false;
  size_t ends_ = 0;  // How often all watches were ended.
  Json last_event_;  // The event before such an end.
  size_t released_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace patchbay::kube
