#include "runner/admission.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace glovebox::runner
