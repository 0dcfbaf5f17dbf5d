// Tests names with several addresses, from a hosts file that only this process sees.
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <string>
#include <vector>

#include "health/check_fixture.h"
#include "health/listener.h"

namespace patchbay::health {
namespace {

using std::chrono_literals::operator""ms;

class AddressesTest : public CheckTest {
 protected:
  /// Mounts the files in a namespace of this thread. This thread creates all other threads, so all
  /// of them see the same files.
  void SetUp() override {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("", "/", "", MS_REC | MS_PRIVATE, "") != 0) {
      GTEST_SKIP() << "no mount namespace of one's own here: it takes root";
    }
    replace("/etc/hosts",
            "127.0.0.1 scope.test\n127.0.0.2 scope.test\n"
            "127.0.0.1 both.test\n::1 both.test\n");
    // Replaces these files, because those of the machine may select other sources of names.
    replace("/etc/host.conf", "multi on\n");
    replace("/etc/nsswitch.conf", "hosts: files\n");
  }
  void TearDown() override {
    for (const std::string& path : replaced_) ::umount2(path.c_str(), MNT_DETACH);
  }
  static Check tcp(const std::string& host, uint16_t port, loop::Milliseconds timeout = kLong) {
    return {.kind = Check::Kind::tcp, .host = host, .port = port, .timeout = timeout};
  }
  [[nodiscard]] static std::string other(const std::string& host) {
    return host == kBoth[0] ? kBoth[1] : kBoth[0];
  }

  /// Each test covers both addresses, because the resolver chooses their order.
  inline static const std::vector<std::string> kBoth{"127.0.0.1", "127.0.0.2"};

 private:
  void replace(const std::string& path, const std::string& text) {
    if (!std::filesystem::exists(path)) return;
    const std::string ours = dir.write(path.substr(1), text);
    ASSERT_EQ(::mount(ours.c_str(), path.c_str(), "", MS_BIND, ""), 0) << path;
    replaced_.push_back(path);
  }

  std::vector<std::string> replaced_;
};

TEST_F(AddressesTest, TriesTheNextAddressAfterARefusal) {
  for (const std::string& host : kBoth) {
    const Listener listener({.host = host});
    EXPECT_THAT(run(tcp("scope.test", listener.port())), done()) << "only " << host << " answers";
  }
  const Listener listener;
  EXPECT_THAT(run(tcp("both.test", listener.port())), done());
}

/// The check spends only a part of its time on the first address.
TEST_F(AddressesTest, TriesNextAddressIfFirstDoesNotAnswer) {
  for (const std::string& host : kBoth) {
    const Listener listener({.host = host});
    const Listener full({.backlog = 0, .host = other(host), .port = listener.port()});
    const UniqueFd first = full.connect();
    const UniqueFd second = full.connect();
    const auto silent = start(tcp(other(host), listener.port(), 8000ms));
    EXPECT_THAT(run(tcp("scope.test", listener.port(), 8000ms)), done())
        << "only " << host << " answers";
    EXPECT_FALSE(silent->result) << "a silent one alone takes longer";
  }
}

TEST_F(AddressesTest, ReportsThatAllAddressesRefuse) {
  uint16_t port = 0;
  {
    const Listener gone;
    port = gone.port();
  }
  EXPECT_THAT(run(tcp("scope.test", port)),
              failed("scope.test:" + std::to_string(port) + " refuses connections"));
}

TEST_F(AddressesTest, TimesOutWhenNoAddressAnswers) {
  const Listener one({.backlog = 0, .host = kBoth[0]});
  const Listener two({.backlog = 0, .host = kBoth[1], .port = one.port()});
  const std::vector<UniqueFd> fill = [&] {
    std::vector<UniqueFd> connections;
    for (const Listener* full : {&one, &two, &one, &two}) connections.push_back(full->connect());
    return connections;
  }();
  EXPECT_THAT(run(tcp("scope.test", one.port(), 300ms)),
              failed("scope.test:" + std::to_string(one.port()) + ": no answer within 300ms"));
}

}  // namespace
}  // namespace patchbay::health
