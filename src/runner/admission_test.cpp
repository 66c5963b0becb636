#include "runner/admission.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using contract::RunRequest;

RunRequest plain() {
  RunRequest request;
  request.code = "print(1)";
  return request;
}

TEST(Admission, TakesAPlainRequest) { EXPECT_TRUE(admit(plain(), Records::none)); }

TEST(Admission, TakesADeterministicRequest) {
  RunRequest request = plain();
  request.deterministic = true;
  EXPECT_TRUE(admit(request, Records::none));
}

TEST(Admission, RefusesByNameWhatItCannotHonour) {
  const auto refused = [](auto change, const char* field) {
    RunRequest request = plain();
    change(request);
    const auto answer = admit(request, Records::none);
    ASSERT_FALSE(answer) << field;
    EXPECT_EQ(answer.error().field, field);
    EXPECT_EQ(answer.error().code, ErrorCode::unsupported);
    EXPECT_FALSE(answer.error().hint.empty());
  };
  refused([](RunRequest& r) { r.isolation = contract::Isolation::vm; }, "isolation");
  refused([](RunRequest& r) { r.isolation = contract::Isolation::none; }, "isolation");
  refused([](RunRequest& r) { r.network.allow = {"example.org:443"}; }, "network.allow");
  refused([](RunRequest& r) { r.idempotency_key = "once"; }, "idempotency_key");
}

TEST(Admission, CountsAllInputsAgainstTheByteCap) {
  RunRequest request = plain();
  request.limits.input_bytes = 1024;
  request.standard_input = std::string(600, 'x');
  EXPECT_TRUE(admit(request, Records::none));
  request.files.push_back({*base::RelPath::parse("a.bin"), std::string(600, 'x')});
  EXPECT_EQ(admit(request, Records::none).error().code, ErrorCode::input_too_large);
}

TEST(Admission, CountsRowsOfTabularFilesOnly) {
  RunRequest request = plain();
  request.limits.input_rows = 10;
  const std::string rows(20, '\n');
  request.files.push_back({*base::RelPath::parse("notes.txt"), rows});
  EXPECT_TRUE(admit(request, Records::none));
  request.files.push_back({*base::RelPath::parse("data.csv"), rows});
  const auto answer = admit(request, Records::none);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().field, "files[1].content");
}

TEST(Admission, ALastRowWithoutItsNewlineCounts) {
  RunRequest request = plain();
  request.limits.input_rows = 2;
  request.files.push_back({*base::RelPath::parse("data.csv"), "a\n1\n"});
  EXPECT_TRUE(admit(request, Records::none));
  request.files.back().content = "a\n1\n2";
  EXPECT_EQ(admit(request, Records::none).error().code, ErrorCode::input_too_large);
}

class BlobAdmission : public testing::Test {
 protected:
  // Rows of two bytes, more of them than are read at once.
  static constexpr std::uint64_t kRows = 100'000;

  void SetUp() override {
    ASSERT_GE(file_.get(), 0);
    std::string rows;
    for (std::uint64_t row = 0; row < kRows; ++row) {
      rows += "1\n";
    }
    ASSERT_EQ(::write(file_.get(), rows.data(), rows.size()), static_cast<ssize_t>(rows.size()));
  }

  base::Status admit_as(const char* name, std::uint64_t most_rows) {
    RunRequest request = plain();
    request.limits.input_rows = most_rows;
    request.files.push_back({*base::RelPath::parse("notes.txt"), "inline"});
    request.files.push_back({*base::RelPath::parse(name), contract::BlobRef{std::string(64, '0')}});
    EXPECT_TRUE(admit(request, Records::none)) << "the request does not hold the bytes";
    return admit_blob(request, 1, file_.get());
  }

  base::Fd file_{::memfd_create("blob", MFD_CLOEXEC)};
};

TEST_F(BlobAdmission, CountsTheRowsOfATable) {
  EXPECT_TRUE(admit_as("data.csv", kRows));
  const auto refused = admit_as("data.csv", kRows - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::input_too_large);
  EXPECT_EQ(refused.error().field, "files[1].blob");
  EXPECT_FALSE(admit_as("data.tsv", 5));
  EXPECT_FALSE(admit_as("data.jsonl", 5));
}

TEST_F(BlobAdmission, OtherFilesHaveNoRows) { EXPECT_TRUE(admit_as("data.bin", 5)); }

TEST(Admission, AServiceKeepsNoAnswerWithoutBound) {
  const ServeSettings serve;
  contract::Limits limits;
  EXPECT_TRUE(admit_to_service(limits, serve));
  limits.output_bytes = serve.output_bytes + 1;
  EXPECT_EQ(admit_to_service(limits, serve).error().field, "limits.output_bytes");
  limits.output_bytes = serve.output_bytes;
  limits.artifact_bytes = serve.artifact_bytes + 1;
  EXPECT_EQ(admit_to_service(limits, serve).error().field, "limits.artifact_bytes");
}

}  // namespace
}  // namespace glovebox::runner
