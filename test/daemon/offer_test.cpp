#include "daemon/offer.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "base/log.h"
#include "fake/manual_loop.h"
#include "inventory/bench.h"

namespace patchbay::daemon {
namespace {

using inventory::Strings;
using testing::ElementsAre;

class RecordingSink final : public Sink {
 public:
  void publish(inventory::SnapshotPtr snapshot) override {
    calls.push_back(std::to_string(snapshot->units.size()) + " units");
    last = std::move(snapshot);
  }
  void withdraw(loop::Task withdrawn) override {
    calls.emplace_back("withdraw");
    when_withdrawn = std::move(withdrawn);
  }
  [[nodiscard]] bool served() const override { return is_served; }
  [[nodiscard]] status::RegistrationStatus status() const override { return {.endpoint = name}; }

  Strings calls;
  std::string name;
  bool is_served = true;
  inventory::SnapshotPtr last;
  loop::Task when_withdrawn;
};

class OfferTest : public testing::Test {
 protected:
  OfferTest() {
    std::vector<std::unique_ptr<Sink>> sinks;
    for (const char* name : {"plugin", "second"}) {
      auto sink = std::make_unique<RecordingSink>();
      sink->name = name;
      (sinks.empty() ? first_ : second_) = sink.get();
      sinks.push_back(std::move(sink));
    }
    offer_ = std::make_unique<Offer>(loop_, std::move(sinks),
                                     std::make_shared<status::ResourceCounters>());
  }

  void update(bool at_once = false) {
    offer_->update(
        inventory::resolve_as(inventory_, inventory::Health{}, loop_.now()).resources.at(0),
        at_once);
  }

  fake::ManualLoop loop_;
  inventory::Inventory inventory_{
      inventory::plan_of("  - {name: a.io/b, match: {static: [one, two]}}\n")};
  RecordingSink* first_ = nullptr;
  RecordingSink* second_ = nullptr;
  std::unique_ptr<Offer> offer_;
};

TEST_F(OfferTest, GivesEachListToAllSinks) {
  inventory_.apply(inventory::shared(inventory::named("one")));
  update();
  update();
  inventory_.apply(inventory::shared(inventory::named("two")));
  update();
  EXPECT_THAT(first_->calls, ElementsAre("1 units")) << "the settle time has not ended";
  update(true);
  EXPECT_THAT(first_->calls, ElementsAre("1 units", "2 units"));
  EXPECT_EQ(second_->calls, first_->calls);
  EXPECT_EQ(first_->last, second_->last);
  EXPECT_EQ(offer_->last_sent(), first_->last);
}

TEST_F(OfferTest, LogsChangesOfOneListTogether) {
  log::configure(log::Level::info, log::Format::text);
  update();  // The settle time begins.
  testing::internal::CaptureStderr();
  for (const char* name : {"one", "two"}) {
    inventory_.apply(inventory::shared(inventory::named(name)));
    update();
  }
  loop_.advance(std::chrono::milliseconds(100));
  const std::string log = testing::internal::GetCapturedStderr();
  log::configure(log::Level::warning, log::Format::text);
  EXPECT_THAT(log, testing::EndsWith("unit offered resource=a.io/b unit=one,two units=2\n"));
  EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
}

TEST_F(OfferTest, IsServedWhenAllSinksServeAndHasStatusOfTheFirst) {
  EXPECT_TRUE(offer_->served());
  second_->is_served = false;
  EXPECT_FALSE(offer_->served());
  EXPECT_EQ(offer_->status().endpoint, "plugin");
}

TEST_F(OfferTest, IsWithdrawnWhenAllSinksAre) {
  bool withdrawn = false;
  offer_->withdraw([&] {
    withdrawn = true;
    offer_.reset();
  });
  EXPECT_THAT(first_->calls, ElementsAre("withdraw"));
  EXPECT_THAT(second_->calls, ElementsAre("withdraw"));
  std::exchange(second_->when_withdrawn, nullptr)();
  EXPECT_FALSE(withdrawn);
  auto last = std::exchange(first_->when_withdrawn, nullptr);
  last();
  EXPECT_TRUE(withdrawn);
}

}  // namespace
}  // namespace patchbay::daemon
