#include "records/commit_queue.h"

#include <atomic>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/temporary_directory.h"
#include "records/schema.h"
#include "records/test_support.h"

namespace glovebox::records {
namespace {

class CommitQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path()).flush();
    Database writer = open();
    ASSERT_TRUE(migrate(writer, schema_migrations()));
    ASSERT_TRUE(writer.execute("CREATE TABLE numbers (number INTEGER PRIMARY KEY)"));
    AuditHead head = std::move(*AuditHead::open(temporary_.path(), writer));
    queue_ = std::make_unique<CommitQueue>(std::move(writer), std::move(head));
  }
  [[nodiscard]] std::string path() const { return temporary_.path() + "/some.db"; }
  [[nodiscard]] Database open() const { return std::move(*Database::open(path(), Database::Access::read_write)); }
  [[nodiscard]] std::int64_t count() const {
    Database reader = open();
    auto statement = reader.prepare("SELECT count(*) FROM numbers");
    EXPECT_TRUE(statement->step().value());
    return statement->integer(0);
  }
  static CommitQueue::Write insert(int number) {
    return [number](Transaction& transaction) -> base::Status {
      Statement statement = TRY(transaction.database.prepare("INSERT INTO numbers VALUES (?1)"));
      statement.bind(number);
      return statement.run();
    };
  }
  base::TemporaryDirectory temporary_{"records"};
  std::unique_ptr<CommitQueue> queue_;
};

TEST_F(CommitQueueTest, AFailedWriteTakesNobodyWithIt) {
  const auto first = queue_->post(insert(1));
  const auto again = queue_->post(insert(1));
  const auto thrower = queue_->post([](Transaction&) -> base::Status { throw std::runtime_error("oops"); });
  EXPECT_TRUE(queue_->commit(insert(2)));
  EXPECT_TRUE(first->committed());
  EXPECT_FALSE(again->committed());
  EXPECT_FALSE(thrower->committed());
  EXPECT_EQ(count(), 2);
  EXPECT_FALSE(queue_->commit(insert(2)));
  EXPECT_TRUE(queue_->commit(insert(3)));
  EXPECT_EQ(count(), 3);
}

TEST_F(CommitQueueTest, APostedWriteCanBeTakenBackUntilItIsTaken) {
  const auto first = queue_->post(insert(1));
  EXPECT_TRUE(queue_->withdraw(*first));
  EXPECT_FALSE(queue_->withdraw(*first));
  const auto second = queue_->post(insert(2));
  queue_->drain();
  EXPECT_FALSE(queue_->withdraw(*second));
  EXPECT_FALSE(first->committed());
  EXPECT_TRUE(second->committed());
  EXPECT_EQ(count(), 1);
}

TEST_F(CommitQueueTest, WritesOfManyThreadsShareTransactions) {
  std::atomic<int> next = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index < 16; ++index) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_TRUE(queue_->commit(insert(next++)));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(count(), 800);
}

TEST_F(CommitQueueTest, AloneMeansOutsideOfTransactions) {
  EXPECT_TRUE(queue_->alone([](Database& writer) -> base::Status {
    EXPECT_FALSE(writer.in_transaction());
    return writer.checkpoint();
  }));
}

}  // namespace
}  // namespace glovebox::records
