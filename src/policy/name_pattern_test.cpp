#include "policy/name_pattern.h"

#include <gtest/gtest.h>

namespace glovebox::policy {
namespace {

bool matches(FactKind pattern_kind, const char* pattern, FactKind fact_kind, const char* name,
             const char* detail = "") {
  PatternIndex index;
  index.add(pattern_kind, pattern, 7);
  std::vector<std::uint32_t> tags;
  Fact fact;
  fact.kind = fact_kind;
  fact.name = name;
  fact.detail = detail;
  index.find(fact, tags);
  return tags == std::vector<std::uint32_t>{7};
}

constexpr FactKind kImport = FactKind::import;
constexpr FactKind kCall = FactKind::call;
constexpr FactKind kAttribute = FactKind::attribute;
constexpr FactKind kDynamic = FactKind::dynamic;

TEST(NamePattern, AModuleIsEverythingBelowIt) {
  EXPECT_TRUE(matches(kImport, "numpy", kImport, "numpy"));
  EXPECT_TRUE(matches(kImport, "numpy", kImport, "numpy.linalg"));
  EXPECT_TRUE(matches(kImport, "xml.etree", kImport, "xml.etree.ElementTree"));
  EXPECT_FALSE(matches(kImport, "numpy", kImport, "numpydoc"));
  EXPECT_FALSE(matches(kImport, "xml.etree", kImport, "xml"));
  EXPECT_FALSE(matches(kImport, "linalg", kImport, "numpy.linalg"));
}

TEST(NamePattern, WhatIsTakenFromAModuleCountsToo) {
  EXPECT_TRUE(matches(kImport, "urllib.request", kImport, "urllib", "request"));
  EXPECT_TRUE(matches(kImport, "urllib", kImport, "urllib", "parse"));
  EXPECT_FALSE(matches(kImport, "urllib.request", kImport, "urllib", "parse"));
  EXPECT_FALSE(matches(kImport, "urllib.request", kImport, "urllib", "*"));
}

TEST(NamePattern, TakingAllOfAModuleTakesWhatARuleNamesInIt) {
  PatternIndex index;
  index.add(kCall, "os.system", 1);
  index.add(kImport, "os.path", 2);
  index.add(kCall, "shutil.rmtree", 3);
  Fact fact;
  fact.kind = kImport;
  fact.name = "os";
  fact.detail = "*";
  std::vector<std::uint32_t> tags;
  index.find_taken_along(fact, tags);
  EXPECT_EQ(tags, (std::vector<std::uint32_t>{1, 2}));
}

TEST(NamePattern, ACallIsExactlyThatCall) {
  EXPECT_TRUE(matches(kCall, "os.system", kCall, "os.system"));
  EXPECT_FALSE(matches(kCall, "os.system", kCall, "os.systems"));
  EXPECT_FALSE(matches(kCall, "os.system", kCall, "os.system.x"));
  EXPECT_FALSE(matches(kCall, "open", kCall, "zipfile.open"));
  EXPECT_FALSE(matches(kCall, "eval", kCall, "frame.eval"));
}

TEST(NamePattern, ACallIsFoundBehindOtherNames) {
  EXPECT_TRUE(matches(kCall, "os.system", kCall, "pathlib.os.system"));
  EXPECT_TRUE(matches(kCall, "os.system", kCall, "?.os.system"));
}

TEST(NamePattern, StarsAtTheEndAndAtTheBeginning) {
  EXPECT_TRUE(matches(kCall, "os.exec*", kCall, "os.execvp"));
  EXPECT_TRUE(matches(kCall, "subprocess.*", kCall, "subprocess.run"));
  EXPECT_FALSE(matches(kCall, "subprocess.*", kCall, "subprocess"));
  EXPECT_FALSE(matches(kCall, "os.exec*", kCall, "os.path.exec"));
  EXPECT_TRUE(matches(kAttribute, "*.__globals__", kAttribute, "?.__globals__"));
  EXPECT_TRUE(matches(kAttribute, "*.__globals__", kAttribute, "a.b.__globals__"));
  EXPECT_TRUE(matches(kCall, "*", kCall, "anything.at.all"));
  EXPECT_TRUE(matches(kCall, "exec*", kCall, "execute"));
}

TEST(NamePattern, HandingAFunctionOnIsAsGoodAsCallingIt) {
  EXPECT_TRUE(matches(kCall, "os.system", kAttribute, "os.system"));
  EXPECT_TRUE(matches(kAttribute, "os.environ", kCall, "os.environ.get"));
  EXPECT_TRUE(matches(kAttribute, "*.__globals__", kCall, "f.__globals__.items"));
  EXPECT_FALSE(matches(kCall, "os.system", kImport, "os.system"));
  EXPECT_FALSE(matches(kDynamic, "eval", kCall, "eval"));
  EXPECT_TRUE(matches(kDynamic, "eval", kDynamic, "eval"));
}

TEST(NamePattern, RefusesWhatIsNoName) {
  for (const char* good : {"os", "os.system", "os.*", "os.exec*", "*.__globals__", "*", "child_process", "@scope/name",
                           "apt-get", "$", "*.exec*", "node:fs"}) {
    EXPECT_TRUE(is_name_pattern(good)) << good;
  }
  for (const char* bad :
       {"", ".", "os.", ".os", "os..system", "os system", "o*s", "**", "*.", "*.*", "a\nb", "os.**"}) {
    EXPECT_FALSE(is_name_pattern(bad)) << bad;
  }
  EXPECT_FALSE(is_name_pattern(std::string(1000, 'a')));
}

}  // namespace
}  // namespace glovebox::policy
