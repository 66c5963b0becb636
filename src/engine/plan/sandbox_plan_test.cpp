#include "engine/plan/sandbox_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <set>

#include "contract/limit_table.h"
#include "engine/languages/catalogue.h"

namespace glovebox::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

HostFacts good_host() {
  HostFacts host;
  host.landlock_abi = 4;
  host.cgroup_memory = true;
  host.cgroup_pids = true;
  host.cgroup_cpu = true;
  host.cgroup_cpu_time = true;
  host.cgroup_kill = true;
  host.privileged = true;
  return host;
}

HostFacts host_without_groups() {
  HostFacts host = good_host();
  host.cgroup_memory = false;
  host.cgroup_pids = false;
  host.cgroup_cpu = false;
  host.cgroup_cpu_time = false;
  host.cgroup_kill = false;
  host.limits_reason = "nothing is delegated";
  host.limits_remedy = "ask root";
  host.privileged = false;
  host.uid = 1234;
  host.gid = 5678;
  return host;
}

class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    request_.code = "print(1)";
    image_.digest = "sha256:abc";
    image_.entries = {{RootEntry::Kind::bind_directory, "usr", "/usr"}};
  }
  [[nodiscard]] base::Result<SandboxPlan> try_plan(DegradedMode degraded = DegradedMode::refuse,
                                                   std::uint32_t offset = 0) const {
    return make_plan({request_, language_, image_, host_, degraded, offset, 100, 2});
  }
  [[nodiscard]] SandboxPlan plan() const { return try_plan().value(); }
  [[nodiscard]] std::uint64_t rlimit(const SandboxPlan& plan, unsigned resource) const {
    for (const ResourceLimit& limit : plan.cell.rlimits) {
      if (limit.resource == resource) {
        return limit.value;
      }
    }
    return UINT64_MAX;
  }

  contract::RunRequest request_;
  LanguageProfile language_ = LanguageCatalogue({}).find("python").value();
  Image image_;
  HostFacts host_ = good_host();
};

TEST_F(PlanTest, IsTheSameForTheSameRequest) {
  EXPECT_EQ(plan(), plan());
  EXPECT_EQ(plan().hash(), plan().hash());
  EXPECT_EQ(plan().hash().size(), 64U);
}

TEST_F(PlanTest, CellsThatRunAtOnceHaveDifferentUsersButTheSameHash) {
  const SandboxPlan first = try_plan(DegradedMode::refuse, 1).value();
  const SandboxPlan second = try_plan(DegradedMode::refuse, 2).value();
  EXPECT_NE(first.cell.host_uid, second.cell.host_uid);
  EXPECT_GE(first.cell.host_uid, kFirstHostUid);
  EXPECT_EQ(first.hash(), second.hash());
}

TEST_F(PlanTest, EveryLimitOfTheCellIsPartOfTheHash) {
  std::set<std::string> hashes = {plan().hash()};
  for (const contract::LimitField& field : contract::kLimitTable) {
    if (field.name.starts_with("input_")) {
      continue;  // checked at the door, no part of the cell
    }
    const std::uint64_t before = request_.limits.*field.member;
    request_.limits.*field.member = before * 2;
    EXPECT_TRUE(hashes.insert(plan().hash()).second) << field.name;
    request_.limits.*field.member = before;
  }
}

TEST_F(PlanTest, WhatTheProgramSeesIsPartOfTheHash) {
  std::set<std::string> hashes = {plan().hash()};
  request_.args = {"x"};
  EXPECT_TRUE(hashes.insert(plan().hash()).second) << "args";
  request_.env = {{"NAME", "value"}};
  EXPECT_TRUE(hashes.insert(plan().hash()).second) << "env";
  image_.digest = "sha256:def";
  EXPECT_TRUE(hashes.insert(plan().hash()).second) << "image";
  request_.files.push_back({base::RelPath::parse("big").value(), contract::BlobRef{std::string(64, 'a')}});
  EXPECT_TRUE(hashes.insert(plan().hash()).second) << "blob";
  host_.landlock_abi = 3;
  EXPECT_TRUE(hashes.insert(plan().hash()).second) << "landlock";
}

TEST_F(PlanTest, AHostThatCannotEnforceTheLimitsGetsNoPlan) {
  for (bool HostFacts::*controller :
       {&HostFacts::cgroup_memory, &HostFacts::cgroup_pids, &HostFacts::cgroup_cpu, &HostFacts::cgroup_cpu_time}) {
    host_ = good_host();
    host_.*controller = false;
    host_.limits_reason = "nothing is delegated";
    host_.limits_remedy = "ask root";
    const auto refused = try_plan();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::limits_unavailable);
    EXPECT_THAT(refused.error().message, HasSubstr("nothing is delegated"));
    EXPECT_EQ(refused.error().hint, "ask root");
  }
}

TEST_F(PlanTest, AHostWithoutLandlockGetsNoPlan) {
  host_.landlock_abi = 0;
  const auto refused = try_plan();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::host_unsupported);
  EXPECT_THAT(refused.error().hint, HasSubstr("--degraded"));
}

TEST_F(PlanTest, TheDegradedModeSaysWhatItDoesNotEnforce) {
  host_ = host_without_groups();
  const SandboxPlan degraded = try_plan(DegradedMode::allow).value();
  EXPECT_TRUE(degraded.poll_memory);
  EXPECT_TRUE(degraded.poll_processes);
  EXPECT_THAT(degraded.enforced, Contains("degraded"));
  EXPECT_THAT(degraded.enforced, Contains("polled_memory"));
  EXPECT_THAT(degraded.enforced, Contains("rlimit_processes"));
  for (const std::string& layer : degraded.enforced) {
    EXPECT_THAT(layer, Not(testing::StartsWith("cgroup_")));
  }
  EXPECT_LT(rlimit(degraded, RLIMIT_DATA), UINT64_MAX) << "a huge allocation must not need a second look";
  EXPECT_LE(rlimit(degraded, RLIMIT_NPROC), request_.limits.processes + 16) << "bounds what a burst can reach";
}

TEST_F(PlanTest, CpuTimeThatNoGroupCountsIsPolledAndDegraded) {
  host_.cgroup_kill = false;
  EXPECT_THAT(plan().enforced, Contains("cpu_time")) << "a v1 host that counts it is as good as any";
  EXPECT_THAT(plan().enforced, Not(Contains("degraded")));
  host_.cgroup_cpu_time = false;
  const SandboxPlan degraded = try_plan(DegradedMode::allow).value();
  EXPECT_THAT(degraded.enforced, Contains("polled_cpu_time"));
  EXPECT_THAT(degraded.enforced, Contains("degraded"));
}

TEST_F(PlanTest, AllowingTheDegradedModeWeakensNothingOnAGoodHost) {
  EXPECT_EQ(try_plan(DegradedMode::allow).value(), plan());
  EXPECT_THAT(plan().enforced, Not(Contains("degraded")));
  EXPECT_THAT(plan().enforced, Contains("cgroup_memory"));
  EXPECT_THAT(plan().enforced, Contains("landlock_abi4"));
}

TEST_F(PlanTest, TheCellIsNeverRootNeitherInsideNorOutside) {
  EXPECT_NE(plan().cell.uid, 0U);
  EXPECT_NE(plan().cell.host_uid, 0U);
  host_ = good_host();
  host_.privileged = false;
  host_.uid = 1234;
  host_.gid = 5678;
  EXPECT_EQ(plan().cell.host_uid, 1234U) << "an ordinary user can map only itself";
  EXPECT_EQ(plan().cell.host_gid, 5678U);
}

TEST_F(PlanTest, TheRequestsEnvironmentWinsOverTheLanguagesAndNothingIsInherited) {
  request_.env = {{"LANG", "de_DE.UTF-8"}, {"MINE", "1"}};
  const auto env = plan().cell.env;
  EXPECT_THAT(env, Contains("LANG=de_DE.UTF-8"));
  EXPECT_THAT(env, Contains("MINE=1"));
  EXPECT_THAT(env, Not(Contains("LANG=C.UTF-8")));
  EXPECT_EQ(env.size(), language_.env.size() + 1);
}

TEST_F(PlanTest, InputsDoNotEatTheProgramsSpace) {
  const CellSpec& cell = plan().cell;
  EXPECT_GE(cell.scratch_bytes, request_.limits.disk_bytes + 100);
  EXPECT_GE(cell.scratch_inodes, request_.limits.inodes + 2);
}

TEST_F(PlanTest, BlobsAreMountedInTheWorkDirectoryInTheirOrder) {
  request_.files.push_back({base::RelPath::parse("b/two").value(), contract::BlobRef{std::string(64, 'b')}});
  request_.files.push_back({base::RelPath::parse("inline").value(), std::string("bytes")});
  request_.files.push_back({base::RelPath::parse("a").value(), contract::BlobRef{std::string(64, 'a')}});
  EXPECT_THAT(plan().cell.blob_targets, ElementsAre("work/b/two", "work/a"));
}

TEST_F(PlanTest, TheSolveFormHasACommandOfItsOwn) {
  const auto script = plan().cell.argv;
  request_.input_json = "[1]";
  const auto solve = plan().cell.argv;
  EXPECT_NE(script, solve);
  EXPECT_THAT(solve, Contains("/glovebox/input.json"));
}

TEST_F(PlanTest, ADeterministicRunPreloadsItsClockAndSaysSo) {
  const SandboxPlan ordinary = plan();
  request_.deterministic = true;
  const SandboxPlan value = plan();
  const RootEntry preload{RootEntry::Kind::file, "etc/ld.so.preload", "/glovebox/support/libglovebox_determinism.so\n"};
  EXPECT_THAT(value.cell.root, Contains(preload));
  EXPECT_THAT(ordinary.cell.root, Not(Contains(preload)));
  EXPECT_TRUE(value.cell.deterministic);
  EXPECT_FALSE(ordinary.cell.deterministic);
  EXPECT_THAT(value.cell.env, Contains("PYTHONHASHSEED=0"));
  EXPECT_THAT(value.enforced, Contains("deterministic"));
  EXPECT_THAT(ordinary.enforced, Not(Contains("deterministic")));
  EXPECT_NE(value.hash(), ordinary.hash());
  EXPECT_EQ(decode_cell_spec(encode_cell_spec(value.cell).value()).value(), value.cell);
}

TEST_F(PlanTest, EveryPlanCrossesTheSocketUnchanged) {
  const CellSpec& cell = plan().cell;
  EXPECT_EQ(decode_cell_spec(encode_cell_spec(cell).value()).value(), cell);
}

TEST_F(PlanTest, ItsTextNamesTheHashTheCommandAndEveryLayer) {
  request_.args = {"one\ntwo"};
  const SandboxPlan value = plan();
  const std::string text = describe(value);
  EXPECT_THAT(text, HasSubstr(value.hash()));
  EXPECT_THAT(text, HasSubstr("/glovebox/main.py one\\x0atwo"));
  EXPECT_THAT(text, HasSubstr("256 MiB"));
  for (const std::string& layer : value.enforced) {
    EXPECT_THAT(text, HasSubstr(layer));
  }
}

}  // namespace
}  // namespace glovebox::engine
