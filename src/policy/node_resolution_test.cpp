#include "policy/node_resolution.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "base/build_speed.h"
#include "base/rel_path.h"
#include "base/thread_clock.h"
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

TEST(NodeResolution, NobodyIsHeldUpByPackagesOfAnySize) {
  const auto verdict_in_time = [](const std::string& code, const Files& files) {
    const auto began = base::ThreadClock::now();
    const Verdict found = verdict(code, files);
    EXPECT_LT(base::ThreadClock::now() - began, std::chrono::seconds(5 * base::kSlowness));
    return found;
  };
  std::string parts;
  for (int index = 0; index < 4'000'000; ++index) {
    parts += "a/";
  }
  EXPECT_EQ(verdict_in_time("1", {{"package.json", "{\"main\": \"" + parts + "\"}"}}), Verdict::deny);
  const std::string large = "{\"main\": \"b.js\", \"x\": \"" + std::string(300'000, 'x') + "\"}";
  EXPECT_EQ(verdict_in_time("1", {{"package.json", large}, {"b.js", "1"}}), Verdict::deny) << "too large to be read";
  const std::string usual = "{\"main\": \"b.js\", \"x\": \"" + std::string(200'000, 'x') + "\"}";
  EXPECT_EQ(verdict_in_time("1", {{"package.json", usual}, {"b.js", "1"}}), Verdict::allow);
}

TEST(NodeResolution, PackagesShareTheTimeOfAllReading) {
  std::string values = "{\"x\":[0";
  for (int index = 0; index < 50'000; ++index) {
    values += ",0";
  }
  values += "]}";
  Files files = {{"dir/package.json", values}, {"dir/index.js", "1"}};
  std::string loads;
  for (int index = 0; index < 4'000; ++index) {
    loads += "require('./dir')\n";
    files["p" + std::to_string(index) + "/package.json"] = values.substr(0, 1'001) + "]}";
  }
  const auto began = base::ThreadClock::now();
  EXPECT_EQ(verdict(loads, files), Verdict::deny) << "what nobody had time for is not allowed";
  EXPECT_LT(base::ThreadClock::now() - began, std::chrono::seconds(5 * base::kSlowness));
}

TEST(NodeResolution, APathLongerThanAnyLeadsNowhere) {
  const std::string detour = "./" + std::string(4'100, '/') + "b.js";
  EXPECT_EQ(verdict("1", {{"package.json", "{\"main\": \"" + detour + "\"}"}, {"b.js", "1"}}), Verdict::deny);
  EXPECT_EQ(verdict("1", {{"package.json", "{\"main\": \".////b.js\"}"}, {"b.js", "1"}}), Verdict::allow);
}

}  // namespace
}  // namespace glovebox::policy
