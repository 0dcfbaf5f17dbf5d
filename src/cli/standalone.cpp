#include "cli/standalone.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/line_input.h"
#include "cli/list_printer.h"
#include "cli/terminal.h"
#include "serve/endpoint_name.h"
#include "standin/kubelet.h"

namespace patchbay::cli {
namespace {

constexpr std::chrono::seconds kAllocateDeadline{10};
constexpr size_t kMaxSocketPath = 107;
constexpr const char* kHelp =
    "allocate RESOURCE ID...   what a container with these units would get\n"
    "list                      every resource and its units\n"
    "quit                      end (also: Ctrl-C)\n";

using Words = std::vector<std::string>;
using Devices = std::vector<standin::ListedDevice>;

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string shown(const std::string& text) { return printable(text, 1000); }

/// Of the sockets in the directory, the longest path that there can be.
size_t longest_path(const std::string& directory, const rules::Plan& plan) {
  size_t longest = std::string_view("kubelet.sock").size();
  for (const rules::ResourcePlan& resource : plan.resources) {
    longest = std::max(longest, serve::endpoint_name(resource.name, "00000000", 99'999).size());
  }
  return directory.size() + 1 + longest;
}

/// A new directory that only we can look into.
Result<std::string> make_directory(const rules::Plan& plan) {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error) return fail_errno("no directory for temporary files, see $TMPDIR", error.value());
  std::string directory = parent / "pb-XXXXXX";
  if (longest_path(directory, plan) > kMaxSocketPath) {
    return fail("the path of sockets in " + shown(directory) +
                " would be too long; set TMPDIR to a directory with a short path");
  }
  if (mkdtemp(directory.data()) == nullptr) {
    return fail_errno("cannot make a directory in " + shown(parent), errno);
  }
  return directory;
}

class EmbeddedKubelet final : public Standalone {
 public:
  EmbeddedKubelet(loop::UvLoop& loop, std::string directory, size_t resources)
      : loop_(loop),
        directory_(std::move(directory)),
        resources_(resources),
        input_(loop, [this](const std::string& line) {
          lines_.push_back(line);
          obey_lines();
        }) {}

  ~EmbeddedKubelet() override {
    self_.reset();
    kubelet_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  Result<void> start_kubelet();

  [[nodiscard]] const std::string& directory() const override { return directory_; }

 private:
  /// Passes what the kubelet's threads say to the loop. The kubelet may live a little longer than
  /// this object: an allocation that is under way keeps it.
  template <typename Act>
  auto on_loop(Act act) {
    return [&loop = loop_, act, self = std::weak_ptr(self_)](const std::string& resource,
                                                             const auto& said) {
      loop.post([act, self, resource, said] {
        if (const auto me = self.lock()) act(**me, resource, said);
      });
    };
  }

  void listed(const std::string& resource, const Devices& devices);
  void obey_lines();
  void obey(const std::string& line);
  void allocate(const Words& words);

  loop::UvLoop& loop_;
  std::string directory_;
  size_t resources_;
  std::set<std::string> listed_;  ///< Those that have been, once.
  ListPrinter lists_;
  std::deque<std::string> lines_;
  bool allocating_ = false;
  std::shared_ptr<standin::Kubelet> kubelet_;
  std::shared_ptr<EmbeddedKubelet*> self_ = std::make_shared<EmbeddedKubelet*>(this);
  LineInput input_;
};

Result<void> EmbeddedKubelet::start_kubelet() {
  using Text = const std::string&;
  standin::KubeletEvents events;
  events.refused = on_loop([](EmbeddedKubelet&, Text resource, Text why) {
    print_error("refused " + shown(resource) + ": " + shown(why) + "\n");
  });
  events.listed = on_loop([](EmbeddedKubelet& self, Text resource, const Devices& devices) {
    self.listed(resource, devices);
  });
  events.ended = on_loop(
      [](EmbeddedKubelet& self, Text resource, Text /*why*/) { self.lists_.ended(resource); });
  auto kubelet = standin::Kubelet::start({.directory = directory_}, std::move(events));
  if (!kubelet) return std::unexpected(kubelet.error());
  kubelet_ = std::move(*kubelet);
  return {};
}

void EmbeddedKubelet::listed(const std::string& resource, const Devices& devices) {
  print(lists_.changed(resource, devices));
  listed_.insert(resource);
  obey_lines();
}

void EmbeddedKubelet::obey_lines() {
  while (!allocating_ && !lines_.empty() && listed_.size() >= resources_) {
    const std::string line = std::move(lines_.front());
    lines_.pop_front();
    obey(line);
  }
}

void EmbeddedKubelet::obey(const std::string& line) {
  const Words words = words_of(line);
  if (words.empty()) return;
  if (words[0] == "allocate" && words.size() >= 3) return allocate(words);
  if (words[0] == "help") return print_error(kHelp);
  if (words.size() == 1 && words[0] == "list") {
    print(lists_.table());
  } else if (words.size() == 1 && words[0] == "quit") {
    lines_.clear();
    loop_.stop();
  } else {
    print_error("not understood: " + shown(line) + "\n" + kHelp);
  }
}

void EmbeddedKubelet::allocate(const Words& words) {
  allocating_ = true;
  auto answer = std::make_shared<Result<standin::AllocateAnswer>>();
  // Off the loop: the answer comes over the socket that the loop accepts.
  loop_.work(
      [kubelet = kubelet_, words, answer] {
        *answer = kubelet->allocate(words[1], {words.begin() + 2, words.end()}, kAllocateDeadline);
      },
      [answer, self = std::weak_ptr(self_)] {
        const auto me = self.lock();
        if (!me) return;
        if (*answer) {
          print(**answer + "\n");
        } else {
          print_error(shown(answer->error().message) + "\n");
        }
        (*me)->allocating_ = false;
        (*me)->obey_lines();
      });
}

}  // namespace

Result<std::unique_ptr<Standalone>> Standalone::start(loop::UvLoop& loop, const rules::Plan& plan) {
  auto directory = make_directory(plan);
  if (!directory) return std::unexpected(std::move(directory).error());
  auto standalone =
      std::make_unique<EmbeddedKubelet>(loop, *std::move(directory), plan.resources.size());
  if (auto started = standalone->start_kubelet(); !started) {
    return std::unexpected(started.error());
  }
  if (is_terminal(STDIN_FILENO)) print_error("a kubelet of our own; type: help\n");
  return standalone;
}

}  // namespace patchbay::cli
