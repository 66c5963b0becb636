#include "workspaces/workspaces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "base/temporary_directory.h"
#include "workspaces/test_support.h"

namespace glovebox::workspaces {
namespace {

using base::ErrorCode;
using testing::MatchesRegex;

class WorkspacesTest : public testing::Test {
 protected:
  std::unique_ptr<Workspaces> make(const runner::WorkspaceSettings& settings = {}) {
    return Workspaces::create({directory_.path(), settings, [this] { return now_; }}).value();
  }

  base::TemporaryDirectory directory_{"workspaces"};
  Clock::time_point now_ = Clock::now();
};

TEST_F(WorkspacesTest, AHandleCannotBeGuessed) {
  const auto all = make();
  std::set<std::string> handles;
  for (int index = 0; index < 200; ++index) {
    handles.insert(all->add("acme").value());
  }
  EXPECT_EQ(handles.size(), 200U);
  EXPECT_THAT(*handles.begin(), MatchesRegex("ws_[0-9a-f]{32}"));
}

TEST_F(WorkspacesTest, AnothersAnExpiredADroppedAndAnUnknownHandleLookTheSame) {
  const auto all = make();
  const std::string handle = all->add("acme").value();
  const std::string dropped = all->add("acme").value();
  ASSERT_TRUE(all->open("acme", handle).value()->write(path_of("secret"), "42", WriteMode::replace));
  ASSERT_TRUE(all->drop("acme", dropped));
  const base::Error unknown = all->open("acme", "ws_00000000000000000000000000000000").error();
  EXPECT_EQ(unknown.code, ErrorCode::not_found);
  EXPECT_EQ(all->open("other", handle).error(), unknown);
  EXPECT_EQ(all->drop("other", handle).error(), unknown);
  EXPECT_EQ(all->open("acme", dropped).error(), unknown);
  EXPECT_EQ(all->open("acme", "").error(), unknown);
  EXPECT_EQ(text_of(*all->open("acme", handle).value(), "secret"), "42");
  now_ += std::chrono::seconds(all->settings().ttl_s);
  EXPECT_EQ(all->open("acme", handle).error(), unknown);
  EXPECT_EQ(all->size(), 0U);
  EXPECT_EQ(files_below(directory_.path()), 0U);
}

TEST_F(WorkspacesTest, AUseStartsTheTimeToLiveAnew) {
  const auto all = make();
  const std::string handle = all->add("acme").value();
  for (int hour = 0; hour < 5; ++hour) {
    now_ += std::chrono::seconds(all->settings().ttl_s - 1);
    EXPECT_TRUE(all->open("acme", handle));
    EXPECT_EQ(all->sweep(), 0U);
  }
  now_ += std::chrono::seconds(all->settings().ttl_s);
  EXPECT_EQ(all->sweep(), 1U);
}

TEST_F(WorkspacesTest, ATenantAndTheServiceHaveSoManyAndNoMore) {
  runner::WorkspaceSettings settings;
  settings.tenant_count = 2;
  settings.count = 3;
  const auto all = make(settings);
  const std::string first = all->add("acme").value();
  ASSERT_TRUE(all->add("acme"));
  EXPECT_EQ(all->add("acme").error().code, ErrorCode::quota_exceeded);
  ASSERT_TRUE(all->add("other"));
  EXPECT_EQ(all->add("third").error().code, ErrorCode::quota_exceeded);
  ASSERT_TRUE(all->drop("acme", first));
  EXPECT_TRUE(all->add("third"));
}

TEST_F(WorkspacesTest, WhatWasDroppedGivesItsRoomBackOnceNobodyUsesIt) {
  runner::WorkspaceSettings settings;
  settings.tenant_bytes = 100;
  const auto all = make(settings);
  const std::string first = all->add("acme").value();
  const std::string second = all->add("acme").value();
  auto used = all->open("acme", first).value();
  ASSERT_TRUE(used->write(path_of("a"), std::string(90, 'x'), WriteMode::replace));
  ASSERT_TRUE(all->drop("acme", first));
  const auto other = all->open("acme", second).value();
  EXPECT_EQ(other->write(path_of("b"), std::string(20, 'x'), WriteMode::replace).error().code,
            ErrorCode::quota_exceeded);
  used.reset();
  EXPECT_TRUE(other->write(path_of("b"), std::string(20, 'x'), WriteMode::replace));
}

TEST_F(WorkspacesTest, ManyThreadsMayUseThem) {
  const auto all = make();
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      for (int round = 0; round < 50; ++round) {
        const std::string tenant = "t" + std::to_string(number % 2);
        const std::string handle = all->add(tenant).value();
        const auto workspace = all->open(tenant, handle).value();
        EXPECT_TRUE(workspace->write(path_of("f"), handle, WriteMode::replace));
        EXPECT_EQ(text_of(*workspace, "f"), handle);
        EXPECT_TRUE(all->drop(tenant, handle));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(all->size(), 0U);
  EXPECT_EQ(files_below(directory_.path()), 0U);
}

}  // namespace
}  // namespace glovebox::workspaces
