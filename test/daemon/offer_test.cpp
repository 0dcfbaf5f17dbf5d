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
#include "inventory/inventory_fixture.h"

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
  [[nodiscard]] inventory::SnapshotPtr acknowledged() const override { return last; }
  [[nodiscard]] bool served() const override { return true; }
  [[nodiscard]] status::RegistrationStatus status() const override { return {}; }

  Strings calls;
  inventory::SnapshotPtr last;
  loop::Task when_withdrawn;
};

class OfferTest : public testing::Test {
 protected:
  OfferTest() {
    auto sink = std::make_unique<RecordingSink>();
    sink_ = sink.get();
    offer_ = std::make_unique<Offer>(loop_, std::move(sink),
                                     std::make_shared<status::ResourceCounters>());
  }

  /// Calls Offer::update() with `list`, or with the snapshot of the resource if `list` is null.
  /// Returns the snapshot of the resource.
  inventory::SnapshotPtr update(bool at_once = false,
                                const inventory::SnapshotPtr& list = nullptr) {
    const auto resource =
        inventory::resolve_as(inventory_, inventory::Health{}, loop_.now()).resources.at(0);
    offer_->update(resource, list ? list : resource.snapshot, at_once);
    return resource.snapshot;
  }

  fake::ManualLoop loop_;
  inventory::Inventory inventory_{
      inventory::plan_of("  - {name: a.io/b, match: {static: [one, two]}}\n")};
  RecordingSink* sink_ = nullptr;
  std::unique_ptr<Offer> offer_;
};

TEST_F(OfferTest, NextListWaitsForSettleTimeUnlessSentAtOnce) {
  inventory_.apply(inventory::shared(inventory::named("one")));
  update();
  inventory_.apply(inventory::shared(inventory::named("two")));
  update();
  EXPECT_THAT(sink_->calls, ElementsAre("1 units")) << "the settle time has not ended";
  update(true);
  EXPECT_THAT(sink_->calls, ElementsAre("1 units", "2 units"));
}

TEST_F(OfferTest, SendsAnUnchangedListOnce) {
  inventory_.apply(inventory::shared(inventory::named("one")));
  update();
  update();
  loop_.advance(std::chrono::seconds(1));
  EXPECT_THAT(sink_->calls, ElementsAre("1 units"));
}

TEST_F(OfferTest, UnitNoLongerWithheldIsSentAtOnce) {
  inventory_.apply(inventory::shared(inventory::named("one")));
  const auto without = update();
  inventory_.apply(inventory::shared(inventory::named("two")));
  update(false, without);
  EXPECT_THAT(sink_->calls, ElementsAre("1 units"));
  update();
  EXPECT_THAT(sink_->calls, ElementsAre("1 units", "2 units"));
}

TEST_F(OfferTest, SendsEqualListsThatWithholdAUnitOnlyOnce) {
  inventory_.apply(inventory::shared(inventory::named("one")));
  const auto without = update();
  inventory_.apply(inventory::shared(inventory::named("two")));
  for (int i = 0; i < 3; ++i) {
    update(true, std::make_shared<const inventory::Snapshot>(*without));
  }
  EXPECT_THAT(sink_->calls, ElementsAre("1 units", "1 units"))
      << "first the list before unit two existed; then the first of three equal lists";
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

TEST_F(OfferTest, SendsNothingAfterWithdrawal) {
  inventory_.apply(inventory::shared(inventory::named("one")));
  update();
  inventory_.apply(inventory::shared(inventory::named("two")));
  update();
  offer_->withdraw([this] { offer_.reset(); });
  loop_.advance(std::chrono::seconds(1));
  EXPECT_THAT(sink_->calls, ElementsAre("1 units", "withdraw"));
  const auto last = std::move(sink_->when_withdrawn);
}

}  // namespace
}  // namespace patchbay::daemon
