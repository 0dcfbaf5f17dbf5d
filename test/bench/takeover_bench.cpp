#include "bench/takeover_bench.h"

#include <signal.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include <fmt/core.h>

#include "bench/report.h"
#include "fake/fake_kubelet.h"
#include "fake/process.h"
#include "fake/temp_dir.h"

namespace patchbay::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = fake::KubeletEvent::Kind;
using fake::ClientRules;

constexpr int kTakeovers = 100;
constexpr const char* kResource = "example.com/null";

class Takeovers {
 public:
  Takeovers(const std::string& binary, ClientRules rules)
      : kubelet_({.directory = dir_ / "device-plugins", .rules = rules}),
        command_({binary, "run", "--log-level", "info", "--kubelet-dir", dir_ / "device-plugins",
                  "--status-socket", dir_ / "status.sock", "--config",
                  dir_.write("config.yaml",
                             "apiVersion: patchbay/v1\nkind: Config\nresources:\n"
                             "  - {name: example.com/null, match: {glob: /dev/null}, "
                             "id: $(name)}\n")}) {
    serving_ = std::make_unique<fake::Process>(command_);
    wait_for_list(0);
  }
  ~Takeovers() {
    serving_->send_signal(SIGTERM);
    serving_->wait();
  }
  Takeovers(const Takeovers&) = delete;
  Takeovers& operator=(const Takeovers&) = delete;

  struct Gap {
    Nanoseconds after_exit;  ///< Until the new list; 0 if it came before the exit.
    Nanoseconds without;     ///< From the end of the old stream to the new list.
  };
  /// Starts a second daemon, waits until it is on standby, and ends the serving one by the signal.
  Gap take_over_after(int signal_number) {
    auto next = std::make_unique<fake::Process>(command_);
    if (!next->wait_for_line("standby"))
      throw std::runtime_error("the new daemon is not in standby");
    const size_t mark = kubelet_.log().size();
    serving_->send_signal(signal_number);
    serving_->wait();
    const auto exited = Clock::now();
    const auto listed = wait_for_list(mark);
    const auto ended = kubelet_.wait_for(Kind::ended, kResource, mark);
    if (!ended) throw std::runtime_error("the old stream has not ended");
    serving_ = std::move(next);
    return {.after_exit = std::max<Nanoseconds>(listed - exited, Nanoseconds{0}),
            .without = listed - ended->at};
  }

  /// The time from the end of a stream, which the kubelet cut after its first list, to the next
  /// list.
  Nanoseconds cut() {
    const size_t mark = kubelet_.log().size();
    kubelet_.stop();
    kubelet_.set_faults({.stream_cancels = 1, .cancel_after = 1});
    kubelet_.start_again();
    std::optional<Nanoseconds> without;
    const auto is_over = [&](const auto& events) {
      without = after_the_cut({events.begin() + static_cast<std::ptrdiff_t>(mark), events.end()});
      return without.has_value();
    };
    if (!kubelet_.log().wait_until(is_over))
      throw std::runtime_error("no list after the stream was cut:\n" + kubelet_.story());
    return *without;
  }

  /// The time from the start of a kubelet in a recreated directory to the list.
  Nanoseconds start_with_new_directory() {
    const size_t mark = kubelet_.log().size();
    kubelet_.stop();
    kubelet_.recreate_directory();
    kubelet_.start_again();
    const auto listed = wait_for_list(mark);
    return listed - kubelet_.wait_for(Kind::started, "", mark)->at;
  }

 private:
  /// The time from the cut to the next list. The cut stream is the first one that ends after the
  /// start of the new kubelet.
  static std::optional<Nanoseconds> after_the_cut(const std::vector<fake::KubeletEvent>& events) {
    bool started = false;
    std::optional<Clock::time_point> cut;
    for (const fake::KubeletEvent& event : events) {
      started = started || event.kind == Kind::started;
      if (started && !cut && event.kind == Kind::ended) cut = event.at;
      if (cut && event.kind == Kind::listed) return event.at - *cut;
    }
    return std::nullopt;
  }

  Clock::time_point wait_for_list(size_t mark) {
    const auto listed = kubelet_.wait_for_list(
        kResource, [](const auto& d) { return d.size() == 1; }, mark);
    if (!listed) throw std::runtime_error("no list received");
    return listed->at;
  }

  fake::TempDir dir_;
  fake::FakeKubelet kubelet_;
  std::vector<std::string> command_;
  std::unique_ptr<fake::Process> serving_;
};

void measure(const std::string& binary, ClientRules rules, const std::string& kubelets) {
  Takeovers takeovers(binary, rules);
  for (const int signal_number : {SIGTERM, SIGKILL}) {
    std::vector<Nanoseconds> after_exit;
    std::vector<Nanoseconds> without;
    for (int i = 0; i < kTakeovers; ++i) {
      const auto gap = takeovers.take_over_after(signal_number);
      after_exit.push_back(gap.after_exit);
      without.push_back(gap.without);
    }
    const char* name = signal_number == SIGTERM ? "SIGTERM" : "SIGKILL";
    print_times(fmt::format("{}: exit by {} -> new list", kubelets, name), after_exit);
    print_times(fmt::format("{}: old stream's end -> new list", kubelets), without);
  }
  std::vector<Nanoseconds> cuts;
  for (int i = 0; i < kTakeovers; ++i) cuts.push_back(takeovers.cut());
  print_times(fmt::format("{}: stream cut -> list", kubelets), cuts);
  std::vector<Nanoseconds> anew;
  for (int i = 0; i < kTakeovers; ++i) anew.push_back(takeovers.start_with_new_directory());
  print_times(fmt::format("{}: kubelet starts with a new directory -> list", kubelets), anew);
}

}  // namespace

void measure_takeover(const std::string& binary) {
  measure(binary, ClientRules::by_name, "kubelet to 1.36");
  measure(binary, ClientRules::by_name_and_path, "kubelet from 1.37");
}

}  // namespace patchbay::bench
