#include "soak/pods.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "dra/device_name.h"
#include "driver/claim_spec.h"

namespace patchbay::soak {
namespace {

namespace fs = std::filesystem;
using kube::Json;
using kube::kPool;
using Names = std::set<std::string>;

constexpr const char* kResource = "y.io/dra";
constexpr size_t kMostPods = 6;
/// The pause of the kubelet after a failed call.
constexpr std::chrono::milliseconds kPause{100};
/// The pause between two checks of the daemon.
constexpr std::chrono::milliseconds kCheckPause{10};

std::string text_of(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += " " + name;
  return text.empty() ? " none" : text;
}

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

}  // namespace

Pods::Pods(uint32_t seed, const Host& host, Directories directories, Status status)
    : dice_(seed),
      host_(host),
      directories_(std::move(directories)),
      status_(std::move(status)),
      pod_resources_(directories_.kubelet_root + "/pod-resources/kubelet.sock") {
  fs::create_directories(directories_.kubelet_root + "/plugins");
  fs::create_directories(directories_.kubelet_root + "/plugins_registry");
}

std::vector<std::string> Pods::options() const {
  const kube::Server server = api_.address();
  return {"--kubelet-root",   directories_.kubelet_root,
          "--node-name",      kPool.node,
          "--api-server",     server.url,
          "--api-ca",         server.ca_file,
          "--api-token-file", server.token_file};
}

void Pods::stir() {
  for (size_t i = 1 + dice_.below(3); i > 0; --i) start_pod();
  for (size_t i = dice_.below(3); i > 0; --i) {
    const std::string uid = any_pod(State::running);
    if (!uid.empty()) end(pods_.at(uid));
  }
  advance();
}

void Pods::delete_by_force() {
  const std::string uid = any_pod(State::running);
  if (!uid.empty()) remove(uid);
}

void Pods::end(Pod& pod) {
  pod.state = State::ending;
  pod.has_device = false;
}

void Pods::end_all() {
  for (auto& [uid, pod] : pods_) end(pod);
}

/// The scheduler knows the stored slices and the ResourceClaims only.
void Pods::start_pod() {
  if (pods_.size() >= kMostPods) return;
  std::vector<std::string> units;
  for (const std::string& unit : host_.dra_units()) {
    const std::string device = dra::device_name(kResource, unit);
    bool stored = false;
    api_.with_store([&](const kube::SliceStore& store) {
      stored = store.list(kPool.driver).dump().contains(device);
    });
    const auto has_unit = [&](const auto& pod) { return pod.second.unit == unit; };
    if (stored && std::ranges::none_of(pods_, has_unit)) units.push_back(unit);
  }
  if (units.empty()) return;
  const std::string uid = fmt::format("c{}", ++last_);
  pods_[uid] = {.unit = units[dice_.below(units.size())]};
  add_claim(uid, pods_[uid].unit);
}

void Pods::add_claim(const std::string& uid, const std::string& unit) {
  api_.allocate(uid, "dra", dra::device_name(kResource, unit));
}

void Pods::remove(const std::string& uid) {
  api_.remove_claim(kube::FakeApiServer::claim_path(uid));
  pods_.erase(uid);
  const auto call = calls_.find(uid);
  if (call == calls_.end()) return;
  abandoned_.push_back(std::move(call->second));
  calls_.erase(call);
}

void Pods::advance() {
  const auto is_ready = [](const Call& call) {
    return call.answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  std::erase_if(abandoned_, is_ready);
  kubelet_.register_driver(directories_.kubelet_root + "/plugins_registry");
  for (auto call = calls_.begin(); call != calls_.end();) {
    if (!is_ready(call->second)) {
      ++call;
      continue;
    }
    auto ended = calls_.extract(call++);
    take_answer(ended.key(), ended.mapped(), ended.mapped().answer.get());
  }
  for (auto& [uid, pod] : pods_) begin_call(uid, pod);
  show_pods();
}

void Pods::begin_call(const std::string& uid, Pod& pod) {
  const bool is_due = pod.state != State::running && !calls_.contains(uid) &&
                      pod.next_call <= std::chrono::steady_clock::now();
  if (!is_due || !kubelet_.has_driver()) return;
  const auto& service = kubelet_.service();
  calls_[uid] = {
      .state = pod.state,
      .service = service,
      .answer = pod.state == State::starting ? service->prepare({uid}) : service->unprepare({uid})};
}

void Pods::take_answer(const std::string& uid, const Call& call, const std::string& answer) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.state != call.state) return;
  Pod& pod = found->second;
  if (!answer.starts_with("ok ") || answer.contains(" error: ")) {
    pod.error = answer;
    pod.next_call = std::chrono::steady_clock::now() + kPause;
    return;
  }
  if (pod.state == State::ending) return remove(uid);
  pod.state = State::running;
  pod.has_device = true;
  for (const auto& [other, running] : pods_) {
    if (other != uid && running.has_device && running.unit == pod.unit) {
      defect_ = fmt::format("{} and {} have the device of {}", uid, other, pod.unit);
    }
  }
}

/// PodResources has the Pods that the kubelet has prepared.
void Pods::show_pods() {
  v1::ListPodResourcesResponse list;
  for (const auto& [uid, pod] : pods_) {
    if (pod.state == State::starting) continue;
    auto& shown = *list.add_pod_resources();
    shown.set_name("pod-" + uid);
    shown.set_namespace_("lab");
    auto& claim = *shown.add_containers()->add_dynamic_resources();
    claim.set_claim_name("claim-" + uid);
    claim.set_claim_namespace("lab");
    auto& device = *claim.add_claim_resources();
    device.set_driver_name(kPool.driver);
    device.set_pool_name(kPool.node);
    device.set_device_name(dra::device_name(kResource, pod.unit));
  }
  pod_resources_.answer(std::move(list));
}

std::string Pods::any_pod(State state) {
  std::vector<std::string> uids;
  for (const auto& [uid, pod] : pods_) {
    if (pod.state == state) uids.push_back(uid);
  }
  return uids.empty() ? "" : uids[dice_.below(uids.size())];
}

// Faults.

void Pods::restart_kubelet() {
  for (auto& [uid, call] : calls_) abandoned_.push_back(std::move(call));
  calls_.clear();
  kubelet_ = {};
  pod_resources_.stop();
  api_.with_store([](kube::SliceStore& store) {
    const Json slices = store.list(kPool.driver)["items"];
    for (const Json& slice : slices) {
      store.remove(slice["metadata"]["name"]);
    }
  });
  pod_resources_.start();
  for (auto& [uid, pod] : pods_) {
    if (pod.state == State::running) pod.state = State::starting;
  }
}

void Pods::remember() {
  remembered_ = pods_;
  api_.with_store([this](const kube::SliceStore& store) { remembered_store_ = store; });
}

void Pods::go_back() {
  api_.with_store([this](kube::SliceStore& store) { store = remembered_store_; });
  for (auto& [uid, pod] : pods_) {
    if (remembered_.contains(uid)) continue;
    api_.remove_claim(kube::FakeApiServer::claim_path(uid));
    end(pod);
  }
  for (const auto& [uid, pod] : remembered_) {
    add_claim(uid, pod.unit);
    // The kubelet starts a Pod again that had ended.
    if (!pods_.contains(uid)) pods_[uid] = {.unit = pod.unit};
  }
}

void Pods::change_slices() {
  api_.with_store([this](kube::SliceStore& store) {
    const Json slices = store.list(kPool.driver)["items"];
    if (slices.empty()) return;
    Json slice = slices[dice_.below(slices.size())];
    const std::string name = slice["metadata"]["name"];
    switch (dice_.below(4)) {
      case 0:
        store.remove(name);
        break;
      case 1:
        slice["spec"]["devices"] = Json::array();
        store.replace(name, slice.dump());
        break;
      case 2:
        slice["spec"]["pool"]["generation"] = 1 + slice["spec"]["pool"]["generation"].get<int>();
        store.replace(name, slice.dump());
        break;
      default:
        slice["metadata"] = {{"generateName", "of-another-writer-"}};
        slice["spec"]["pool"]["generation"] = 1 + slice["spec"]["pool"]["generation"].get<int>();
        slice["spec"]["devices"] = {{{"name", "foreign"}}};
        store.create(slice.dump());
    }
  });
}

void Pods::cut_a_record() {
  const std::string uid = any_pod(State::running);
  if (uid.empty()) return;
  const fs::path record = directories_.kubelet_root + "/plugins/patchbay/claims/" + uid + ".json";
  fs::resize_file(record, dice_.below(fs::file_size(record) / 2));
  if (dice_.once_in(2)) fs::remove(directories_.cdi + "/" + driver::claim_spec_name(uid));
  end(pods_.at(uid));
}

void Pods::remove_specs() {
  for (const auto& [uid, pod] : pods_) {
    std::error_code missing;
    fs::remove(directories_.cdi + "/" + driver::claim_spec_name(uid), missing);
  }
}

// Checks.

std::string Pods::finish_ends() {
  const auto is_ending = [](const auto& pod) { return pod.second.state == State::ending; };
  const bool ended = fake::wait_until([&] {
    std::this_thread::sleep_for(kCheckPause);
    advance();
    return std::ranges::none_of(pods_, is_ending);
  });
  return ended ? "" : unfinished();
}

std::string Pods::settle() {
  const Names plugged = host_.dra_units();
  std::string wrong;
  const bool settled = fake::wait_until([&] {
    std::this_thread::sleep_for(kCheckPause);
    advance();
    for (auto& [uid, pod] : pods_) {
      // The user deletes it, as the event says.
      if (pod.state == State::starting && pod.error.contains("not on this node") &&
          !plugged.contains(pod.unit)) {
        end(pod);
      }
    }
    wrong = unfinished();
    if (wrong.empty()) wrong = difference_of_files();
    if (wrong.empty()) wrong = difference_of_slices();
    return wrong.empty() || !defect_.empty();
  });
  if (!defect_.empty()) return defect_;
  return settled ? "" : wrong;
}

std::string Pods::unfinished() const {
  for (const auto& [uid, pod] : pods_) {
    if (pod.state == State::running) continue;
    return fmt::format("the Pod with {} of {} does not {}: {}", uid, pod.unit,
                       pod.state == State::starting ? "start" : "end", pod.error);
  }
  return {};
}

/// The records match the ResourceClaims of Pods, and the CDI specs match the records.
std::string Pods::difference_of_files() const {
  Names running;
  Names records;
  Names specs;
  for (const auto& [uid, pod] : pods_) running.insert(uid);
  std::error_code missing;
  const fs::path claims = directories_.kubelet_root + "/plugins/patchbay/claims";
  for (const auto& file : fs::directory_iterator(claims, missing)) {
    const Json record = Json::parse(read_text(file.path()), nullptr, false);
    const bool prepared = record.is_object() && record.value("phase", "") == "prepared";
    records.insert(file.path().stem().string() + (prepared ? "" : " (not prepared)"));
  }
  for (const auto& file : fs::directory_iterator(directories_.cdi, missing)) {
    const std::string name = file.path().filename();
    const std::string begin = driver::claim_spec_name("");
    const size_t length = begin.find(".json");
    if (name.substr(0, length) != begin.substr(0, length)) continue;
    const std::string uid = file.path().stem().string().substr(length);
    const auto spec = driver::read_claim_spec(directories_.cdi, uid);
    specs.insert(uid + (spec && spec->devices.size() == 1 ? "" : " (malformed)"));
  }
  if (records != running) {
    return fmt::format("the Pods have{}, the records are{}", text_of(running), text_of(records));
  }
  if (specs != records) {
    return fmt::format("the records are{}, the CDI specs are{}", text_of(records), text_of(specs));
  }
  return {};
}

/// The stored slices and the daemon's status match the host.
std::string Pods::difference_of_slices() {
  Names host = host_.dra_units();
  for (const auto& [uid, pod] : pods_) host.insert(pod.unit);
  Names wanted;
  for (const std::string& unit : host) wanted.insert(dra::device_name(kResource, unit));
  Names stored;
  api_.with_store([&](const kube::SliceStore& store) {
    const Json slices = store.list()["items"];
    for (const Json& slice : slices) {
      for (const Json& device : slice["spec"]["devices"]) {
        stored.insert(device["name"].get<std::string>());
      }
    }
  });
  if (stored != wanted) {
    return fmt::format("the slices have{}, the host and Pods{}", text_of(stored), text_of(wanted));
  }
  // A daemon that took over makes its status socket within ten seconds.
  const Json status = Json::parse(status_(), nullptr, false);
  if (!status.is_object()) return {};
  Names units;
  for (const Json& resource : status["resources"]) {
    if (resource["name"] != kResource) continue;
    for (const Json& unit : resource["units"]) units.insert(unit["id"].get<std::string>());
  }
  Names claims;
  for (const Json& driver : status["draDrivers"]) {
    for (const Json& claim : driver["claims"]) {
      claims.insert(claim["uid"].get<std::string>());
      for (const Json& device : claim["devices"]) units.insert(device["unit"].get<std::string>());
    }
  }
  if (units != host) {
    return fmt::format("the host and Pods have{}, the status has{}", text_of(host), text_of(units));
  }
  return claims.size() == pods_.size() ? "" : "the status has the ResourceClaims" + text_of(claims);
}

}  // namespace patchbay::soak
