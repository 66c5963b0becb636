#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/temporary_directory.h"
#include "records/store.h"
#include "records/test_support.h"

namespace glovebox::records {
namespace {

class ApprovalTest : public testing::Test {
 protected:
  ApprovalTest() : store_(std::move(*open_sqlite_store(directory_.path()))) {}

  static Approval question(std::string id = "appr_1", std::string request = std::string(64, 'a')) {
    Approval approval;
    approval.id = std::move(id);
    approval.tenant = "web";
    approval.run_id = "run_1";
    approval.request_sha256 = std::move(request);
    approval.policy = "strict@sha256:1";
    approval.created_ms = 1000;
    approval.expires_ms = 2000;
    approval.detail_json = R"({"rules":["files"]})";
    return approval;
  }
  static ApprovalKey key_of(const Approval& approval) {
    return {approval.tenant, approval.request_sha256, approval.policy};
  }
  static NewAnswer yes(std::int64_t now_ms = 1500) { return {ApprovalAnswer::approve, "ann", "fine", now_ms, 3000}; }
  static NewAnswer no(std::int64_t now_ms = 1500) { return {ApprovalAnswer::reject, "bob", "", now_ms, 3000}; }

  base::TemporaryDirectory directory_{"records"};
  std::unique_ptr<Store> store_;
};

TEST_F(ApprovalTest, IsAskedOncePerRequestPolicyAndTenant) {
  ASSERT_EQ(store_->ask_approval(question(), "key")->id, "appr_1");
  EXPECT_EQ(store_->ask_approval(question("appr_2"), "key")->id, "appr_1");
  EXPECT_EQ(store_->ask_approval(question("appr_3", std::string(64, 'b')), "key")->id, "appr_3");
  Approval other = question("appr_4");
  other.tenant = "else";
  EXPECT_EQ(store_->ask_approval(other, "key")->id, "appr_4");
  other = question("appr_5");
  other.policy = "strict@sha256:2";
  EXPECT_EQ(store_->ask_approval(other, "key")->id, "appr_5");
}

TEST_F(ApprovalTest, ServesOneRunOfWhatItIsBoundTo) {
  const Approval asked = *store_->ask_approval(question(), "key");
  EXPECT_FALSE(*store_->use_approval(key_of(asked), "run_1", 1400)) << "nobody has answered";
  ASSERT_TRUE((*store_->answer_approval(asked.id, yes()))->decided);
  EXPECT_FALSE(*store_->use_approval({"else", asked.request_sha256, asked.policy}, "run_2", 1600));
  EXPECT_FALSE(*store_->use_approval({asked.tenant, "other", asked.policy}, "run_2", 1600));
  EXPECT_FALSE(*store_->use_approval({asked.tenant, asked.request_sha256, "strict@sha256:2"}, "run_2", 1600));
  const auto used = *store_->use_approval(key_of(asked), "run_1", 1600);
  ASSERT_TRUE(used);
  EXPECT_EQ(used->answered_by, "ann");
  EXPECT_FALSE(*store_->use_approval(key_of(asked), "run_3", 1700)) << "it is used up";
  EXPECT_EQ((*store_->find_approval(asked.id))->used_by, "run_1");
}

// Whoever joins a question between a look at it and the answer has asked as well.
TEST_F(ApprovalTest, NobodySaysYesToTheirOwnQuestion) {
  Approval first = question();
  first.asked_by = "key_1";
  Approval joined = first;
  joined.asked_by = "key_2";
  ASSERT_TRUE(store_->ask_approval(first, "key_1"));
  ASSERT_EQ(store_->ask_approval(joined, "key_2")->id, "appr_1");
  NewAnswer answer = yes();
  for (const char* key : {"key_1", "key_2"}) {
    answer.not_asked_by = key;
    const Answered own = **store_->answer_approval("appr_1", answer);
    EXPECT_TRUE(own.own_question && !own.decided) << key;
    EXPECT_EQ(own.approval.state, ApprovalState::pending);
  }
  answer.not_asked_by = "key_3";
  EXPECT_TRUE((*store_->answer_approval("appr_1", answer))->decided);
  ApprovalKey use = key_of(first);
  use.asked_by = "key_3";
  EXPECT_FALSE(*store_->use_approval(use, "run_1", 1600)) << "said yes, and did not ask";
  use.asked_by = "key_2";
  EXPECT_TRUE(*store_->use_approval(use, "run_2", 1600));
}

TEST_F(ApprovalTest, ExpiresBeforeAndAfterItsAnswer) {
  const Approval asked = *store_->ask_approval(question(), "key");
  EXPECT_FALSE((*store_->answer_approval(asked.id, yes(2000)))->decided) << "too late";
  EXPECT_EQ(store_->ask_approval(question("appr_2"), "key")->id, "appr_1");
  Approval later = question("appr_3");
  later.created_ms = 2000;
  later.expires_ms = 4000;
  ASSERT_EQ(store_->ask_approval(later, "key")->id, "appr_3") << "the old question is over";
  ASSERT_TRUE((*store_->answer_approval("appr_3", yes(2500)))->decided);
  EXPECT_FALSE(*store_->use_approval(key_of(later), "run_1", 3000)) << "approved, and too old";
}

TEST_F(ApprovalTest, OfTwoAnswersAtOnceOneWins) {
  for (int round = 0; round < 20; ++round) {
    const std::string id = "appr_" + std::to_string(round);
    ASSERT_TRUE(store_->ask_approval(question(id, std::string(64, static_cast<char>('a' + round))), "key"));
    std::atomic<int> decided = 0;
    const auto answer = [&](const NewAnswer& how) {
      const auto answered = store_->answer_approval(id, how);
      decided += answered && *answered && (*answered)->decided ? 1 : 0;
    };
    std::thread first([&] { answer(yes()); });
    std::thread second([&] { answer(no()); });
    first.join();
    second.join();
    EXPECT_EQ(decided, 1);
  }
}

TEST_F(ApprovalTest, OfManyRunsThatWantOneApprovalOneGetsIt) {
  const Approval asked = *store_->ask_approval(question(), "key");
  ASSERT_TRUE((*store_->answer_approval(asked.id, yes()))->decided);
  std::atomic<int> used = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index) {
    threads.emplace_back([&, index] {
      const auto got = store_->use_approval(key_of(asked), "run_" + std::to_string(index), 1600);
      used += got && *got ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(used, 1);
}

TEST_F(ApprovalTest, ARestartExpiresWhatIsPending) {
  ASSERT_TRUE(store_->ask_approval(question(), "key"));
  ASSERT_TRUE(store_->ask_approval(question("appr_2", std::string(64, 'b')), "key"));
  ASSERT_TRUE((*store_->answer_approval("appr_2", yes()))->decided);
  EXPECT_EQ(*store_->expire_approvals("started again", 1600), 1U);
  EXPECT_EQ((*store_->find_approval("appr_1"))->state, ApprovalState::expired);
  EXPECT_EQ((*store_->find_approval("appr_2"))->state, ApprovalState::approved);
  EXPECT_FALSE((*store_->answer_approval("appr_1", yes()))->decided);
}

TEST_F(ApprovalTest, IsListedByTenantAndStateAndInPages) {
  for (int index = 0; index < 5; ++index) {
    ASSERT_TRUE(store_->ask_approval(question("appr_" + std::to_string(index), std::to_string(index)), "key"));
  }
  ASSERT_TRUE((*store_->answer_approval("appr_3", no()))->decided);
  ApprovalFilter filter;
  const auto first = *store_->approvals(filter, "", 2);
  ASSERT_EQ(first.approvals.size(), 2U);
  EXPECT_EQ(first.approvals[0].id, "appr_4");
  const auto second = *store_->approvals(filter, first.next_cursor, 10);
  EXPECT_EQ(second.approvals.size(), 3U);
  EXPECT_TRUE(second.next_cursor.empty());
  filter.state = ApprovalState::rejected;
  EXPECT_EQ(store_->approvals(filter, "", 10)->approvals.size(), 1U);
  filter.tenant = "else";
  EXPECT_TRUE(store_->approvals(filter, "", 10)->approvals.empty());
}

TEST_F(ApprovalTest, EveryStepIsInTheAuditLogAndTheLogHolds) {
  const Approval asked = *store_->ask_approval(question(), "key");
  ASSERT_TRUE(store_->answer_approval(asked.id, yes()));
  ASSERT_TRUE(store_->use_approval(key_of(asked), "run_1", 1600));
  ASSERT_TRUE(store_->set_tenant_policy("web", "strict", "ann", 1700));
  std::vector<std::string> kinds;
  const auto entries = store_->audit_entries(0, 10);
  for (const AuditEntry& entry : *entries) {
    kinds.push_back(entry.event.kind);
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"approval_asked", "approval_approved", "approval_used",
                                             "tenant_policy_changed"}));
  EXPECT_FALSE(store_->verify_audit({})->problem);
  ASSERT_TRUE(store_->forget_approvals(1001));
  EXPECT_FALSE(*store_->find_approval(asked.id));
}

TEST_F(ApprovalTest, ATenantIsBoundToAPolicyUntilItIsNot) {
  EXPECT_EQ(*store_->tenant_policy("web"), "");
  ASSERT_TRUE(store_->set_tenant_policy("web", "strict", "ann", 1));
  EXPECT_EQ(*store_->tenant_policy("web"), "strict");
  EXPECT_EQ(*store_->tenant_policies(), (std::vector<TenantPolicy>{{"web", "strict"}}));
  ASSERT_TRUE(store_->set_tenant_policy("web", "", "ann", 2));
  EXPECT_EQ(*store_->tenant_policy("web"), "");
  EXPECT_TRUE(store_->tenant_policies()->empty());
}

}  // namespace
}  // namespace glovebox::records
