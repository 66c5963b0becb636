#include "mcp/shown_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace glovebox::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

contract::RunRequest request() {
  contract::RunRequest request;
  request.language = "javascript";
  request.code = "// harmless \u2028evil()\nconsole.log(1)";
  request.files.push_back({*base::RelPath::parse("helper.js"), std::string("exports.go = 1")});
  request.files.push_back({*base::RelPath::parse("data.csv"), std::string(1U << 20U, 'x')});
  return request;
}

TEST(ShownProgram, HasEverythingThatIsCodeAndHidesNothing) {
  const auto shown = shown_program(request());
  ASSERT_TRUE(shown);
  EXPECT_THAT(*shown, HasSubstr("in javascript:\n    // harmless \\xe2\\x80\\xa8evil()\n    console.log(1)"));
  EXPECT_THAT(*shown, HasSubstr("helper.js, which it can load:\n    exports.go = 1"));
  EXPECT_THAT(*shown, Not(HasSubstr("data.csv")));
}

TEST(ShownProgram, WhatAFormCannotShowIsNotAskedAbout) {
  contract::RunRequest large = request();
  large.code.append(20'000, ' ');
  EXPECT_FALSE(shown_program(large));
  contract::RunRequest stored = request();
  stored.files.push_back({*base::RelPath::parse("stored.js"), contract::BlobRef{std::string(64, 'a')}});
  EXPECT_FALSE(shown_program(stored));
}

}  // namespace
}  // namespace glovebox::mcp
