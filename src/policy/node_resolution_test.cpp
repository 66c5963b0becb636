#include "policy/node_resolution.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rel_path.h"
#include "policy/test_support.h"

namespace glovebox::policy {
namespace {

using Files = std::map<std::string, std::string>;

// What `strict` says of a program with these files; it names no module that does not come with Node.
Verdict verdict(const std::string& code, const Files& files, std::string_view language = "javascript") {
  contract::RunRequest request;
  request.code = code;
  for (const auto& [path, text] : files) {
    request.files.push_back({*base::RelPath::parse(path), text});
  }
  return decide(built_in("strict"), question_of(request, language)).verdict;
}

TEST(NodeResolution, FilesThatAreReadAreTheProgramsOwn) {
  EXPECT_EQ(verdict("require('./helper')", {{"helper.js", "1"}}), Verdict::allow);
  EXPECT_EQ(verdict("require('./helper.js')", {{"helper.js", "1"}}), Verdict::allow);
  EXPECT_EQ(verdict("import './helper.mjs'", {{"helper.mjs", "1"}}), Verdict::allow);
  EXPECT_EQ(verdict("require('./part')", {{"part/index.js", "1"}}), Verdict::allow);
  EXPECT_EQ(verdict("require('./data.json')", {{"data.json", "{}"}}), Verdict::allow);
  EXPECT_EQ(verdict("require('./a/../helper')", {{"helper.js", "1"}}), Verdict::allow);
  EXPECT_EQ(verdict("require('./missing')", {{"helper.js", "1"}}), Verdict::deny);
  EXPECT_EQ(verdict("require('../helper')", {{"helper.js", "1"}}), Verdict::deny);
  EXPECT_EQ(verdict("require('./helper')", {{"helper.js", "require('fs')"}}), Verdict::deny);
}

TEST(NodeResolution, AFileThatNobodyReadsIsNotHiddenByOneThatIsRead) {
  EXPECT_EQ(verdict("require('./x')", {{"x.js", "1"}, {"x", "require('fs')"}}), Verdict::deny);
  EXPECT_EQ(verdict("require('./x.txt')", {{"x.txt", "require('fs')"}}), Verdict::deny);
  EXPECT_EQ(verdict("require('./x.txt')", {{"x.txt.js", "1"}, {"x.txt", "require('fs')"}}), Verdict::deny);
}

TEST(NodeResolution, AFileLooksForOthersFromItsOwnFolder) {
  const Files files = {{"sub/a.js", "require('./b')"}, {"b.js", "1"}};
  EXPECT_EQ(verdict("require('./sub/a')", files), Verdict::deny) << "there is no sub/b.js";
  EXPECT_EQ(verdict("require('./sub/a')", {{"sub/a.js", "require('./b')"}, {"sub/b.js", "1"}}), Verdict::allow);
  EXPECT_EQ(verdict("require('./sub/a')", {{"sub/a.js", "require('../b')"}, {"b.js", "1"}}), Verdict::allow);
  Files with_text = {{"sub/a.js", "require('./b')"}, {"b.js", "1"}, {"sub/b", "require('fs')"}};
  EXPECT_EQ(verdict("require('./sub/a')", with_text), Verdict::deny);
}

TEST(NodeResolution, APackageCannotLeadToAFileThatNobodyReads) {
  const auto package = [](const std::string& json, const std::string& code = "require('./dir')") {
    return verdict(code, {{"dir/package.json", json}, {"dir/index.js", "1"}, {"dir/evil.txt", "1"}, {"dir/b.js", "1"}});
  };
  EXPECT_EQ(package("{\"main\": \"evil.txt\"}"), Verdict::deny);
  EXPECT_EQ(package("{\"main\": \"./evil.txt\"}", "1"), Verdict::deny) << "whoever loads it";
  EXPECT_EQ(package("{\"main\": \"../../etc/x.js\"}"), Verdict::deny);
  EXPECT_EQ(package("{\"main\": \"/tmp/x.js\"}"), Verdict::deny);
  EXPECT_EQ(package("{\"main\": \"b.js\", \"main\": \"evil.txt\"}"), Verdict::deny);
  EXPECT_EQ(package("not JSON"), Verdict::deny);
  EXPECT_EQ(package("{\"exports\": {\".\": {\"default\": \"./evil.txt\"}}}"), Verdict::deny);
  EXPECT_EQ(package("{\"imports\": {\"#x\": \"fs\"}}"), Verdict::deny);
  EXPECT_EQ(package("{\"main\": \"b\", \"name\": \"dir\", \"type\": \"commonjs\"}"), Verdict::allow);
  EXPECT_EQ(package("{\"main\": \"missing.js\"}"), Verdict::allow) << "Node takes index.js then";
  EXPECT_EQ(package("{\"exports\": {\".\": \"./b.js\"}, \"imports\": {\"#b\": \"./b.js\"}}"), Verdict::allow);
  EXPECT_EQ(verdict("print(1)", {{"package.json", "{\"main\": \"evil.txt\"}"}}, "python"), Verdict::allow);
}

TEST(NodeResolution, APackageThatIsStoredElsewhereIsNotRead) {
  contract::RunRequest request;
  request.code = "require('./dir')";
  request.files = {{*base::RelPath::parse("dir/package.json"), contract::BlobRef{std::string(64, 'a')}},
                   {*base::RelPath::parse("dir/index.js"), std::string("1")}};
  EXPECT_EQ(decide(built_in("strict"), question_of(request, "javascript")).verdict, Verdict::deny);
}

}  // namespace
}  // namespace glovebox::policy
