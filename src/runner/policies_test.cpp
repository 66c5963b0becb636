#include "runner/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "policy/decision.h"

namespace glovebox::runner {
namespace {

using policy::Verdict;
using testing::HasSubstr;

class PoliciesTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream(directory_ + "/" + name) << text; }
  [[nodiscard]] Policies with(std::string floor = "", std::string workspace = "") const {
    return Policies({directory_, std::move(floor), workspace.empty() ? "" : directory_ + "/" + workspace});
  }
  static std::string error_of(Policies policies, const std::string& name, const std::string& tenant = "") {
    const auto policy = policies.effective(name, tenant);
    return policy ? "none" : policy.error().message;
  }
  static Verdict verdict(Policies policies, const std::string& name, const std::string& code,
                         const std::string& tenant = "") {
    const auto policy = policies.effective(name, tenant);
    EXPECT_TRUE(policy) << (policy ? "" : policy.error().message);
    contract::RunRequest request;
    request.code = code;
    return policy ? policy::decide(**policy, policy::question_of(request, "python")).verdict : Verdict::deny;
  }

  base::TemporaryDirectory temporary_{"policies"};
  const std::string directory_ = temporary_.path();
};

TEST_F(PoliciesTest, AnOperatorAddsProfilesAndTightensBuiltInOnes) {
  write("mine.toml", "name = \"mine\"\n[imports]\nforbid = [\"json\"]\n");
  write("default.toml", "[imports]\nforbid = [\"csv\"]\n");
  EXPECT_EQ(verdict(with(), "mine", "import json"), Verdict::deny);
  EXPECT_EQ(verdict(with(), "mine", "import csv"), Verdict::allow);
  EXPECT_EQ(verdict(with(), "default", "import csv"), Verdict::deny);
  EXPECT_THAT(with().names(), testing::Contains("mine"));
}

TEST_F(PoliciesTest, AnOperatorsFileOfABuiltInNameCannotTakeItsRulesAway) {
  write("strict.toml", "dynamic = \"allow\"\n[imports]\nallow = [\"socket\"]\n");
  EXPECT_EQ(verdict(with(), "strict", "import socket"), Verdict::deny);
}

TEST_F(PoliciesTest, FloorAndTenantCountWhateverIsAskedFor) {
  EXPECT_EQ(verdict(with(), "unrestricted", "import socket"), Verdict::allow);
  EXPECT_EQ(verdict(with("sandboxed_python"), "unrestricted", "import socket"), Verdict::deny);
  EXPECT_EQ(verdict(with(), "unrestricted", "import socket", "sandboxed_python"), Verdict::deny);
}

TEST_F(PoliciesTest, AWorkspaceTightens) {
  write("workspace.toml", "[imports]\nforbid = [\"json\"]\n");
  EXPECT_EQ(verdict(with("", "workspace.toml"), "default", "import json"), Verdict::deny);
  EXPECT_EQ(verdict(with("", "missing.toml"), "default", "import json"), Verdict::allow);
}

TEST_F(PoliciesTest, WhatIsBrokenOrMissingIsAnErrorAndNeverLeftOut) {
  EXPECT_THAT(error_of(with(), "nobody"), HasSubstr("there is no policy \"nobody\""));
  EXPECT_THAT(error_of(with("nobody"), "default"), HasSubstr("there is no policy \"nobody\""));
  EXPECT_THAT(error_of(with(), "default", "nobody"), HasSubstr("there is no policy \"nobody\""));
  write("default.toml", "dynamic = 5\n");
  EXPECT_THAT(error_of(with(), "default"), HasSubstr("default.toml:1:11: "));
  EXPECT_FALSE(with().check_all());
  std::filesystem::remove(directory_ + "/default.toml");
  std::filesystem::create_directory(directory_ + "/default.toml");
  EXPECT_THAT(error_of(with(), "default"), HasSubstr("not a regular file"));
  std::filesystem::remove(directory_ + "/default.toml");
  ASSERT_EQ(::mkfifo((directory_ + "/default.toml").c_str(), 0600), 0);
  EXPECT_THAT(error_of(with(), "default"), HasSubstr("not a regular file")) << "and it must not wait for a writer";
}

TEST_F(PoliciesTest, ANameIsNoPath) {
  write("mine.toml", "");
  EXPECT_THAT(error_of(with(), "../" + std::filesystem::path(directory_).filename().string() + "/mine"),
              HasSubstr("there is no policy"));
  EXPECT_THAT(error_of(with(), ""), HasSubstr("there is no policy"));
}

}  // namespace
}  // namespace glovebox::runner
