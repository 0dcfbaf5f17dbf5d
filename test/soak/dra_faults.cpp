// Faults around the DRA driver.
#include <signal.h>

#include <string>

#include "soak/soak.h"

namespace patchbay::soak {

/// The daemon has not stored its slices yet, or has just stored them.
void Soak::kubelet_restarts_at_a_publication() {
  host_.flap_dra_units();
  if (dice_.once_in(2)) failed_ = pods_.settle();
  pods_.restart_kubelet();
}

void Soak::connection_was_idle() { pods_.reconnect_kubelet(); }

/// Prepared ResourceClaims end, and device plugins do not notice.
void Soak::api_server_is_away() {
  pods_.api().stop();
  pods_.stir();
  if (dice_.once_in(2)) host_.flap_dra_units();
  if (!lists_are_right()) failed_ = "while the API server was away";
  if (const std::string defect = pods_.finish_ends(); !defect.empty()) failed_ = defect;
  pods_.api().start();
}

void Soak::api_server_is_slow() {
  fail_requests({.method = {}, .path_part = {}, .slow = true});
  host_.flap_dra_units();
  pods_.stir();
  if (!lists_are_right()) failed_ = "while the API server was slow";
  pods_.api().stop_failing();
}

void Soak::api_server_is_busy() {
  fail_requests({.method = {}, .path_part = {}, .status = 429, .retry_after = "1"});
  host_.flap_dra_units();
  pods_.stir();
  if (!lists_are_right()) failed_ = "while the API server was busy";
  pods_.api().stop_failing();
}

void Soak::fail_requests(const kube::FakeApiServer::Failure& failure) {
  for (const char* method : {"GET", "POST", "PUT", "DELETE", "WATCH"}) {
    if (dice_.once_in(2)) continue;
    auto one = failure;
    one.method = method;
    one.times = static_cast<int>(1 + dice_.below(3));
    pods_.api().fail(one);
  }
}

/// As from a backup.
void Soak::api_server_has_older_data() {
  pods_.remember();
  pods_.stir();
  if (dice_.once_in(2)) host_.flap_dra_units();
  failed_ = pods_.settle();
  pods_.stir();
  pods_.api().stop();
  pods_.go_back();
  pods_.api().start();
}

void Soak::token_is_replaced() {
  const std::string token = "token-" + std::to_string(dice_.below(1U << 30U));
  if (dice_.once_in(2)) {
    pods_.api().set_token(token, false);
    host_.flap_dra_units();
    pods_.stir();
  }
  pods_.api().set_token(token, true);
}

void Soak::slices_are_changed() {
  for (size_t i = 1 + dice_.below(2); i > 0; --i) pods_.change_slices();
}

void Soak::cdi_directory_is_emptied() { pods_.remove_specs(); }

void Soak::cdi_directory_is_full() {
  if (!cdi_disk_.is_mounted()) return;
  cdi_disk_.fill();
  pods_.stir();
  if (!lists_are_right()) failed_ = "while the CDI directory was full";
  pods_.stir();
  cdi_disk_.empty();
}

void Soak::cdi_directory_is_read_only() {
  if (!cdi_disk_.is_mounted()) return;
  if (!cdi_disk_.set_read_only(true)) failed_ = "the CDI directory is in use";
  pods_.stir();
  if (!lists_are_right()) failed_ = "while the CDI directory was read-only";
  pods_.stir();
  if (!cdi_disk_.set_read_only(false)) failed_ = "the CDI directory stays read-only";
}

/// As after a power failure.
void Soak::record_is_cut() {
  failed_ = pods_.settle();
  if (!failed_.empty()) return;
  daemon_->send_signal(SIGKILL);
  daemon_->wait();
  pods_.cut_a_record();
  start_daemon();
}

void Soak::devices_flap() { host_.flap_dra_units(); }

void Soak::pod_is_deleted_by_force() {
  pods_.delete_by_force();
  pods_.stir();
}

}  // namespace patchbay::soak
