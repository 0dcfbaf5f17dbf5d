#include "driver/kube_client.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "driver/fake_api_client.h"
#include "fake/manual_loop.h"
#include "fake/no_descriptors.h"
#include "fake/runner_fixture.h"

namespace patchbay::driver {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

Json dra_device(const std::string& name) { return {{"name", name}}; }

/// Events as text.
KubeEvents recording(std::vector<std::string>& log) {
  return {.stored =
              [&log](int64_t number, const std::vector<std::string>& dropped) {
                std::string text = "stored " + std::to_string(number);
                for (const std::string& field : dropped) text += " without " + field;
                log.push_back(text);
              },
          .rejected =
              [&log](int64_t number, const std::string& reason) {
                log.push_back("rejected " + std::to_string(number) + ": " + reason);
              },
          .api = [&log](const std::string& problem) { log.push_back("api: " + problem); },
          .wrote =
              [&log](status::SliceWrite result) {
                log.push_back("wrote: " + std::string(word_of(result)));
              }};
}

/// On the real loop, with a program.
class KubeClientTest : public fake::RunnerTest {
 protected:
  void start(const std::string& first = {}) {
    program_.emplace(dir, first);
    client_.emplace(loop, threads, program_->options(), recording(events_));
  }
  /// Waits until the program has received exactly this.
  void expect_received(const std::string& text) {
    EXPECT_TRUE(until([&] { return program_->received().size() >= text.size(); }));
    EXPECT_EQ(program_->received(), text);
  }
  /// Waits for events, and takes them.
  std::vector<std::string> events(size_t count) {
    EXPECT_TRUE(until([&] { return events_.size() >= count; }));
    return std::exchange(events_, {});
  }
  /// Asks for a ResourceClaim. The answer is text.
  std::shared_ptr<std::string> get(const std::string& name) {
    const auto answer = std::make_shared<std::string>();
    client_->get_claim("lab", name, [answer](const Result<Json>& claim) {
      *answer = claim ? claim->dump() : claim.error().message;
    });
    EXPECT_EQ(*answer, "") << "within the call";
    return answer;
  }
  [[nodiscard]] std::string answer_of(const std::shared_ptr<std::string>& answer) {
    EXPECT_TRUE(until([&] { return !answer->empty(); }));
    return *answer;
  }
  void restart() {
    program_->end();
    EXPECT_THAT(events(1), ElementsAre("api: the API client is not running (exit code 0)"));
    program_->may_run();
  }

  std::optional<FakeApiClient> program_;
  std::vector<std::string> events_;
  std::optional<KubeClient> client_;
};

TEST_F(KubeClientTest, SendsHoldThenThePoolOnALineForEachSlice) {
  start();
  EXPECT_EQ(client_->publish(
                {Json::array({dra_device("a"), dra_device("b")}), Json::array({dra_device("c")})}),
            1);
  const std::string first =
      "started\n"
      R"({"hold":true})"
      "\n"
      R"({"wanted":1,"slices":2})"
      "\n"
      R"({"devices":[{"name":"a"},{"name":"b"}]})"
      "\n"
      R"({"devices":[{"name":"c"}]})"
      "\n";
  expect_received(first);
  client_->hold(false);
  client_->hold(false);
  EXPECT_EQ(client_->publish({Json::array()}), 2);
  expect_received(first + R"({"hold":false})"
                          "\n"
                          R"({"wanted":2,"slices":1})"
                          "\n"
                          R"({"devices":[]})"
                          "\n");
}

TEST_F(KubeClientTest, RestartedProgramGetsTheNewestPool) {
  start();
  client_->publish({Json::array({dra_device("a")})});
  client_->publish({Json::array({dra_device("b")})});
  client_->hold(false);
  ASSERT_TRUE(until([&] { return program_->received().ends_with("{\"hold\":false}\n"); }));
  const std::string before = program_->received();
  restart();
  expect_received(before +
                  "started\n"
                  R"({"hold":false})"
                  "\n"
                  R"({"wanted":2,"slices":1})"
                  "\n"
                  R"({"devices":[{"name":"b"}]})"
                  "\n");
}

TEST_F(KubeClientTest, PoolThatFillsTheSocketArrivesWhole) {
  start();
  const std::string name(1'000'000, 'x');
  client_->publish({Json::array({dra_device(name)}), Json::array({dra_device("last")})});
  expect_received(
      "started\n"
      R"({"hold":true})"
      "\n"
      R"({"wanted":1,"slices":2})"
      "\n"
      R"({"devices":[{"name":")" +
      name +
      R"("}]})"
      "\n"
      R"({"devices":[{"name":"last"}]})"
      "\n");
}

TEST_F(KubeClientTest, ReportsResults) {
  start();
  program_->send(R"({"stored":1})"
                 "\n"
                 R"({"stored":2,"dropped":["spec.a","spec.b"]})"
                 "\n"
                 R"({"wrote":"rejected"})"
                 "\n"
                 R"({"rejected":3,"reason":"too long"})"
                 "\n"
                 R"({"api":"down","reason":"timed out"})"
                 "\n"
                 R"({"api":"up"})"
                 "\n");
  EXPECT_THAT(events(6),
              ElementsAre("stored 1", "stored 2 without spec.a without spec.b", "wrote: rejected",
                          "rejected 3: too long", "api: timed out", "api: "));
}

TEST_F(KubeClientTest, LinesThatCannotBeReadAreIgnored) {
  start();
  program_->send(
      "{\n\n[]\n{}\n{\"stored\":\"1\"}\n{\"wrote\":\"x\"}\n{\"got\":7,\"claim\":{}}\n{\"stored\":2}"
      "\n");
  EXPECT_THAT(events(1), ElementsAre("stored 2"));
}

TEST_F(KubeClientTest, AnswersEachGetWithItsResourceClaim) {
  start();
  const auto first = get("a");
  const auto second = get("b");
  expect_received(
      "started\n"
      R"({"hold":true})"
      "\n"
      R"({"get":1,"namespace":"lab","name":"a"})"
      "\n"
      R"({"get":2,"namespace":"lab","name":"b"})"
      "\n");
  program_->send(R"({"got":2,"status":404,"error":"not found"})"
                 "\n"
                 R"({"got":1,"claim":{"kind":"ResourceClaim"}})"
                 "\n");
  EXPECT_EQ(answer_of(first), R"({"kind":"ResourceClaim"})");
  EXPECT_EQ(answer_of(second), "not found");
}

TEST_F(KubeClientTest, GetFailsWhenTheProgramEndsAndWithoutOne) {
  start();
  const auto pending = get("a");
  ASSERT_TRUE(until([&] { return program_->received().contains("\"get\":1"); }));
  program_->end();
  EXPECT_EQ(answer_of(pending), "the API client ended: the kubelet calls again");
  EXPECT_EQ(answer_of(get("b")), "the API client is not running: the kubelet calls again");
}

TEST_F(KubeClientTest, LineMayBeLong) {
  const std::string name(2'000'000, 'x');
  start(R"({"rejected":1,"reason":")" + name + "\"}\n{\"stored\":1}\n");
  EXPECT_THAT(events(2), ElementsAre("rejected 1: " + name, "stored 1"));
}

TEST_F(KubeClientTest, ProgramThatSendsALineWithoutAnEndIsStartedAgain) {
  start(std::string(5'000'000, 'x'));
  EXPECT_THAT(events(1), ElementsAre("api: the API client is not running (a line without an end)"));
  EXPECT_TRUE(
      until([&] { return program_->received().contains("started\n{\"hold\":true}\nstarted\n"); }));
}

/// On the manual loop, no program can start.
TEST(KubeClientRestart, DelayDoublesUpTo30Seconds) {
  fake::ManualLoop loop;
  loop::WorkQueue work(loop);
  std::vector<std::string> events;
  const KubeClient client(loop, work, {.command = {"/bin/kube"}, .environment = {}},
                          recording(events));
  std::vector<int64_t> delays;
  for (int i = 0; i < 10; ++i) {
    loop.run_ready();
    delays.push_back(loop.until_next_timer().value().count());
    loop.advance(loop::Milliseconds(delays.back()));
  }
  EXPECT_THAT(delays, ElementsAre(200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000));
  EXPECT_EQ(events.at(0), "api: the API client is not running (not here)");
}

TEST(KubeClientRestart, WithoutDescriptors_StartsLater) {
  fake::ManualLoop loop;
  loop::WorkQueue work(loop);
  std::vector<std::string> events;
  std::optional<KubeClient> client;
  {
    const fake::NoDescriptors none;
    client.emplace(loop, work, KubeClient::Options{.command = {"/bin/kube"}, .environment = {}},
                   recording(events));
  }
  EXPECT_THAT(events, IsEmpty()) << "within the constructor";
  loop.run_ready();
  EXPECT_THAT(events, ElementsAre("api: the API client is not running (Too many open files)"));
  EXPECT_EQ(loop.until_next_timer(), loop::Milliseconds(200));
}

}  // namespace
}  // namespace patchbay::driver
