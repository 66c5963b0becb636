#include "bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "bench/bars.h"
#include "bench/report_fixture.h"
#include "bench/report_json.h"
#include "bench/report_svg.h"
#include "bench/report_text.h"

namespace glovebox::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

// Enough of an XML parser to catch what string-building gets wrong: tags that do not match, text that is not escaped.
std::string first_xml_mistake(const std::string& text) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find('<', at);
    const std::string between = text.substr(at, begin - at);
    if (between.find('>') != std::string::npos) {
      return "a bare > in: " + between;
    }
    if (std::regex_search(between, std::regex("&(?!(amp|lt|gt|quot);)"))) {
      return "a bare & in: " + between;
    }
    if (begin == std::string::npos) {
      break;
    }
    const std::size_t end = text.find('>', begin);
    if (end == std::string::npos) {
      return "a tag that does not end";
    }
    const std::string tag = text.substr(begin + 1, end - begin - 1);
    static const std::regex kOpening("[a-z]+( [a-zA-Z0-9:-]+=\"[^\"<]*\")*/?");
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) {
        return "nothing to close with " + tag;
      }
      open.pop_back();
    } else if (!std::regex_match(tag, kOpening)) {
      return "not a tag: " + tag;
    } else if (!tag.ends_with("/")) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end + 1;
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

TEST(Report, RatiosAreWithinOneRun) {
  const auto all = ratios(small_report());
  EXPECT_DOUBLE_EQ(all.at("sequential/print/warm/p50"), 0.05);
  EXPECT_DOUBLE_EQ(all.at("sequential/pandas/warm/p50"), 0.01);
  EXPECT_DOUBLE_EQ(all.at("sequential/print/warm/cpu"), 0.05);
  EXPECT_DOUBLE_EQ(all.at("staggered/print/warm/p50"), 0.05);
  EXPECT_DOUBLE_EQ(all.at("sustained/print/warm"), 7);
  EXPECT_DOUBLE_EQ(all.at("burst/print/warm"), 0.5);
  EXPECT_EQ(all.count("sequential/print/bare/p50"), 0U);
  EXPECT_DOUBLE_EQ(all.at("sequential/pass/cold/extra"), 0.6) << "11 - 8 of 15 - 10";
  EXPECT_EQ(all.count("sequential/print/cold/extra"), 0U) << "there is no bare-s beside it";
}

TEST(Report, WithoutTheReferenceThereIsNoRatio) {
  Report report = small_report();
  report.sequential.erase(report.sequential.begin());
  EXPECT_EQ(ratios(report).count("sequential/print/warm/p50"), 0U);
  report.sequential.insert(report.sequential.begin(), latency_row("print", "bare", {}));
  EXPECT_EQ(ratios(report).count("sequential/print/warm/p50"), 0U) << "a peer whose runs all failed is no reference";
}

TEST(ReportJson, HasEverySectionAndTheGuardsRatios) {
  Report report = small_report();
  report.bars = judge(report);
  const auto json = nlohmann::json::parse(report_json(report));
  for (const char* section :
       {"version", "started", "machine", "peers", "workloads", "left_out", "sequential", "staggered", "burst",
        "sustained", "memory", "policy", "endurance", "pool", "ratios", "bars"}) {
    EXPECT_TRUE(json.contains(section)) << section;
  }
  EXPECT_EQ(json["sequential"][3]["peer"], "warm");
  EXPECT_EQ(json["sequential"][3]["latency_ms"]["p50"], 0.5);
  EXPECT_EQ(json["sequential"][3]["latency_ms"]["p99_9"], 0.6);
  EXPECT_EQ(json["peers"][2]["missing"], "runc is not installed");
  EXPECT_TRUE(json["peers"][0]["missing"].is_null());
  EXPECT_EQ(json["memory"][0]["measured_private_bytes"], 5 << 20);
  EXPECT_EQ(json["endurance"]["figures"][0]["flat"], true);
  EXPECT_NEAR(json["ratios"]["sustained/print/warm"].get<double>(), 7, 1e-9);
  EXPECT_EQ(json["bars"][0]["verdict"], "pass");
}

TEST(ReportJson, AnEmptyReportIsStillAnObject) {
  const auto json = nlohmann::json::parse(report_json(Report{}));
  EXPECT_TRUE(json["sequential"].empty());
  EXPECT_TRUE(json["endurance"].is_null());
  EXPECT_TRUE(json["ratios"].is_object());
}

TEST(ReportText, AMissingPeerIsNamedLoudly) {
  EXPECT_THAT(report_text(small_report()), HasSubstr("!! MISSING: runc was not measured: runc is not installed"));
}

TEST(ReportText, AFailedRunIsNamedWithItsReason) {
  Report report = small_report();
  EXPECT_THAT(report_text(report), Not(HasSubstr("FAILED")));
  report.sequential[3].tally = {2, "timeout", 3};
  EXPECT_THAT(report_text(report), HasSubstr("glovebox warm: 2 runs FAILED of 5; the first: timeout"));
}

TEST(ReportText, ColdRunsOfTheWarmPeerAreTold) {
  Report report = small_report();
  report.sequential[3].tally.warm_runs = 2;
  EXPECT_THAT(report_text(report), HasSubstr("2 of 3 runs found a warm cell"));
}

TEST(ReportText, TimesHaveThreeDigits) {
  EXPECT_EQ(short_ms(0.4123), "0.412");
  EXPECT_EQ(short_ms(4.123), "4.12");
  EXPECT_EQ(short_ms(41.23), "41.2");
  EXPECT_EQ(short_ms(412.3), "412");
  EXPECT_EQ(short_ms(4123.4), "4,123");
  EXPECT_EQ(short_ms(0), "-");
}

TEST(ReportText, TheBarsSayPassMissOrNothing) {
  const std::string text = bars_text({{"a", "first", "≤ 1", "0.5", BarVerdict::pass},
                                      {"b", "second", "≤ 1", "1.5", BarVerdict::miss},
                                      {"c", "third", "≤ 1", "not measured", BarVerdict::not_measured}});
  EXPECT_THAT(text, HasSubstr("pass  first"));
  EXPECT_THAT(text, HasSubstr("MISS  second"));
  EXPECT_THAT(text, HasSubstr("-     third"));
}

TEST(ReportSvg, IsWellFormedAndEscapesWhatTheMachineCallsItself) {
  const std::string svg = report_svg(small_report());
  EXPECT_EQ(first_xml_mistake(svg), "");
  EXPECT_THAT(svg, HasSubstr("Test &lt;CPU&gt; &amp; &quot;Co&quot;"));
  EXPECT_THAT(svg, HasSubstr("glovebox warm"));
  EXPECT_THAT(svg, HasSubstr("Burst of 100"));
}

TEST(ReportSvg, AnEmptyReportIsAnEmptyCard) {
  const std::string svg = report_svg(Report{});
  EXPECT_EQ(first_xml_mistake(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(ReportSvg, APeerWhoseRunsAllFailedIsThereWithoutADot) {
  Report report = small_report();
  report.sequential.push_back(latency_row("pandas", "cold", {}));
  const std::string svg = report_svg(report);
  EXPECT_THAT(svg, HasSubstr("all runs failed"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(XmlCheck, FindsTheMistakesItIsThereFor) {
  EXPECT_NE(first_xml_mistake("<a><b></a></b>"), "");
  EXPECT_NE(first_xml_mistake("<a>1 & 2</a>"), "");
  EXPECT_NE(first_xml_mistake("<a x=1></a>"), "");
  EXPECT_NE(first_xml_mistake("<a>"), "");
  EXPECT_EQ(first_xml_mistake("<a x=\"1\"><b/>&amp;</a>"), "");
}

}  // namespace
}  // namespace glovebox::bench
