#include "policy/effective_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/test_support.h"

namespace glovebox::policy {
namespace {

using testing::HasSubstr;

std::string loosening(const std::string& below, const std::string& workspace) {
  const auto policy = EffectivePolicy::combine(
      "test", {layer(Layer::built_in, parsed(below)), layer(Layer::workspace, parsed(workspace, "workspace"))}, "wall");
  return policy ? "accepted" : policy.error().message;
}

TEST(EffectivePolicy, TheStrictestLayerWins) {
  const EffectivePolicy policy = policy_of({layer(Layer::built_in, parsed("[imports]\nforbid = [\"socket\"]")),
                                            layer(Layer::operators, parsed("dynamic = \"ask\"")),
                                            layer(Layer::tenant, parsed("[imports]\nallow = [\"socket\", \"json\"]"))});
  EXPECT_EQ(decided(policy, "import json").verdict, Verdict::allow);
  EXPECT_EQ(decided(policy, "import socket").verdict, Verdict::deny);
  const Decision decision = decided(policy, "import csv");
  EXPECT_EQ(decision.verdict, Verdict::deny);
  ASSERT_EQ(decision.findings.size(), 1U);
  EXPECT_EQ(decision.findings[0].layer, Layer::tenant);
  EXPECT_EQ(decision.findings[0].rule, "imports");
}

TEST(EffectivePolicy, TheDigestChangesWithEveryLayerAndWithTheWall) {
  const auto reference = [](const char* below, const char* above, const char* wall) {
    return EffectivePolicy::combine("test",
                                    {layer(Layer::built_in, parsed(below)), layer(Layer::tenant, parsed(above))}, wall)
        ->reference();
  };
  const std::string one = reference("", "", "wall");
  EXPECT_THAT(one, testing::StartsWith("test@sha256:"));
  EXPECT_EQ(one, reference("", "", "wall"));
  EXPECT_NE(one, reference("dynamic = \"ask\"", "", "wall"));
  EXPECT_NE(one, reference("", "dynamic = \"ask\"", "wall"));
  EXPECT_NE(one, reference("", "", "another"));
}

TEST(EffectivePolicy, ReadsNothingIfNothingCanDependOnIt) {
  EXPECT_FALSE(built_in("default").needs_facts());
  EXPECT_FALSE(built_in("unrestricted").needs_facts());
  EXPECT_TRUE(built_in("sandboxed_python").needs_facts());
  EXPECT_FALSE(decided(built_in("default"), "import socket").read);
  EXPECT_TRUE(decided(built_in("strict"), "import json").read);
}

TEST(EffectivePolicy, AWorkspaceCanTighten) {
  EXPECT_EQ(loosening("dynamic = \"ask\"", "dynamic = \"deny\""), "accepted");
  EXPECT_EQ(loosening("", "[imports]\nallow = [\"json\"]"), "accepted");
  EXPECT_EQ(loosening("[imports]\nallow = [\"json\", \"csv\"]", "[imports]\nallow = [\"json\"]"), "accepted");
  EXPECT_EQ(loosening("[limits]\nwall_ms = 5000", "[limits]\nwall_ms = 1000\nmemory_bytes = 100000000"), "accepted");
  EXPECT_EQ(loosening("languages = [\"python\", \"bash\"]", "languages = [\"python\"]"), "accepted");
  EXPECT_EQ(loosening("network = \"allowed\"", "network = \"none\"\nisolation = \"vm\""), "accepted");
}

TEST(EffectivePolicy, AWorkspaceThatLoosensIsRefusedWithItsPlace) {
  struct Case {
    const char* below;
    const char* workspace;
    const char* told;
  };
  const Case cases[] = {
      {"dynamic = \"deny\"", "\ndynamic = \"ask\"", "workspace.toml:2:11: "},
      {"unparsed = \"ask\"", "unparsed = \"allow\"", "workspace.toml:1:12: "},
      {"[limits]\nwall_ms = 1000", "[limits]\nwall_ms = 1001", "workspace.toml:2:11: "},
      {"[program]\nmax_lines = 10", "[program]\nmax_lines = 11", "workspace.toml:2:13: "},
      {"network = \"none\"", "network = \"allowed\"", "workspace.toml:1:11: "},
      {"isolation = \"vm\"", "isolation = \"container\"", "workspace.toml:1:13: "},
      {"languages = [\"python\"]", "languages = [\"python\", \"bash\"]", "workspace.toml:1:24: "},
      {"[imports]\nforbid = [\"socket\"]", "[imports]\nallow = [\"json\", \"socket\"]", "workspace.toml:2:18: "},
      {"[imports]\nallow = [\"json\"]", "[imports]\nallow = [\"os\"]", "workspace.toml:2:10: "},
      {"[imports]\nallow = [\"json\"]", "[imports]\notherwise = \"ask\"", "workspace.toml:2:13: "},
      {"[imports]\nforbid = [\"urllib.request\"]", "[imports]\nallow = [\"urllib\"]", "workspace.toml:2:10: "},
  };
  for (const Case& each : cases) {
    const std::string told = loosening(each.below, each.workspace);
    EXPECT_THAT(told, testing::StartsWith(each.told)) << each.workspace;
    EXPECT_THAT(told, HasSubstr("can only tighten")) << each.workspace;
  }
}

TEST(EffectivePolicy, AWorkspaceCannotTakeARuleBack) {
  constexpr const char* kRule =
      "[[rule]]\nid = \"p\"\nverdict = \"{}\"\ncall = [\"os.system\"]\nreason = \"r\"\n"
      "match = [\"import os\\nos.system('x')\"]\nno_match = [\"1\"]\n";
  const auto with = [&](const char* verdict) {
    std::string text = kRule;
    return text.replace(text.find("{}"), 2, verdict);
  };
  EXPECT_EQ(loosening(with("ask"), with("deny")), "accepted");
  EXPECT_THAT(loosening(with("deny"), with("ask")), HasSubstr("the rule p is weaker"));
  EXPECT_THAT(loosening(with("ask"), with("allow")), HasSubstr("can only tighten"));
}

}  // namespace
}  // namespace glovebox::policy
