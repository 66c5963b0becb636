#include "bench/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "bench/library_peer.h"

namespace glovebox::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Workload, PrintIsExactlyWhatPeopleType) {
  EXPECT_THAT(interpreter_words(*find_workload("pass")), ElementsAre("/usr/bin/python3", "-c", "pass"));
  EXPECT_THAT(interpreter_words(*find_workload("print")), ElementsAre("/usr/bin/python3", "-c", "print(1)"));
  EXPECT_THAT(interpreter_words(*find_workload("javascript")), ElementsAre("/usr/bin/node", "-e", "console.log(1)"));
  EXPECT_THAT(interpreter_words(*find_workload("shell")), ElementsAre("/usr/bin/bash", "-c", "echo 1"));
  EXPECT_THAT(interpreter_words(*find_workload("pandas")), ElementsAre("/usr/bin/python3", "main.py"));
}

TEST(Workload, EveryOneHasItsOwnNameAndRounds) {
  std::set<std::string> ids;
  for (const Workload& workload : all_workloads()) {
    EXPECT_TRUE(ids.insert(workload.id).second) << workload.id;
    EXPECT_GT(workload.rounds, workload.quick_rounds) << workload.id;
    EXPECT_GT(workload.quick_rounds, 0) << workload.id;
  }
  EXPECT_EQ(ids.size(), 9U);
  EXPECT_EQ(find_workload("unknown"), nullptr);
}

TEST(Workload, SizesAreThosePromised) {
  EXPECT_EQ(find_workload("output")->expected_output.size(), 1U << 20U);
  EXPECT_EQ(find_workload("input")->files.at("input.bin").size(), 10U << 20U);
  EXPECT_EQ(find_workload("artifacts")->expected_artifacts.size(), 20U);
}

TEST(Workload, TheRightAnswerIsAccepted) {
  for (const Workload& workload : all_workloads()) {
    EXPECT_EQ(wrong_answer(workload, workload.expected_output, workload.expected_artifacts), "") << workload.id;
  }
}

TEST(Workload, AnyOtherAnswerIsAFailure) {
  const Workload& print = *find_workload("print");
  EXPECT_THAT(wrong_answer(print, "2\n", {}), HasSubstr("not the answer"));
  EXPECT_THAT(wrong_answer(print, "", {}), HasSubstr("not the answer"));
  EXPECT_THAT(wrong_answer(print, "1\n", {{"stray.txt", ""}}), HasSubstr("nobody asked for"));
  const Workload& artifacts = *find_workload("artifacts");
  NamedBytes parts = artifacts.expected_artifacts;
  parts["part-07.txt"] += "x";
  EXPECT_THAT(wrong_answer(artifacts, "", parts), HasSubstr("part-07.txt has the wrong content"));
  parts.erase("part-07.txt");
  EXPECT_THAT(wrong_answer(artifacts, "", parts), HasSubstr("part-07.txt is missing"));
}

TEST(Workload, TheRequestCarriesTheSameProgram) {
  for (const Workload& workload : all_workloads()) {
    const auto request = request_for(workload);
    ASSERT_TRUE(request) << workload.id;
    EXPECT_EQ(request->code, workload.code);
    EXPECT_EQ(request->files.size(), workload.files.size());
    EXPECT_EQ(request->cache, contract::CacheMode::off) << "a stored answer would be no run";
  }
  EXPECT_EQ(request_for(*find_workload("artifacts"))->limits.artifact_count, 20U);
}

}  // namespace
}  // namespace glovebox::bench
