// Tests the output of `diff` for two configurations.
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <thread>

#include "base/unique_fd.h"
#include "base/unix_address.h"
#include "cli/cli_fixture.h"
#include "cli/pseudo_terminal.h"

namespace patchbay::cli {
namespace {

constexpr const char* kDiffHead =
    "apiVersion: patchbay/v1\nkind: Config\ndefaults: {domain: lab.example.com}\nresources:\n";
constexpr const char* kKept = "  - {name: kept, match: {static: [a]}}\n";

class DiffTest : public CliTest {
 protected:
  DiffTest() {
    dir_.write("old.yaml", std::string(kDiffHead) + R"(
  - {name: line, match: {glob: /dev/line*}}
  - {name: scope, match: {static: [scope1]}}
)" + kKept + "  - {name: gone, match: {static: [b]}}\n");
    dir_.write("new.yaml", std::string(kDiffHead) + R"(
  - {name: line, match: {glob: /dev/line*}, linger: 1m, envs: {A: b}}
  - {name: scope, match: {static: [scope1]}, preStart: [{exec: [/bin/true]}]}
)" + kKept);
  }
  [[nodiscard]] std::string diff(const std::string& before, const std::string& now,
                                 const Words& more = {}) const {
    Words words{"diff", dir_ / before, dir_ / now};
    words.insert(words.end(), more.begin(), more.end());
    return output_of(words);
  }
};

TEST_F(DiffTest, ReportsChangeOfEachResource) {
  EXPECT_EQ(diff("old.yaml", "new.yaml"), R"(exit 1
--- out
RESOURCE               CHANGE         KEYS
lab.example.com/line   changed        linger envs
lab.example.com/scope  re-registered  preStart
lab.example.com/kept   kept           -
lab.example.com/gone   removed        -
--- err
)");
}

TEST_F(DiffTest, EquivalentConfigurationsDoNotDiffer) {
  dir_.write("same.yaml", "# The same, written again.\n" + std::string(kDiffHead) + kKept);
  dir_.write("kept.yaml", std::string(kDiffHead) + kKept);
  EXPECT_EQ(diff("kept.yaml", "same.yaml"), R"(exit 0
--- out
RESOURCE              CHANGE  KEYS
lab.example.com/kept  kept    -
--- err
)");
}

TEST_F(DiffTest, OrderOfResourcesIsADifference) {
  const std::string other = "  - {name: other, match: {static: [b]}}\n";
  dir_.write("one.yaml", kDiffHead + (kKept + other));
  dir_.write("two.yaml", kDiffHead + (other + kKept));
  EXPECT_EQ(diff("one.yaml", "two.yaml"), R"(exit 1
--- out
RESOURCE               CHANGE  KEYS
lab.example.com/other  kept    -
lab.example.com/kept   kept    -
The order of resources differs: if two match one device, the first gets it.
--- err
)");
}

TEST_F(DiffTest, PrintsJson) {
  dir_.write("kept.yaml", std::string(kDiffHead) + kKept);
  dir_.write("more.yaml", std::string(kDiffHead) +
                              "  - {name: kept, match: {static: [a]}, envs: {A: b}}\n"
                              "  - {name: more, match: {static: [c]}}\n");
  EXPECT_EQ(diff("kept.yaml", "more.yaml", {"--here", "-o", "json"}), R"(exit 1
--- out
{
  "different": true,
  "resources": [
    {
      "name": "lab.example.com/kept",
      "change": "changed",
      "keys": [
        "envs"
      ],
      "claimsOutliveEdit": false,
      "units": {
        "added": [],
        "removed": [],
        "reasons": []
      }
    },
    {
      "name": "lab.example.com/more",
      "change": "new",
      "keys": [],
      "claimsOutliveEdit": false,
      "units": {
        "added": [
          "c"
        ],
        "removed": [],
        "reasons": []
      }
    }
  ]
}
--- err
)");
}

TEST_F(DiffTest, NamesResourcesWhoseClaimsOutliveTheEdit) {
  const std::string head =
      "apiVersion: patchbay/v1\nkind: Config\ndefaults: {domain: lab.example.com}\n"
      "dra: {driver: patchbay.lab.example.com}\nresources:\n";
  dir_.write("dra.yaml", head +
                             "  - {name: disk, match: {static: [a]}, serve: dra}\n"
                             "  - {name: uart, match: {static: [b]}, serve: dra}\n");
  dir_.write("some.yaml",
             head + "  - {name: uart, match: {static: [b]}, serve: dra, linger: 1m}\n");
  EXPECT_EQ(diff("dra.yaml", "some.yaml"), R"(exit 1
--- out
RESOURCE              CHANGE   KEYS
lab.example.com/uart  changed  linger
lab.example.com/disk  removed  -
lab.example.com/disk: prepared ResourceClaims keep their devices until their Pods end
--- err
)");
  const std::string json = diff("dra.yaml", "some.yaml", {"-o", "json"});
  EXPECT_TRUE(json.contains("\"claimsOutliveEdit\": true\n    }\n  ]\n}")) << json;
}

TEST_F(DiffTest, CountsAddedAndRemovedUnitsOnThisNode) {
  std::filesystem::create_directory(dir_ / "dev");
  for (const char* name : {"a1", "a2", "b1"}) dir_.write(std::string("dev/") + name, "");
  const auto config = [&](const char* pattern, const char* more) {
    return std::string(kDiffHead) + "  - {name: line, match: {glob: " + (dir_ / "dev/") + pattern +
           "}, devices: []" + more + "}\n";
  };
  dir_.write("old.yaml", config("*1", ""));
  // The probe would create the file `probed` if it ran.
  dir_.write("new.yaml",
             config("a*", (", health: [{exec: [/bin/touch, " + (dir_ / "probed") + "]}]").c_str()));
  EXPECT_EQ(diff("old.yaml", "new.yaml", {"--here"}), R"(exit 1
--- out
RESOURCE              CHANGE   UNITS  KEYS
lab.example.com/line  changed  +1 -1  match health
--- err
)");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "probed"));
}

/// The author of an edit must not learn from `diff` what a file of this machine contains.
TEST_F(DiffTest, OpensFilesOfThisMachineOnlyWithHere) {
  std::filesystem::create_directory(dir_ / "seen");
  const std::string secret = dir_.write("seen/secret", "1\n");
  const auto config = [&](const char* value) {
    return std::string(kDiffHead) + "  - {name: a, match: {static: [a], file: {" + secret + ": \"" +
           value + "\"}}}\n  - {name: b, match: {glob: " + (dir_ / "seen/*") + "}}\n";
  };
  dir_.write("old.yaml", config("0"));
  dir_.write("new.yaml", config("1"));
  const UniqueFd watch(::inotify_init1(IN_NONBLOCK));
  ASSERT_GE(::inotify_add_watch(watch.get(), (dir_ / "seen").c_str(), IN_OPEN), 0);
  const auto opened = [&] {
    std::array<char, 4096> events{};
    return ::read(watch.get(), events.data(), events.size()) > 0;
  };
  EXPECT_EQ(diff("old.yaml", "new.yaml"), R"(exit 1
--- out
RESOURCE           CHANGE   KEYS
lab.example.com/a  changed  match
lab.example.com/b  kept     -
--- err
)");
  EXPECT_FALSE(opened());
  EXPECT_TRUE(diff("old.yaml", "new.yaml", {"--here"}).contains("+1 -0"));
  EXPECT_TRUE(opened());
}

TEST_F(DiffTest, CountsSharesOfHealthyUnitsAndSaysWhyUnitsAreLost) {
  const auto config = [&](const std::string& more) {
    return std::string(kDiffHead) + "  - {name: board, match: {static: [a, b]}, share: {count: 2}" +
           more + "}\n";
  };
  dir_.write("old.yaml", config(""));
  dir_.write("new.yaml", config(", mounts: [{hostPath: " + (dir_ / "tools") + "}]"));
  const std::string lost = R"(exit 1
--- out
RESOURCE               CHANGE   UNITS  KEYS
lab.example.com/board  changed  +0 -4  mounts
lab.example.com/board: a, b: DIR/tools does not exist
--- err
)";
  EXPECT_EQ(diff("old.yaml", "new.yaml", {"--here"}), lost);
  std::filesystem::create_directory(dir_ / "tools");
  EXPECT_TRUE(diff("old.yaml", "new.yaml", {"--here"}).contains(" -      mounts\n"));
}

TEST_F(DiffTest, WarnsThatNextStartRefusesTwoDevicesWithSameId) {
  std::filesystem::create_directory(dir_ / "dev");
  for (const char* name : {"a1", "b1"}) dir_.write(std::string("dev/") + name, "");
  const auto config = [&](const char* pattern) {
    return std::string(kDiffHead) + "  - {name: line, match: {glob: " + (dir_ / "dev/") + pattern +
           ", type: file}, id: x, devices: []}\n";
  };
  dir_.write("old.yaml", config("a*"));
  dir_.write("new.yaml", config("*"));
  const std::string text = diff("old.yaml", "new.yaml", {"--here"});
  EXPECT_TRUE(text.starts_with(R"(exit 1
--- out
RESOURCE              CHANGE   UNITS  KEYS
lab.example.com/line  changed  -      match
lab.example.com/line: x: a daemon keeps it, but its next start refuses both devices: the id 'x' is )"
                               "also the id of DIR/dev/b1"))
      << text;
  EXPECT_FALSE(diff("new.yaml", "old.yaml", {"--here"}).contains("next start"));
}

/// A status socket that answers one request with this text.
class FakeStatusSocket {
 public:
  FakeStatusSocket(const std::string& path, const std::string& status)
      : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto address = UnixAddress::of(path);
    EXPECT_EQ(::bind(listener_.get(), address->get(), UnixAddress::size()), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    std::filesystem::permissions(path, std::filesystem::perms{0666});
    thread_ = std::thread([this, status] { answer("HTTP/1.1 200 OK\r\n\r\n" + status); });
  }
  FakeStatusSocket(const FakeStatusSocket&) = delete;
  FakeStatusSocket& operator=(const FakeStatusSocket&) = delete;
  ~FakeStatusSocket() {
    ::shutdown(listener_.get(), SHUT_RDWR);  // Ends accept().
    thread_.join();
  }

 private:
  void answer(const std::string& response) const {
    const UniqueFd client(::accept(listener_.get(), nullptr, nullptr));
    std::string request;
    for (std::array<char, 4096> chunk{}; !request.ends_with("\r\n\r\n");) {
      const ssize_t got = ::recv(client.get(), chunk.data(), chunk.size(), 0);
      if (got <= 0) return;
      request.append(chunk.data(), static_cast<size_t>(got));
    }
    if (!request.starts_with("GET /status?")) return;
    static_cast<void>(::send(client.get(), response.data(), response.size(), MSG_NOSIGNAL));
  }

  UniqueFd listener_;
  std::thread thread_;
};

/// The status of a daemon. POD must be replaced by a list of containers.
constexpr const char* kAllocatedUnits = R"({"resources": [
{"name": "lab.example.com/disk", "units": [
  {"id": "d1", "allocatedTo": POD},
  {"id": "d2", "allocatedTo": [], "lastAllocateTime": "2026-01-02T03:04:05Z"},
  {"id": "d3", "allocatedTo": [], "lastAllocateTime": ""},
  {"id": "d4", "allocatedTo": POD}]},
{"name": "lab.example.com/card", "units": [{"id": "c1", "allocatedTo": POD}]},
{"name": "lab.example.com/free", "units": [{"id": "f1", "allocatedTo": POD}]},
{"name": "lab.example.com/else", "units": [{"id": "d3", "allocatedTo": POD}]}]})";

TEST_F(DiffTest, NamesUnitsThatPodsHaveUnderFormerNames) {
  const std::string before = dir_.write("old.yaml", std::string(kDiffHead) + R"(
  - {name: disk, match: {static: [d1, d2, d3, d4]}}
  - {name: card, match: {static: [c1, c2]}}
  - {name: free, match: {static: [f1]}, claim: shared}
)");
  const std::string now = dir_.write("new.yaml", std::string(kDiffHead) + R"(
  - {name: drive, match: {static: [d1, d2, d3]}}
  - {name: disk, match: {static: [d4]}}
  - {name: card, match: {static: [c1, c2]}, id: my-$(name), mounts: [{hostPath: /none}]}
  - {name: open, match: {static: [f1]}, claim: shared}
)");
  const auto said_here = [&] {
    // Runs as an ordinary user, because the path of root's status socket is fixed.
    const Words words = patchbay({"diff", before, now, "--here"}, ordinary_user());
    return text_of(fake::run_process(words, with_node({{"XDG_RUNTIME_DIR", dir_.path()}})));
  };
  std::filesystem::create_directory(dir_ / "patchbay");
  const std::string socket = dir_ / "patchbay/status.sock";
  auto daemon = std::make_unique<FakeStatusSocket>(
      socket, std::regex_replace(std::string(kAllocatedUnits), std::regex("POD"),
                                 R"([{"namespace": "lab", "pod": "p"}])"));
  EXPECT_EQ(said_here(), R"(exit 1
--- out
RESOURCE               CHANGE   UNITS  KEYS
lab.example.com/drive  new      +1 -0  -
lab.example.com/disk   changed  +0 -3  match
lab.example.com/card   changed  +0 -2  id mounts
lab.example.com/open   new      +1 -0  -
lab.example.com/free   removed  +0 -1  -
lab.example.com/card: my-c2: /none does not exist
lab.example.com/card: my-c1: allocated to Pod lab/p as 'c1' of lab.example.com/card; /none does not exist
lab.example.com/drive: d1: allocated to Pod lab/p as 'd1' of lab.example.com/disk
lab.example.com/drive: d2: allocated to a Pod as 'd2' of lab.example.com/disk
--- err
)");
  const std::string all_counted = R"(exit 1
--- out
RESOURCE               CHANGE   UNITS  KEYS
lab.example.com/drive  new      +3 -0  -
lab.example.com/disk   changed  +0 -3  match
lab.example.com/card   changed  +0 -2  id mounts
lab.example.com/open   new      +1 -0  -
lab.example.com/free   removed  +0 -1  -
lab.example.com/card: my-c1, my-c2: /none does not exist
--- err
)";
  daemon.reset();
  EXPECT_EQ(said_here(), all_counted) << "no daemon";
  std::filesystem::remove(socket);
  daemon = std::make_unique<FakeStatusSocket>(socket, "no status");
  EXPECT_EQ(said_here(), all_counted);
}

TEST_F(DiffTest, TableFitsTerminal) {
  PseudoTerminal terminal;
  static_cast<void>(fake::run_process(
      patchbay({"diff", dir_ / "old.yaml", dir_ / "new.yaml"}, redirected(">" + terminal.path())),
      with_node({{"COLUMNS", "40"}, {"NO_COLOR", "1"}})));
  const std::string text = terminal.shown();
  EXPECT_NE(text.find("…"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }), 40) << line;
  }
}

TEST_F(DiffTest, FailsOnErrorInOneConfiguration) {
  dir_.write("bad.yaml", std::string(kDiffHead) + "  - {name: kept, match: {statik: [a]}}\n");
  const std::string text = diff("old.yaml", "bad.yaml");
  EXPECT_TRUE(text.starts_with("exit 2\n--- out\n--- err\nDIR/bad.yaml:5:")) << text;
  EXPECT_TRUE(diff("old.yaml", "none.yaml").starts_with("exit 2\n")) << text;
}

TEST_F(DiffTest, ReadsOneConfigurationFromStandardInput) {
  const std::string all = text_of(relative(fake::run_process(
      patchbay({"diff", "-", dir_ / "new.yaml"}, redirected("<" + (dir_ / "old.yaml"))))));
  EXPECT_TRUE(all.starts_with("exit 1\n--- out\nRESOURCE")) << all;
  EXPECT_EQ(output_of({"diff", "-", "-"}), R"(exit 2
--- out
--- err
patchbay: standard input (-) can be read only once
Try 'patchbay diff --help'.
)");
}

}  // namespace
}  // namespace patchbay::cli
