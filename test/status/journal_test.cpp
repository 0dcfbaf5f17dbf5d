#include "status/journal.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::status {
namespace {

using Kind = Event::Kind;

void take(Journal& journal, const log::Message& message, const std::vector<log::Field>& fields = {},
          log::Level level = log::Level::info) {
  journal.record(
      {.level = level, .message = message.text, .fields = fields, .event = message.event}, {});
}

const log::Message kOffered{"unit offered", Kind::unit_added};

TEST(Journal, RecordsOnlyMessagesThatAreEvents) {
  Journal journal;
  take(journal, kOffered,
       {{"resource", "a.io/x"}, {"unit", "u1"}, {"device", "/dev/x1"}, {"was", ""}});
  take(journal, "something else", {{"resource", "a.io/x"}});
  take(journal, {"cannot register", Kind::unregistered}, {{"reason", "no"}}, log::Level::warning);
  const auto events = journal.after(0);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].number, 1U);
  EXPECT_EQ(events[0].kind, Kind::unit_added);
  EXPECT_EQ(events[0].message, "unit offered");
  EXPECT_EQ(events[0].resource, "a.io/x");
  EXPECT_EQ(events[0].unit, "u1");
  EXPECT_EQ(events[0].detail, "device=/dev/x1");
  EXPECT_EQ(events[1].number, 2U);
  EXPECT_EQ(events[1].level, log::Level::warning);
}

TEST(Journal, IgnoresDebugMessages) {
  Journal journal;
  take(journal, {"device refused", Kind::refused}, {}, log::Level::debug);
  EXPECT_TRUE(journal.after(0).empty());
}

TEST(Journal, ReadyResourceWithoutUnitsHasKindReady) {
  Journal journal;
  take(journal, {"resource ready", Kind::ready}, {{"resource", "a.io/x"}, {"units", "0"}});
  EXPECT_EQ(journal.after(0).at(0).kind, Kind::ready);
}

TEST(Journal, KeepsNewestEvents) {
  Journal journal;
  for (size_t i = 0; i < Journal::kMaxEvents + 3; ++i) take(journal, kOffered);
  const auto events = journal.after(0);
  ASSERT_EQ(events.size(), Journal::kMaxEvents);
  EXPECT_EQ(events.front().number, 4U);
  EXPECT_EQ(events.back().number, Journal::kMaxEvents + 3);
  EXPECT_EQ(journal.after(Journal::kMaxEvents).size(), 3U);
  EXPECT_TRUE(journal.after(events.back().number).empty());
}

TEST(Journal, TruncatesAndEscapesTexts) {
  Journal journal;
  take(journal, kOffered,
       {{"unit", "a\x1b[31m\n"}, {"device", std::string(5000, 'x')}, {"more", "y"}});
  const Event event = journal.after(0).at(0);
  EXPECT_EQ(event.unit, "a\\x1b[31m\\x0a");
  EXPECT_LE(event.detail.size(), Journal::kMaxTextBytes + 10);
}

}  // namespace
}  // namespace patchbay::status
