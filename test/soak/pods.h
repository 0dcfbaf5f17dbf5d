#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "driver/driver_kubelet.h"
#include "fake/pod_resources_server.h"
#include "kube/fake_api_server.h"
#include "soak/host.h"

namespace patchbay::soak {

/// Pods with ResourceClaims: the API server, the scheduler that gives them devices, and the kubelet
/// that calls the DRA driver for them. Each Pod has one ResourceClaim with one device. For one
/// thread.
class Pods {
 public:
  struct Directories {
    std::string kubelet_root;
    std::string cdi;
  };
  /// Reads the body of the daemon's /status.
  using Status = std::function<std::string()>;

  Pods(uint32_t seed, const Host& host, Directories directories, Status status);

  /// Options of `patchbay run`.
  [[nodiscard]] std::vector<std::string> options() const;
  kube::FakeApiServer& api() { return api_; }

  /// Starts and ends some Pods. Their calls are in progress when it returns.
  void stir();
  /// Deletes a Pod and its ResourceClaim. The kubelet makes no call.
  void delete_by_force();
  /// Ends all Pods.
  void end_all();
  /// Waits until no Pod is ending. Returns the defect, or "".
  [[nodiscard]] std::string finish_ends();
  /// Waits until each Pod runs or is gone, and checks that the files of the daemon and the stored
  /// slices match. Returns the defect, or "".
  [[nodiscard]] std::string settle();

  /// The kubelet restarts. It deletes the slices and repeats the calls of all Pods.
  void restart_kubelet();
  void reconnect_kubelet() { kubelet_.reconnect(); }

  /// The API server's objects now, for go_back().
  void remember();
  /// The API server has the objects of remember() again. Pods that it does not know end.
  void go_back();
  /// Changes or deletes stored slices, or adds one, as another program.
  void change_slices();
  /// Truncates the record of a Pod, while no daemon runs, and maybe removes its CDI spec. The Pod
  /// ends, because the driver cannot prepare it again.
  void cut_a_record();
  void remove_specs();

 private:
  enum class State {
    starting,  ///< The kubelet calls Prepare until it succeeds.
    running,
    ending,  ///< No container runs. The kubelet calls Unprepare until it succeeds.
  };
  struct Pod {
    std::string unit;
    State state = State::starting;
    bool has_device = false;  ///< Its containers may run.
    std::string error{};      ///< The last answer, if it was not a success.
    std::chrono::steady_clock::time_point next_call{};
  };
  struct Call {
    State state = State::starting;  ///< The state that it is for.
    /// Keeps the connection.
    std::shared_ptr<driver::DraClient> service;
    driver::CallText answer;
  };
  using ByUid = std::map<std::string, Pod>;

  void start_pod();
  static void end(Pod& pod);
  void add_claim(const std::string& uid, const std::string& unit);
  void remove(const std::string& uid);
  /// Makes the calls that are due, and takes the answers.
  void advance();
  void begin_call(const std::string& uid, Pod& pod);
  void take_answer(const std::string& uid, const Call& call, const std::string& answer);
  void show_pods();
  [[nodiscard]] std::string any_pod(State state);

  // The checks. Each returns the defect, or "".
  [[nodiscard]] std::string unfinished() const;
  [[nodiscard]] std::string difference_of_files() const;
  [[nodiscard]] std::string difference_of_slices();

  Dice dice_;  ///< Its own, because the number of throws depends on the time.
  const Host& host_;
  const Directories directories_;
  const Status status_;
  kube::FakeApiServer api_;
  fake::PodResourcesServer pod_resources_;
  driver::DriverKubelet kubelet_;
  ByUid pods_;
  std::map<std::string, Call> calls_;  ///< The newest call of each Pod.
  /// Calls of earlier kubelets.
  std::vector<Call> abandoned_;
  size_t last_ = 0;
  std::string defect_;
  ByUid remembered_;
  kube::SliceStore remembered_store_;
};

}  // namespace patchbay::soak
