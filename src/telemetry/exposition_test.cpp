#include "telemetry/exposition.h"

#include <gtest/gtest.h>

#include <limits>

#include "telemetry/exposition_parser.h"

namespace glovebox::telemetry {
namespace {

using testing::parse_exposition;

constexpr std::array kFormats = {ExpositionFormat::prometheus, ExpositionFormat::openmetrics};

TEST(Exposition, EscapesWhatALabelMayHold) {
  const std::string nasty = "a\"b\\c\nd}e,f=\"g\" 1\n# TYPE x counter";
  for (const ExpositionFormat format : kFormats) {
    const auto parsed = parse_exposition(
        write_exposition({{"g", "help with \\ and\nline and \"quote\"", MetricType::gauge, {{{{"l", nasty}}, 2.5}}}},
                         format),
        format);
    ASSERT_EQ(parsed.size(), 1U);
    EXPECT_EQ(parsed.at("g").help, "help with \\ and\nline and \"quote\"");
    EXPECT_EQ(parsed.at("g").value({{"l", nasty}}), 2.5);
  }
}

TEST(Exposition, ReplacesWhatIsNotUtf8) {
  const auto parsed =
      parse_exposition(write_exposition({{"g", "h", MetricType::gauge, {{{{"l", "a\xff\xc3"}}, 1.0}}}}, kFormats[0]));
  EXPECT_EQ(parsed.at("g").value({{"l", "a\xef\xbf\xbd\xef\xbf\xbd"}}), 1.0);
}

TEST(Exposition, WritesEveryNumber) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, 1.0, -1.5, 0.1, 1e300, 1e-300, 123456789012345.0, kInfinity, -kInfinity}) {
    for (const ExpositionFormat format : kFormats) {
      const auto text = write_exposition({{"g", "h", MetricType::gauge, {{{}, value}}}}, format);
      EXPECT_EQ(parse_exposition(text, format).at("g").value(), value) << text;
    }
  }
  const auto text = write_exposition({{"g", "h", MetricType::gauge, {{{}, std::nan("")}}}}, kFormats[0]);
  EXPECT_TRUE(std::isnan(*parse_exposition(text).at("g").value()));
}

TEST(Exposition, WritesBothFormatsToTheLetter) {
  const std::vector<FamilySnapshot> families = {
      {"jobs_total", "Jobs", MetricType::counter, {{{{"kind", "a"}}, 3.0}}},
      {"wait_seconds", "Wait", MetricType::histogram, {{{}, HistogramValue{{0.5, 1}, {2, 0, 1}, 3.25}}}},
  };
  EXPECT_EQ(write_exposition(families, ExpositionFormat::prometheus),
            "# HELP jobs_total Jobs\n# TYPE jobs_total counter\njobs_total{kind=\"a\"} 3\n"
            "# HELP wait_seconds Wait\n# TYPE wait_seconds histogram\n"
            "wait_seconds_bucket{le=\"0.5\"} 2\nwait_seconds_bucket{le=\"1\"} 2\nwait_seconds_bucket{le=\"+Inf\"} 3\n"
            "wait_seconds_sum 3.25\nwait_seconds_count 3\n");
  EXPECT_EQ(write_exposition(families, ExpositionFormat::openmetrics),
            "# HELP jobs Jobs\n# TYPE jobs counter\njobs_total{kind=\"a\"} 3\n"
            "# HELP wait_seconds Wait\n# TYPE wait_seconds histogram\n"
            "wait_seconds_bucket{le=\"0.5\"} 2\nwait_seconds_bucket{le=\"1.0\"} 2\n"
            "wait_seconds_bucket{le=\"+Inf\"} 3\nwait_seconds_sum 3.25\nwait_seconds_count 3\n# EOF\n");
}

TEST(Exposition, IsOpenMetricsOnlyForThoseWhoPreferIt) {
  for (const char* accept :
       {"application/openmetrics-text", "application/openmetrics-text; version=1.0.0; charset=utf-8",
        "Application/OpenMetrics-Text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
        "application/vnd.google.protobuf;q=0.7, application/openmetrics-text;q=0.6"}) {
    EXPECT_EQ(choose_format(accept), ExpositionFormat::openmetrics) << accept;
  }
  for (const char* accept :
       {"", "*/*", "text/plain", "application/openmetrics-text;q=0", "application/openmetrics-text;q=x",
        "application/openmetrics-text;q=0.3, text/plain;q=0.9", "application/openmetrics-text;version=9.0.0",
        ";;;,,,=", "application/openmetrics-text;q=nan"}) {
    EXPECT_EQ(choose_format(accept), ExpositionFormat::prometheus) << accept;
  }
}

TEST(ExpositionParser, RefusesWhatIsWrong) {
  const std::string head = "# HELP a h\n# TYPE a counter\n";
  EXPECT_NO_THROW((void)parse_exposition(head + "a 1\n"));
  for (const std::string& bad :
       {head + "a 1", head + "a -1\n", head + "b 1\n", head + "a 1\na 1\n", head + "a{x=\"1\",x=\"2\"} 1\n",
        head + "a{x=\"\\q\"} 1\n", head + "a{x=\"1} 1\n", head + "a one\n", head + "\na 1\n", head + head,
        std::string("a 1\n"),
        std::string(
            "# HELP a h\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n"),
        std::string("# HELP a h\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 2\n")}) {
    EXPECT_THROW((void)parse_exposition(bad), std::runtime_error) << bad;
  }
}

}  // namespace
}  // namespace glovebox::telemetry
