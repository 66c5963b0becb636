// The shims of guest/ with the real interpreters. They take every path as an argument, so no cell is needed; what
// they do inside of one is covered by tests/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/temporary_directory.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGuest = GLOVEBOX_SOURCE_DIR "/guest";

struct Done {
  int exit_code = -1;
  std::string output;  // stdout and stderr
  std::string value;
};

class Shims : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }

  static std::string read(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  Done run(const std::string& command) {
    Done done;
    std::FILE* pipe = ::popen(
        ("cd " + directory_.string() + " && env -i PATH=/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 " + command + " 2>&1")
            .c_str(),
        "r");
    char buffer[4096];
    for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
      done.output.append(buffer, count);
    }
    const int status = ::pclose(pipe);
    done.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    done.value = fs::exists(path("value")) ? read(path("value")) : "";
    fs::remove(path("value"));
    return done;
  }

  Done solve(const std::string& command, const std::string& name, std::string_view code, std::string_view input) {
    std::ofstream(path(name)) << code;
    std::ofstream(path("input")) << input;
    return run(command + " " + path(name) + " " + path("input") + " " + path("value") + " extra");
  }
  Done solve_python(std::string_view code, std::string_view input = "null") {
    return solve(std::string("/usr/bin/python3 ") + kGuest + "/python/solve.py", "main.py", code, input);
  }
  Done solve_node(std::string_view code, std::string_view input = "null") {
    return solve(
        std::string("/usr/bin/node --require ") + kGuest + "/javascript/preload.js " + kGuest + "/javascript/solve.js",
        "main.js", code, input);
  }
  Done solve_bash(std::string_view code, std::string_view input = "null") {
    return solve(std::string("/usr/bin/bash ") + kGuest + "/bash/solve.sh", "main.sh", code, input);
  }

  base::TemporaryDirectory temporary_{"shims"};
  const fs::path directory_ = temporary_.path();
};

#define NEED(program)                                  \
  if (::access(program, X_OK) != 0) {                  \
    GTEST_SKIP() << "this machine has no " << program; \
  }

TEST_F(Shims, PythonSolvePassesJsonInAndOut) {
  NEED("/usr/bin/python3");
  EXPECT_EQ(solve_python("def solve(input):\n    return {'sum': sum(input['a']), 't': (1, None)}\n", R"({"a": [1, 2]})")
                .value,
            R"({"sum": 3, "t": [1, null]})");
  EXPECT_EQ(solve_python("import sys\ndef solve(x):\n    return sys.argv[1:]\n").value, R"(["extra"])");
  EXPECT_EQ(solve_python("async def solve(x):\n    return 7\n").value, "7");
  EXPECT_EQ(solve_python("if __name__ == '__main__':\n    raise SystemExit(9)\ndef solve(x):\n    return 1\n").value,
            "1");
  EXPECT_EQ(
      solve_python("import datetime\ndef solve(x):\n    return [datetime.date(2024, 2, 29), {1: 2, None: 3}]\n").value,
      R"(["2024-02-29", {"1": 2, "null": 3}])");
}

TEST_F(Shims, PythonSolveConvertsNumpyAndPandas) {
  NEED("/usr/bin/python3");
  if (run("/usr/bin/python3 -c 'import numpy, pandas'").exit_code != 0) {
    GTEST_SKIP() << "this machine has no numpy and pandas";
  }
  EXPECT_EQ(solve_python("import numpy as np, pandas as pd\ndef solve(x):\n"
                         "    return [np.float64(1.5), np.arange(2), pd.DataFrame({'a': [1]}), pd.Series([2]), pd.NaT,"
                         " {np.int64(3): np.bool_(True)}]\n")
                .value,
            R"([1.5, [0, 1], [{"a": 1}], [2], null, {"3": true}])");
}

TEST_F(Shims, PythonSolveRefusesWhatJsonCannotHold) {
  NEED("/usr/bin/python3");
  for (const auto& [value, words] :
       {std::pair{"{'x': [float('nan')]}", "ValueError: solve(input) returned nan at $.x[0]"},
        {"{1, 2}", "TypeError: solve(input) returned a set at $"},
        {"object()", "TypeError: solve(input) returned a object at $"},
        {"{(1, 2): 3}", "returned a tuple at $ (a key)"}}) {
    const Done done = solve_python(std::string("def solve(input):\n    return ") + value + "\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.value, "");
    EXPECT_THAT(done.output, HasSubstr(words));
    EXPECT_THAT(done.output, Not(HasSubstr("solve.py")));
  }
  EXPECT_THAT(solve_python("def solve(x):\n    y = []\n    y.append(y)\n    return y\n").output,
              HasSubstr("contains itself"));
  EXPECT_THAT(solve_python("x = 1\n").output, HasSubstr("NameError: the program defines no function solve(input)"));
}

TEST_F(Shims, PythonTracebacksHaveNoFrameOfTheShim) {
  NEED("/usr/bin/python3");
  for (const char* code :
       {"def solve(x):\n    return x.y\n", "1 / 0\n", "def f(:\n", "async def solve(x):\n    1 / 0\n"}) {
    const Done done = solve_python(code);
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.output, HasSubstr("main.py\", line"));
    EXPECT_THAT(done.output, Not(HasSubstr("solve.py")));
  }
}

TEST_F(Shims, SitecustomizeStreamsLinesAndLeavesThePathAsItWas) {
  NEED("/usr/bin/python3");
  const std::string site = std::string("PYTHONPATH=") + kGuest + "/python:/nowhere ";
  const Done done = run(site + "/usr/bin/python3 -c 'import sys; print(sys.stdout.line_buffering, sys.path[1])'");
  EXPECT_EQ(done.output, "True /nowhere\n");
  EXPECT_EQ(run(site + "sh -c '/usr/bin/python3 -c pass >&- 2>words; test ! -s words'").exit_code, 0)
      << "silent without standard output";
}

TEST_F(Shims, NodeSolveTakesEveryWayToDefineTheFunction) {
  NEED("/usr/bin/node");
  for (const char* code : {"function solve(i) { return i.a + 1 }  // end", "module.exports.solve = (i) => i.a + 1",
                           "module.exports = async (i) => i.a + 1", "const solve = (i) => Promise.resolve(i.a + 1);",
                           "#!/usr/bin/node\nclass X {}\nfunction solve(i) { return i.a + 1 }"}) {
    const Done done = solve_node(code, R"({"a": 1})");
    EXPECT_EQ(done.value, "2") << code << done.output;
  }
  EXPECT_EQ(solve_node("function solve() { return [process.argv.slice(2), {t: new Float64Array([1]), d: new Date(0), "
                       "u: undefined}] }")
                .value,
            R"([["extra"],{"t":[1],"d":"1970-01-01T00:00:00.000Z"}])");
}

TEST_F(Shims, NodeSolveRefusesWhatJsonCannotHold) {
  NEED("/usr/bin/node");
  for (const auto& [value, words] : {std::pair{"{x: [NaN]}", "returned NaN at $.x[0]"},
                                     {"undefined", "returned undefined at $"},
                                     {"10n", "returned a BigInt"},
                                     {"new Map()", "returned a Map"},
                                     {"() => 1", "returned a function"},
                                     {"new Float64Array([NaN])", "returned NaN at $[0]"}}) {
    const Done done = solve_node(std::string("function solve() { return ") + value + " }");
    EXPECT_EQ(done.exit_code, 1) << value;
    EXPECT_EQ(done.value, "");
    EXPECT_THAT(done.output, HasSubstr(words));
  }
  EXPECT_THAT(solve_node("function solve() { const a = []; a.push(a); return a }").output,
              HasSubstr("contains itself"));
  EXPECT_THAT(solve_node("const x = 1").output, HasSubstr("the program defines no function solve(input)"));
  const Done thrown = solve_node("function solve(i) {\n  return i.a.b;\n}", "{}");
  EXPECT_THAT(thrown.output, HasSubstr("TypeError: Cannot read properties of undefined"));
  EXPECT_THAT(thrown.output, Not(HasSubstr("solve.js")));
}

TEST_F(Shims, NodeLosesNoOutputWhenItExitsRightAfterPrinting) {
  NEED("/usr/bin/node");
  std::ofstream(path("big.js")) << "console.log('x'.repeat(3000000)); process.exit(3);\n";
  const Done done = run(std::string("/usr/bin/node --require ") + kGuest + "/javascript/preload.js " + path("big.js") +
                        " | (sleep 0.3; wc -c)");
  EXPECT_EQ(done.output, "3000001\n");
}

TEST_F(Shims, BashSolvePassesJsonInAndOut) {
  NEED("/usr/bin/bash");
  EXPECT_EQ(solve_bash("solve() { echo \"note\" >&2; printf '%s' \"$1\"; }\n", R"({"a": [1]})").value, R"({"a": [1]})");
  EXPECT_EQ(solve_bash("solve() { cat; }\n", "[true]").value, "[true]");
  EXPECT_EQ(solve_bash("set -e\nsolve() { false; echo 1; }\n").exit_code, 1);
  EXPECT_THAT(solve_bash("x=1\n").output, HasSubstr("main.sh: line 1: solve: the program defines no function solve"));
  EXPECT_THAT(solve_bash("solve() { :; }\n").output, HasSubstr("printed nothing"));
  EXPECT_EQ(solve_bash("solve() { return 5; }\n").exit_code, 5);
}

TEST_F(Shims, BashSolveChecksThatItsValueIsJson) {
  NEED("/usr/bin/awk");
  for (const char* good : {"1", "\"a\\\\u00e9\"", "[]", "{}", "[1,{\"a\":[true,null,-1.5e3]}]", "{\"a\" : 1 }"}) {
    EXPECT_EQ(solve_bash(std::string("solve() { printf '%b' '") + good + "'; }\n").exit_code, 0) << good;
  }
  for (const char* bad :
       {"01", "1 2", "[1,]", "{\"a\":1,}", "{a:1}", "[", "]", "{\"a\"}", "\"abc", "nulla", "-", "[1 2]", "{\"a\":1]"}) {
    EXPECT_EQ(solve_bash(std::string("solve() { printf '%b' '") + bad + "'; }\n").exit_code, 1) << bad;
  }
}

}  // namespace
}  // namespace glovebox::engine
