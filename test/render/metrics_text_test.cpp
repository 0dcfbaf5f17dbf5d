#include "render/metrics_text.h"

#include <chrono>

#include <gtest/gtest.h>

namespace patchbay::render {
namespace {

using Type = MetricsText::Type;

std::string written() {
  MetricsText text;
  text.family("a_total", Type::counter, "How often.");
  text.sample({{"resource", "x.io/y"}, {"result", "ok"}}, uint64_t{3});
  text.family("b_info", Type::gauge, "What.");
  text.sample({{"version", "1"}}, uint64_t{1});
  text.family("c_bytes", Type::gauge, "How much.");
  text.sample({}, 2.5);
  return text.take();
}

TEST(MetricsText, WritesPrometheusFormat) {
  EXPECT_EQ(written(),
            "# HELP a_total How often.\n"
            "# TYPE a_total counter\n"
            "a_total{resource=\"x.io/y\",result=\"ok\"} 3\n"
            "# HELP b_info What.\n"
            "# TYPE b_info gauge\n"
            "b_info{version=\"1\"} 1\n"
            "# HELP c_bytes How much.\n"
            "# TYPE c_bytes gauge\n"
            "c_bytes 2.5\n");
}

TEST(MetricsText, WritesCumulativeHistogram) {
  status::Histogram histogram;
  histogram.add(std::chrono::milliseconds(2));
  MetricsText text;
  text.family("t_seconds", Type::histogram, "How long.");
  text.sample({{"r", "x"}}, histogram);
  const std::string written = text.take();
  EXPECT_NE(written.find("t_seconds_bucket{r=\"x\",le=\"0.001\"} 0\n"
                         "t_seconds_bucket{r=\"x\",le=\"0.002\"} 1\n"),
            std::string::npos)
      << written;
  EXPECT_TRUE(
      written.ends_with("t_seconds_bucket{r=\"x\",le=\"30\"} 1\n"
                        "t_seconds_bucket{r=\"x\",le=\"+Inf\"} 1\n"
                        "t_seconds_sum{r=\"x\"} 0.002\n"
                        "t_seconds_count{r=\"x\"} 1\n"))
      << written;
}

TEST(MetricsText, EscapesLabelValues) {
  MetricsText text;
  text.family("x", Type::gauge, "X.");
  text.sample({{"unit", "a\"b\\c\nd\xff\xe2\x80\xae<script>"}}, uint64_t{1});
  EXPECT_TRUE(text.take().ends_with("x{unit=\"a\\\"b\\\\c\\\\x0ad\\\\xff\\\\u202e<script>\"} 1\n"));
}

}  // namespace
}  // namespace patchbay::render
