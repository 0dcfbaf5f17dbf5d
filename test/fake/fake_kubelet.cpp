#include "fake/fake_kubelet.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "fake/socket_directory.h"
#include "standin/kubelet_messages.h"

namespace patchbay::fake {
namespace {

using Stub = v1beta1::DevicePlugin::Stub;

std::string_view name_of(KubeletEvent::Kind kind) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "started", "stopped",    "accepted",      "register_called", "dialled",
      "refused", "registered", "stream_opened", "listed",          "ended"};
  return kNames.at(static_cast<size_t>(kind));
}

void must(bool worked, const std::string& what) {
  if (!worked) throw std::system_error(errno, std::generic_category(), what);
}

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace

FakeKubelet::FakeKubelet(Options options) : options_(std::move(options)), random_(options_.seed) {
  start_again();
}

FakeKubelet::~FakeKubelet() { stop(); }

void FakeKubelet::stop() {
  std::unique_ptr<KubeletCore> core;
  {
    const std::lock_guard lock(mutex_);
    if (!core_) return;
    stopping_ = true;
    core = std::move(core_);
    let_go_.notify_all();
  }
  core.reset();
  log_.add({.kind = Kind::stopped, .at = std::chrono::steady_clock::now()});
}

void FakeKubelet::start_again() {
  must(make_directory(options_.directory));
  unlink_sockets();
  // Logged first, because a plugin may be faster than this thread. The plugin then waits in
  // on_register() for the lock.
  log_.add({.kind = Kind::started, .at = std::chrono::steady_clock::now()});
  const std::lock_guard lock(mutex_);
  stopping_ = false;
  core_ = must(KubeletCore::start({.directory = options_.directory,
                                   .rules = options_.rules,
                                   .dial_timeout = options_.dial_timeout},
                                  *this));
}

void FakeKubelet::restart() {
  stop();
  start_again();
}

void FakeKubelet::unlink_sockets() {
  auto sockets = must(sockets_in(options_.directory));
  std::ranges::sort(sockets);
  std::ranges::shuffle(sockets, random_);
  for (const std::string& path : sockets) {
    must(::unlink(path.c_str()) == 0 || errno == ENOENT, "unlink " + path);
  }
}

void FakeKubelet::unlink_plugin_socket(const std::string& resource) {
  const auto client = newest(resource);
  if (!client) throw std::runtime_error("no plugin for " + resource);
  const std::string& path = client->link.address().path;
  must(::unlink(path.c_str()) == 0 || errno == ENOENT, "unlink " + path);
}

void FakeKubelet::recreate_directory() {
  // A plugin may create or remove files while the directory is being emptied.
  std::error_code busy;
  do {
    std::filesystem::remove_all(options_.directory, busy);
  } while (busy == std::errc::directory_not_empty || busy == std::errc::no_such_file_or_directory);
  must(!busy, "remove " + options_.directory);
  must(make_directory(options_.directory));
}

void FakeKubelet::touch_socket() {
  const std::string aside = socket() + ".aside";
  must(::rename(socket().c_str(), aside.c_str()) == 0, "rename " + socket());
  must(::link(aside.c_str(), socket().c_str()) == 0, "link " + socket());
  must(::unlink(aside.c_str()) == 0, "unlink " + aside);
}

void FakeKubelet::set_faults(KubeletFaults faults, const std::string& resource) {
  const std::lock_guard lock(mutex_);
  faults_[resource] = std::move(faults);
  let_go_.notify_all();
}

KubeletFaults& FakeKubelet::faults_of(const std::string& resource) {
  const auto own = faults_.find(resource);
  return own != faults_.end() ? own->second : faults_[kEveryResource];
}

grpc::Status FakeKubelet::on_register(const PluginAddress& plugin) {
  add(Kind::register_called, plugin);
  std::unique_lock lock(mutex_);
  let_go_.wait(lock, [&] { return stopping_ || !faults_of(plugin.resource).block_register; });
  if (stopping_) return {grpc::StatusCode::UNAVAILABLE, "the kubelet stops"};
  KubeletFaults& faults = faults_of(plugin.resource);
  if (faults.register_errors == 0) return {};
  --faults.register_errors;
  return faults.register_error;
}

bool FakeKubelet::may_watch(const PluginAddress& plugin) {
  const std::lock_guard lock(mutex_);
  KubeletFaults& faults = faults_of(plugin.resource);
  if (faults.hang_ups == 0) return true;
  --faults.hang_ups;
  return false;
}

bool FakeKubelet::may_read(const PluginAddress& plugin, size_t lists_read) {
  if (lists_read == 0) {
    {
      const std::lock_guard lock(mutex_);
      open_[&plugin] = plugin.resource;
    }
    add(Kind::stream_opened, plugin);
  }
  std::unique_lock lock(mutex_);
  let_go_.wait(lock, [&] { return stopping_ || !faults_of(plugin.resource).block_reads; });
  KubeletFaults& faults = faults_of(plugin.resource);
  if (faults.stream_cancels == 0 || lists_read < faults.cancel_after) return true;
  --faults.stream_cancels;
  return false;
}

void FakeKubelet::accepted() {
  log_.add({.kind = Kind::accepted, .at = std::chrono::steady_clock::now()});
}

void FakeKubelet::dialled(const PluginAddress& plugin) { add(Kind::dialled, plugin); }

void FakeKubelet::refused(const PluginAddress& plugin, const std::string& why) {
  add(Kind::refused, plugin, why);
}

void FakeKubelet::registered(const PluginAddress& plugin) { add(Kind::registered, plugin); }

void FakeKubelet::listed(const PluginAddress& plugin, const v1beta1::ListAndWatchResponse& list,
                         std::chrono::steady_clock::time_point at) {
  log_.add({.kind = Kind::listed,
            .resource = plugin.resource,
            .endpoint = plugin.endpoint,
            .devices = std::make_shared<const Devices>(standin::to_devices(list)),
            .at = at});
}

void FakeKubelet::ended(const PluginAddress& plugin, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    open_.erase(&plugin);
  }
  add(Kind::ended, plugin, why);
}

void FakeKubelet::add(Kind kind, const PluginAddress& plugin, const std::string& why) {
  log_.add({.kind = kind,
            .resource = plugin.resource,
            .endpoint = plugin.endpoint,
            .why = why,
            .devices = nullptr,
            .at = std::chrono::steady_clock::now()});
}

std::optional<KubeletEvent> FakeKubelet::wait_for(Kind kind, const std::string& resource,
                                                  size_t from,
                                                  std::chrono::milliseconds patience) const {
  return log_.wait_for(
      [&](const KubeletEvent& event) { return event.kind == kind && event.resource == resource; },
      from, patience);
}

std::optional<KubeletEvent> FakeKubelet::wait_for_list(
    const std::string& resource, const std::function<bool(const Devices&)>& wanted, size_t from,
    std::chrono::milliseconds patience) const {
  return log_.wait_for(
      [&](const KubeletEvent& event) {
        return event.kind == Kind::listed && event.resource == resource && wanted(*event.devices);
      },
      from, patience);
}

size_t FakeKubelet::count(Kind kind, const std::string& resource) const {
  return log_.count([&](const KubeletEvent& event) {
    return event.kind == kind && (resource.empty() || event.resource == resource);
  });
}

size_t FakeKubelet::streams_open(const std::string& resource) const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::ranges::count_if(
      open_, [&](const auto& stream) { return resource.empty() || stream.second == resource; }));
}

std::optional<KubeletEvent> FakeKubelet::latest(const std::string& resource) const {
  return log_.read([&](const auto& events) -> std::optional<KubeletEvent> {
    const auto found = std::find_if(events.rbegin(), events.rend(), [&](const KubeletEvent& event) {
      return event.kind == Kind::listed && event.resource == resource;
    });
    if (found == events.rend()) return std::nullopt;
    return *found;
  });
}

std::vector<KubeletEvent> FakeKubelet::history(const std::string& resource) const {
  return log_.read([&](const auto& events) {
    std::vector<KubeletEvent> lists;
    std::ranges::copy_if(events, std::back_inserter(lists), [&](const KubeletEvent& event) {
      return event.kind == Kind::listed && event.resource == resource;
    });
    return lists;
  });
}

std::string FakeKubelet::story() const {
  std::string text;
  for (const KubeletEvent& event : log_.all()) {
    text += name_of(event.kind);
    for (const std::string* part : {&event.resource, &event.endpoint}) {
      if (!part->empty()) text += ' ' + *part;
    }
    if (!event.why.empty()) text += ": " + event.why;
    if (event.devices) text += fmt::format(" {} devices", event.devices->size());
    text += '\n';
  }
  return text;
}

ClientPtr FakeKubelet::newest(const std::string& resource) const {
  const std::lock_guard lock(mutex_);
  return core_ ? core_->newest(resource) : nullptr;
}

Result<v1beta1::ContainerAllocateResponse> FakeKubelet::allocate(
    const std::string& resource, const std::vector<std::string>& ids,
    std::chrono::milliseconds deadline) const {
  v1beta1::AllocateResponse answer;
  const auto status = call(resource, &Stub::Allocate, allocate_request(ids), answer, deadline);
  if (!status.ok()) return fail(standin::to_text(status));
  if (answer.container_responses_size() != 1) return fail("not one container in the answer");
  return answer.container_responses(0);
}

Result<std::vector<std::string>> FakeKubelet::preferred_allocation(
    const std::string& resource, const PreferenceQuery& query) const {
  v1beta1::PreferredAllocationResponse answer;
  const auto status =
      call(resource, &Stub::GetPreferredAllocation, preference_request(query), answer);
  if (!status.ok()) return fail(standin::to_text(status));
  if (answer.container_responses_size() != 1) return fail("not one container in the answer");
  const auto& ids = answer.container_responses(0).deviceids();
  return std::vector<std::string>(ids.begin(), ids.end());
}

Result<void> FakeKubelet::pre_start(const std::string& resource,
                                    const std::vector<std::string>& ids) const {
  v1beta1::PreStartContainerRequest request;
  request.mutable_devices_ids()->Assign(ids.begin(), ids.end());
  v1beta1::PreStartContainerResponse answer;
  const auto status = call(resource, &Stub::PreStartContainer, request, answer);
  if (!status.ok()) return fail(standin::to_text(status));
  return {};
}

std::optional<PluginOptions> FakeKubelet::options(const std::string& resource) const {
  const auto client = newest(resource);
  if (!client) return std::nullopt;
  return client->options;
}

std::string FakeKubelet::endpoint(const std::string& resource) const {
  const auto client = newest(resource);
  return client ? client->link.address().endpoint : std::string{};
}

}  // namespace patchbay::fake
