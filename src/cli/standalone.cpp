#include "cli/standalone.h"

#include <stdlib.h>

#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/line_input.h"
#include "cli/list_printer.h"
#include "cli/terminal.h"
#include "standin/kubelet.h"

namespace patchbay::cli {
namespace {

constexpr std::chrono::seconds kAllocateDeadline{10};
constexpr const char* kHelp =
    "allocate RESOURCE ID...   what a container with these units would get\n"
    "list                      every resource and its units\n"
    "quit                      end (also: Ctrl-C)\n";

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class EmbeddedKubelet final : public Standalone {
 public:
  EmbeddedKubelet(loop::UvLoop& loop, std::string directory)
      : loop_(loop),
        directory_(std::move(directory)),
        input_(loop, [this](const std::string& line) { obey(words_of(line)); }) {}

  ~EmbeddedKubelet() override {
    kubelet_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  Result<void> start_kubelet() {
    using Devices = std::vector<standin::ListedDevice>;
    standin::KubeletEvents events;
    events.refused = [this](const std::string& resource, const std::string& why) {
      loop_.post([=] { print_error("refused " + resource + ": " + why + "\n"); });
    };
    events.listed = [this](const std::string& resource, const Devices& devices) {
      loop_.post([this, resource, devices] { print(lists_.changed(resource, devices)); });
    };
    events.ended = [this](const std::string& resource, const std::string& /*why*/) {
      loop_.post([this, resource] { lists_.ended(resource); });
    };
    auto kubelet = standin::Kubelet::start({.directory = directory_}, std::move(events));
    if (!kubelet) return std::unexpected(kubelet.error());
    kubelet_ = std::move(*kubelet);
    return {};
  }

  [[nodiscard]] const std::string& directory() const override { return directory_; }

 private:
  void obey(const std::vector<std::string>& words) {
    if (words.empty()) return;
    if (words[0] == "allocate" && words.size() >= 3) return allocate(words);
    if (words[0] == "list") return print(lists_.table());
    if (words[0] == "quit") return loop_.stop();
    if (words[0] != "help") print_error("unknown or incomplete: " + words[0] + "\n");
    print_error(kHelp);
  }

  void allocate(const std::vector<std::string>& words) {
    auto answer = std::make_shared<Result<standin::AllocateAnswer>>();
    // Off the loop: the answer comes over the socket that the loop accepts.
    loop_.work(
        [kubelet = kubelet_, words, answer] {
          *answer =
              kubelet->allocate(words[1], {words.begin() + 2, words.end()}, kAllocateDeadline);
        },
        [answer] {
          if (*answer) {
            print(**answer + "\n");
          } else {
            print_error(answer->error().message + "\n");
          }
        });
  }

  loop::UvLoop& loop_;
  std::string directory_;
  ListPrinter lists_;
  std::shared_ptr<standin::Kubelet> kubelet_;
  LineInput input_;
};

}  // namespace

Result<std::unique_ptr<Standalone>> Standalone::start(loop::UvLoop& loop) {
  std::string directory = std::filesystem::temp_directory_path() / "patchbay-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return fail_errno("cannot make " + directory, errno);
  auto standalone = std::make_unique<EmbeddedKubelet>(loop, directory);
  if (auto started = standalone->start_kubelet(); !started) {
    return std::unexpected(started.error());
  }
  return standalone;
}

}  // namespace patchbay::cli
