#include "kube/backoff.h"

#include <set>

#include <gtest/gtest.h>

namespace patchbay::kube {
namespace {

TEST(Backoff, DoublesUpToTheLimit) {
  Backoff backoff({});
  for (const int limit : {400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    const auto delay = backoff.next().count();
    EXPECT_GE(delay, limit / 2);
    EXPECT_LE(delay, limit);
  }
  backoff.reset();
  EXPECT_LE(backoff.next().count(), 400);
}

TEST(Backoff, IsRandom) {
  std::set<int64_t> delays;
  for (int i = 0; i < 20; ++i) delays.insert(Backoff({}).next().count());
  EXPECT_GT(delays.size(), 1U);
}

}  // namespace
}  // namespace patchbay::kube
