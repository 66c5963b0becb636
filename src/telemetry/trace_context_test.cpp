#include "telemetry/trace_context.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace glovebox::telemetry {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kSpan = "00f067aa0ba902b7";
const std::string kGood = "00-" + kTrace + "-" + kSpan + "-01";

std::string accept(std::vector<std::string_view> values) { return accept_tracestate(values); }

TEST(Traceparent, ComesBackAsItWas) {
  const auto context = parse_traceparent(kGood);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace_id.hex(), kTrace);
  EXPECT_EQ(context->span_id.hex(), kSpan);
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(format_traceparent(*context), kGood);
}

TEST(Traceparent, HasOneFlagThatCounts) {
  EXPECT_FALSE(parse_traceparent("00-" + kTrace + "-" + kSpan + "-00")->sampled);
  EXPECT_FALSE(parse_traceparent("00-" + kTrace + "-" + kSpan + "-fe")->sampled);
  EXPECT_EQ(format_traceparent(*parse_traceparent("00-" + kTrace + "-" + kSpan + "-ff")), kGood);
}

TEST(Traceparent, OfALaterVersionIsReadAsFarAsKnown) {
  for (const std::string& text : {"01-" + kTrace + "-" + kSpan + "-01", "cc-" + kTrace + "-" + kSpan + "-01-what-the",
                                  "fe-" + kTrace + "-" + kSpan + "-01-"}) {
    ASSERT_TRUE(parse_traceparent(text)) << text;
    EXPECT_EQ(format_traceparent(*parse_traceparent(text)), kGood);
  }
}

TEST(Traceparent, IsRefusedWhenAnythingIsWrong) {
  const std::string zeros(32, '0');
  const std::vector<std::string> bad = {"",
                                        "00",
                                        kGood.substr(0, 54),
                                        kGood + "-",
                                        kGood + "-extra",
                                        kGood + "x",
                                        "ff-" + kTrace + "-" + kSpan + "-01",
                                        "01-" + kTrace + "-" + kSpan + "-01x",
                                        "0x-" + kTrace + "-" + kSpan + "-01",
                                        "00-" + zeros + "-" + kSpan + "-01",
                                        "00-" + kTrace + "-0000000000000000-01",
                                        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + kSpan + "-01",
                                        "00-" + kTrace + "-00F067AA0BA902B7-01",
                                        "00-" + kTrace + "-" + kSpan + "-0g",
                                        "00-" + kTrace + "-" + kSpan + "-0A",
                                        "00_" + kTrace + "-" + kSpan + "-01",
                                        "00-" + kTrace + "_" + kSpan + "-01",
                                        "00-" + kTrace + "-" + kSpan + "_01",
                                        " " + kGood.substr(0, 54),
                                        std::string("00-") + std::string(32, '\0') + "-" + kSpan + "-01"};
  for (const std::string& text : bad) {
    EXPECT_FALSE(parse_traceparent(text)) << text;
  }
}

TEST(Tracestate, IsPassedOnInOrder) {
  EXPECT_EQ(accept({}), "");
  EXPECT_EQ(accept({"rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"}), "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
  EXPECT_EQ(accept({"a=1 , \tb=2", "", "tenant@vendor=x:y/z"}), "a=1,b=2,tenant@vendor=x:y/z");
  EXPECT_EQ(accept({",,a=1,,"}), "a=1");
}

TEST(Tracestate, IsDroppedWholeWhenItBreaksTheGrammar) {
  std::string many;
  for (int index = 0; index < 33; ++index) {
    many += "k" + std::to_string(index) + "=v,";
  }
  for (const std::string& text :
       {std::string("a"), std::string("A=1"), std::string("=1"), std::string("a="), std::string("a=1=2"),
        std::string("a=1,a=2"), std::string("a=\x01"), std::string("a=\xc3\xbc"), std::string("a=1\r\nx: y"),
        std::string("_a=1"), "a=" + std::string(257, 'v'), std::string(257, 'k') + "=v", many}) {
    EXPECT_EQ(accept({"good=1", text}), "") << text;
  }
}

TEST(Tracestate, IsCutToItsBound) {
  const std::string large = "big=" + std::string(200, 'b');
  std::vector<std::string> small;
  for (char letter = 'a'; letter < 'a' + 8; ++letter) {
    small.push_back(std::string(1, letter) + "=" + std::string(60, 'v'));
  }
  std::string joined = large;
  std::string kept;
  for (const std::string& member : small) {
    joined += "," + member;
    kept += (kept.empty() ? "" : ",") + member;
  }
  ASSERT_GT(joined.size(), 512U);
  EXPECT_EQ(accept({joined}), kept) << "the long member goes first";
  const std::string more = kept + ",y=" + std::string(60, 'v') + ",z=" + std::string(60, 'v');
  EXPECT_LE(accept({more}).size(), 512U);
  EXPECT_EQ(accept({more}), kept) << "then the last ones go";
}

TEST(TraceContext, StartsAnewWhenTheFieldIsMissingTwiceOrWrong) {
  using Values = std::vector<std::string_view>;
  const Values states = {"a=1"};
  EXPECT_FALSE(read_trace_context(Values{}, states));
  EXPECT_FALSE(read_trace_context(Values{kGood, kGood}, states));
  EXPECT_FALSE(read_trace_context(Values{"nonsense"}, states));
  const auto context = read_trace_context(Values{kGood}, states);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->state, "a=1");
  EXPECT_TRUE(read_trace_context(Values{kGood}, Values{"broken"})->state.empty());
}

TEST(TraceContext, HasIdsThatDiffer) {
  std::set<std::string> seen;
  for (int index = 0; index < 1000; ++index) {
    seen.insert(random_trace_id().hex());
    seen.insert(random_span_id().hex());
  }
  EXPECT_EQ(seen.size(), 2000U);
}

}  // namespace
}  // namespace glovebox::telemetry
