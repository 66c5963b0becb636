#include "engine/pool/warm_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/build_speed.h"
#include "base/thread_clock.h"
#include "engine/languages/catalogue.h"
#include "engine/pool/orders.h"

namespace glovebox::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ImportedNames, FindsEveryFormOfAnImportStatement) {
  EXPECT_THAT(imported_names("import a\nimport b.c as d, e\nfrom f.g import h\n"), ElementsAre("a", "b", "e", "f"));
  EXPECT_THAT(imported_names("def f():\n    import numpy as np; import pandas\n\tfrom x import (y,\n z)\n"),
              ElementsAre("numpy", "pandas", "x"));
  EXPECT_THAT(imported_names("if True: import a\ntry: import b # c, d\nexcept ImportError: pass"),
              ElementsAre("a", "b"));
}

TEST(ImportedNames, IsNotFooledIntoFindingNothingOrTooMuch) {
  EXPECT_THAT(imported_names(""), IsEmpty());
  EXPECT_THAT(imported_names("importlib = 1\nfromage(2)\nprint('import x')\n"), IsEmpty());
  EXPECT_THAT(imported_names("from . import a\nimport"), IsEmpty());
  EXPECT_EQ(imported_names(std::string(1U << 20U, ';')).size(), 0U);
}

class WarmChoice : public testing::Test {
 protected:
  static LanguageProfile language(const char* name) { return LanguageCatalogue({}).find(name).value(); }
  static std::string chosen(const std::string& code) {
    const LanguageProfile python = language("python");
    contract::RunRequest request;
    request.code = code;
    const auto set = choose_warm_set(request, python);
    return set ? python.warm.sets.at(*set).name : "cold";
  }
};

TEST_F(WarmChoice, IsTheSmallestSetThatHasWhatTheProgramImports) {
  EXPECT_EQ(chosen("print(1)"), "plain");
  EXPECT_EQ(chosen("import json, re, unheard_of"), "plain");
  EXPECT_EQ(chosen("import numpy as np"), "numpy");
  EXPECT_EQ(chosen("import pandas as pd"), "data");
  EXPECT_EQ(chosen("import numpy, pandas"), "data");
  EXPECT_EQ(chosen("import matplotlib.pyplot as plt"), "data");
}

TEST_F(WarmChoice, KnowsWhatBuildsOnWhatIsLoaded) {
  EXPECT_EQ(chosen("from sklearn.cluster import KMeans"), "numpy");
  EXPECT_EQ(chosen("import scipy.stats, pandas"), "data");
  EXPECT_EQ(chosen("import seaborn as sns"), "data");
  for (const char* program :
       {"import numpy, pandas, scipy, sklearn", "import pandas, scipy, sklearn", "import matplotlib, scipy, sklearn",
        "import seaborn, scipy, sklearn", "import statsmodels, scipy"}) {
    EXPECT_EQ(chosen(program), "data") << program;
  }
}

TEST(ImportedNames, ALineThatNamesVeryManyTakesNoTime) {
  std::string line = "import ";
  for (int count = 0; count < 60'000; ++count) {
    line += "a" + std::to_string(count) + ",";
  }
  const auto begun = base::ThreadClock::now();
  EXPECT_LE(imported_names(line + "z").size(), 64U);
  EXPECT_LE(imported_names("import " + line.substr(7) + "\n" + line).size(), 64U);
  EXPECT_LT(base::ThreadClock::now() - begun, std::chrono::seconds(2) * base::kSlowness);
}

TEST_F(WarmChoice, LooksIntoTheModulesThatAProgramBringsAlong) {
  const LanguageProfile python = language("python");
  contract::RunRequest request;
  request.code = "import report";
  const auto set_with = [&](const char* path) {
    request.files = {{base::RelPath::parse(path).value(), std::string("import pandas as pd\n")}};
    return python.warm.sets.at(choose_warm_set(request, python).value()).name;
  };
  EXPECT_EQ(set_with("report.py"), "data");
  EXPECT_EQ(set_with("notes.txt"), "plain");
}

TEST_F(WarmChoice, IsColdForWhatAWaitingCellCannotHonour) {
  const LanguageProfile python = language("python");
  contract::RunRequest request;
  EXPECT_TRUE(choose_warm_set(request, python));
  request.env["MODE"] = "fast";
  EXPECT_TRUE(choose_warm_set(request, python));
  request.env["PYTHONHASHSEED"] = "0";
  EXPECT_FALSE(choose_warm_set(request, python)) << "read by the interpreter when it starts";
  request.env.clear();
  request.files.push_back({base::RelPath::parse("big.bin").value(), contract::BlobRef{std::string(64, 'a')}});
  EXPECT_FALSE(choose_warm_set(request, python)) << "mounted when a cell is built";
  request.files.clear();
  request.args.assign(100, std::string(1000, 'x'));
  EXPECT_FALSE(choose_warm_set(request, python)) << "longer than one packet";
  request.args.clear();
  request.limits.memory_bytes = 16U << 20U;
  EXPECT_TRUE(choose_warm_set(request, python));
  --request.limits.memory_bytes;
  EXPECT_FALSE(choose_warm_set(request, python)) << "less than it may hold";
}

TEST_F(WarmChoice, IsAlwaysColdForADeterministicRun) {
  for (const char* name : {"python", "javascript", "bash"}) {
    contract::RunRequest request;
    EXPECT_TRUE(choose_warm_set(request, language(name))) << name;
    request.deterministic = true;
    EXPECT_FALSE(choose_warm_set(request, language(name))) << name;
  }
}

TEST_F(WarmChoice, OfARuntimeThatStartedAlreadyDependsOnItsLimits) {
  const LanguageProfile node = language("javascript");
  contract::RunRequest request;
  EXPECT_TRUE(choose_warm_set(request, node));
  request.limits.wall_ms = 100;
  request.limits.cpu_ms = 100;
  EXPECT_TRUE(choose_warm_set(request, node));
  request.limits.memory_bytes *= 2;
  EXPECT_FALSE(choose_warm_set(request, node));
  request.limits = {};
  request.limits.open_files = 17;
  EXPECT_FALSE(choose_warm_set(request, node));
}

TEST(Orders, AreFieldsThatEndInNul) {
  contract::RunRequest request;
  request.args = {"a b", ""};
  request.env["X"] = "1=2";
  using namespace std::string_literals;
  EXPECT_EQ(orders_of(request), "script\0002\000a b\000\000X=1=2\000"s);
  request.input_json = "{}";
  EXPECT_TRUE(orders_of(request).starts_with("solve\0"s));
}

TEST(Orders, CarryTheLimitsOfTheRunInFront) {
  const std::string packet = with_limits({{7, 64}, {0, 3}}, "script");
  EXPECT_EQ(packet.size(), 8 + 2 * sizeof(ResourceLimit) + 6);
  EXPECT_EQ(packet.front(), 2);
  EXPECT_TRUE(packet.ends_with("script"));
}

}  // namespace
}  // namespace glovebox::engine
