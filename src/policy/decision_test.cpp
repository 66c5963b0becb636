#include "policy/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/build_speed.h"
#include "base/rel_path.h"
#include "base/thread_clock.h"
#include "policy/test_support.h"

namespace glovebox::policy {
namespace {

using testing::HasSubstr;

constexpr const char* kAsking = R"toml(
[[rule]]
id = "files"
verdict = "ask"
call = ["os.remove"]
reason = "it may be needed"
suggestion = "keep it"
match = ["import os\nos.remove('x')"]
no_match = ["1"]
)toml";

TEST(Decision, EveryMatchIsToldWithItsPlaceReasonAndSuggestion) {
  const Decision decision =
      decided(built_in("sandboxed_python"), "import json\nimport subprocess\nprint(1)\nsubprocess.run(['ls'])\n");
  EXPECT_EQ(decision.verdict, Verdict::deny);
  ASSERT_EQ(decision.findings.size(), 2U);
  const Finding& first = decision.findings[0];
  EXPECT_EQ(first.rule, "processes");
  EXPECT_EQ(first.subject, "import of subprocess");
  ASSERT_TRUE(first.at);
  EXPECT_EQ(first.at->line, 2U);
  EXPECT_EQ(first.at->column, 8U);
  EXPECT_FALSE(first.reason.empty());
  EXPECT_FALSE(first.suggestion.empty());
  EXPECT_EQ(decision.findings[1].at->line, 4U);
  EXPECT_THAT(summary_of(decision), HasSubstr("rule processes of the policy sandboxed_python, line 2, column 8"));
  EXPECT_THAT(summary_of(decision), HasSubstr("and 1 more"));
}

TEST(Decision, OrdinaryProgramsPass) {
  const char* program =
      "import csv, json, math, pathlib\nfrom collections import Counter\n"
      "rows = list(csv.DictReader(open('data.csv')))\n"
      "print(json.dumps({'n': len(rows), 'c': Counter(r['a'] for r in rows), 'pi': math.pi}))\n"
      "pathlib.Path('out').mkdir(exist_ok=True)\n";
  EXPECT_EQ(decided(built_in("sandboxed_python"), program).verdict, Verdict::allow);
  EXPECT_EQ(decided(built_in("data_analysis"), program).verdict, Verdict::allow);
  EXPECT_EQ(decided(built_in("default"), program).verdict, Verdict::allow);
  EXPECT_EQ(decided(built_in("data_analysis"),
                    "import pandas as pd\nimport matplotlib.pyplot as plt\nfrom sklearn.linear_model import Ridge\n"
                    "pd.read_csv('a.csv').plot()\nplt.savefig('a.png')\n")
                .verdict,
            Verdict::allow);
  EXPECT_EQ(decided(built_in("strict"), "import math\nprint(sum(math.sqrt(i) for i in range(10)))\n").verdict,
            Verdict::allow);
  EXPECT_EQ(
      decided(built_in("strict"), "const u = require('util'); console.log(u.inspect({a: [1]}))", "javascript").verdict,
      Verdict::allow);
}

TEST(Decision, TheUsualTricksAreSeen) {
  const EffectivePolicy policy = built_in("sandboxed_python");
  for (const char* trick : {
           "import os\nos.system('id')",
           "from os import system as s\ns('id')",
           "import os as o\nf = o.popen\nf('id')",
           "__import__('os').system('id')",
           "import importlib\nimportlib.import_module('socket')",
           "getattr(__import__('os'), 'sys' + 'tem')('id')",
           "().__class__.__bases__[0].__subclasses__()",
           "eval('1')",
           "(lambda f: f('1'))(exec)",
           "import pathlib\npathlib.os.system('id')",
           "from os import *\nsystem('id')",
       }) {
    EXPECT_NE(decided(policy, trick).verdict, Verdict::allow) << trick;
  }
}

// Each of these got past `strict` once.
TEST(Decision, WhatIsHandedOnIsNotOverlooked) {
  const EffectivePolicy strict = built_in("strict");
  const EffectivePolicy sandboxed = built_in("sandboxed_python");
  for (const char* trick : {
           "import functools, random\nfunctools.reduce(getattr, ['_os', 'popen'], random)('id')",
           "import operator, random\noperator.attrgetter('_os.system')(random)('id')",
           "import functools, random\nfunctools.partial(getattr, random)('_os').system('id')",
           "import random\ndef give(): return getattr\ngive()(random, '_os').system('id')",
           "import typing\ntyping.ForwardRef(\"__import__('os').system('id')\")._evaluate({}, {}, frozenset())",
           "(lambda i: i('subprocess'))(__import__).run('id')",
           "import random\nlist(map(getattr, [random], ['_os']))",
           "import random\nfor name, held in vars(random).items(): held",
           "import random\ndict(random.__dict__)['_os']",
           "import random\nmatch random:\n  case object(_os=z):\n    z.system('id')",
           "import random\n(lambda m: m._os.system('id'))(random)",
           "import dataclasses\ndataclasses.inspect.currentframe()",
           "x = 1 # c\rimport subprocess\r",
           "# coding: utf-7\n+AGkAbQBwAG8AcgB0ACAAbwBz-",
           "import random\nrandom.__loader__.load_module('subprocess')",
           "class A:\n  g = getattr\nnext(iter(vars(A).values()))",
       }) {
    EXPECT_EQ(decided(strict, trick).verdict, Verdict::deny) << trick;
    EXPECT_NE(decided(sandboxed, trick).verdict, Verdict::allow) << trick;
  }
  for (const char* trick : {
           "['child_process'].map(require)[0].execSync('id')",
           "(r => r('child_process'))(require)",
           "Array.from(['fs'], require)",
           "function give() { return require }\ngive()('fs')",
           "Object.values({r: require})[0]('fs')",
           "new Map([['a', require]]).get('a')('fs')",
           "''.at.constructor('return process')()",
           "Object.getPrototypeOf(async function () {}).constructor('return 1')()",
           "arguments[1]('fs')",
           "r\\u0065quire('fs')",
           "Reflect.construct(Function, [text])()",
       }) {
    EXPECT_EQ(decided(strict, trick, "javascript").verdict, Verdict::deny) << trick;
  }
}

TEST(Decision, OrdinaryProgramsHideNothing) {
  for (const char* program : {
           "import argparse, json\nargs = argparse.ArgumentParser().parse_args()\nprint(json.dumps(vars(args)))\n"
           "for key, value in vars(args).items():\n  print(key, value)\ndict(**vars(args))",
           "class Point:\n  def __init__(self, **values):\n    self.__dict__.update(values)\n"
           "  def __repr__(self):\n    return ', '.join(f'{k}={v}' for k, v in self.__dict__.items())",
           "from operator import attrgetter, itemgetter\nprint(sorted([], key=attrgetter('name', 'age')))\n"
           "print(sorted([], key=itemgetter(1)))",
           "import numpy as np\nfor kind in ('int8', 'float64'):\n  print(np.dtype(kind))\nprint(getattr(np, 'pi'))",
           "import numpy as np, pandas as pd\nfor library in (np, pd):\n  print(library.__name__, library.__version__)",
           "from functools import partial, reduce\nprint(reduce(lambda a, b: a + b, [1, 2]), partial(max, 3)(4))",
           "if 'x' in globals():\n  print(x)\nprint(locals().get('y'))",
           "import datetime, time, os\nprint(datetime.time(1), time.time(), os.stat('x'), os.path.join('a', 'b'))",
           "import re\npatterns = [re.compile(p) for p in ('a', 'b')]\nprint(any(p.match('a') for p in patterns))",
           "import math\noperations = {'root': math.sqrt, 'sine': math.sin}\nprint(operations['root'](2))",
           "import json, time\ndef show(row):\n  print(json.dumps(row.time))\n  return str(row.json)",
           "from dataclasses import dataclass, asdict, fields\n@dataclass\nclass A:\n  x: int = 1\nprint(asdict(A()))",
           "import collections.abc\nprint(isinstance([], collections.abc.Sequence))",
           "import timeit\nprint(timeit.timeit(lambda: sum(range(10)), number=10))",
           "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as pool:\n"
           "  print(list(pool.map(str, [1, 2])))",
           "def f(x):\n  match x:\n    case {'kind': kind}:\n      return kind\n    case [first, *rest]:\n      return "
           "first\n"
           "    case str(text):\n      return text",
           "# -*- coding: utf-8 -*-\nprint('\xc3\xa4')\r\nprint(1)\r\n",
           "import logging\nlog = logging.getLogger(__name__)\nlog.info('x')",
           "import sys\nfrom pathlib import Path\nsys.stdout.write(Path('x').read_text())\nprint(type(sys), "
           "hasattr(sys, 'x'))",
           "from enum import Enum\nclass Color(Enum):\n  red = 1\nprint(Color['red'], list(Color))",
       }) {
    for (const char* profile : {"default", "sandboxed_python", "data_analysis"}) {
      const Decision decision = decided(built_in(profile), program);
      EXPECT_EQ(decision.verdict, Verdict::allow) << profile << "\n" << program << "\n" << to_json(decision);
    }
  }
  for (const char* program : {
           "const {inspect} = require('util');\nconsole.log(inspect([1, 2].map(Number)))",
           "function process(row) { return row * 2 }\nconsole.log([1].map(process))",
           "class Queue extends require('events') {}\nnew Queue()",
           "if (typeof require === 'function' && require.main === module) { console.log(process.argv.length) }",
           "class A { copy() { return new this.constructor() } }\nconsole.log(new A().copy().constructor.name)",
           "console.log([1, 2] instanceof Array, Object.entries({a: 1}), Math.max.apply(null, [1, 2]))",
           "new Promise((resolve) => setTimeout(resolve, 1)).then(() => console.log(1))",
           "function f() { return Array.from(arguments).length }\nconsole.log(f(1))",
       }) {
    const Decision decision = decided(built_in("strict"), program, "javascript");
    EXPECT_EQ(decision.verdict, Verdict::allow) << program << "\n" << to_json(decision);
  }
}

TEST(Decision, AModuleIsFoundWithoutAnImportThatNamesIt) {
  const EffectivePolicy policy = built_in("sandboxed_python");
  const Decision decision = decided(policy, "import http.cookiejar\nhttp.client.HTTPConnection('x')\n");
  EXPECT_EQ(decision.verdict, Verdict::deny);
  ASSERT_EQ(decision.findings.size(), 1U);
  EXPECT_EQ(decision.findings[0].rule, "network");
  EXPECT_EQ(decision.findings[0].at->line, 2U);
  EXPECT_EQ(decided(policy, "import requests\nrequests.get('x')\nrequests.post('y')\n").findings.size(), 1U)
      << "the import says it all";
  EXPECT_EQ(decided(policy, "import http.cookies\nhttp.cookies.SimpleCookie()\nhttp.HTTPStatus.OK\n").verdict,
            Verdict::allow);
}

TEST(Decision, WhatCannotBeReadIsJudgedAsTheProfileSays) {
  EXPECT_EQ(decided(policy_of("unparsed = \"deny\""), "def f(:\n").verdict, Verdict::deny);
  EXPECT_EQ(decided(policy_of("unparsed = \"ask\""), "def f(:\n").verdict, Verdict::ask);
  EXPECT_EQ(decided(policy_of("unparsed = \"allow\""), "def f(:\n").verdict, Verdict::allow);
  EXPECT_EQ(decided(policy_of("unparsed = \"deny\""), "x", "cobol").verdict, Verdict::deny);
  EXPECT_EQ(decided(policy_of(""), "x", "cobol").verdict, Verdict::allow);
}

TEST(Decision, ApprovalTurnsAskIntoAllowAndNothingElse) {
  const EffectivePolicy policy = policy_of(kAsking);
  const char* program = "import os\nos.remove('x')";
  const Decision asked = decided(policy, program);
  EXPECT_EQ(asked.verdict, Verdict::ask);
  EXPECT_EQ(asking_rules(asked), std::vector<std::string>{"files"});
  const Decision approved = decided(policy, program, "python", {"files"});
  EXPECT_EQ(approved.verdict, Verdict::allow);
  ASSERT_EQ(approved.findings.size(), 1U);
  EXPECT_TRUE(approved.findings[0].approved);
  EXPECT_EQ(decided(policy, program, "python", {"other"}).verdict, Verdict::ask);
  EXPECT_EQ(decided(built_in("sandboxed_python"), "import socket", "python", {"network"}).verdict, Verdict::deny);
}

TEST(Decision, LimitsThatWereAskedForAreRefusedAndDefaultsAreLowered) {
  const EffectivePolicy policy = policy_of("[limits]\nwall_ms = 1000\nmemory_bytes = 100000000\n");
  contract::RunRequest request;
  Decision decision = decide(policy, question_of(request, "python"));
  EXPECT_EQ(decision.verdict, Verdict::allow);
  EXPECT_EQ(decision.limits.wall_ms, 1000U);
  EXPECT_EQ(decision.limits.memory_bytes, 100'000'000U);
  EXPECT_EQ(decision.lowered.at("wall_ms"), (LoweredLimit{5000, 1000}));
  request.limits.wall_ms = 2000;
  decision = decide(policy, question_of(request, "python"));
  EXPECT_EQ(decision.verdict, Verdict::deny);
  EXPECT_EQ(decision.findings[0].rule, "limits.wall_ms");
  request.limits.wall_ms = 500;
  decision = decide(policy, question_of(request, "python"));
  EXPECT_EQ(decision.verdict, Verdict::allow);
  EXPECT_EQ(decision.limits.wall_ms, 500U);
}

TEST(Decision, TheRequestItselfIsJudged) {
  contract::RunRequest request;
  request.code = "print(1)\nprint(2)\n";
  const auto verdict = [&](const char* profile) {
    return decide(policy_of(profile), question_of(request, "python")).verdict;
  };
  EXPECT_EQ(verdict("languages = [\"bash\"]"), Verdict::deny);
  EXPECT_EQ(verdict("[program]\nmax_bytes = 17"), Verdict::deny);
  EXPECT_EQ(verdict("[program]\nmax_bytes = 18"), Verdict::allow);
  EXPECT_EQ(verdict("[program]\nmax_lines = 2"), Verdict::deny);
  request.code = "print(1)\rprint(2)\r";
  EXPECT_EQ(verdict("[program]\nmax_lines = 2"), Verdict::deny);
  request.code = "print(1)\r\nprint(2)";
  EXPECT_EQ(verdict("[program]\nmax_lines = 2"), Verdict::allow);
  EXPECT_EQ(verdict("isolation = \"vm\""), Verdict::deny);
  EXPECT_EQ(verdict("isolation = \"container\""), Verdict::allow);
  request.network.allow = {"example.org:443"};
  EXPECT_EQ(verdict("network = \"none\""), Verdict::deny);
  EXPECT_EQ(verdict("network = \"allowed\""), Verdict::allow);
  request.code = "x = " + std::string(30, '(') + "1" + std::string(30, ')');
  EXPECT_EQ(verdict("[program]\nmax_nesting = 20"), Verdict::deny);
}

TEST(Decision, TheProgramOfACrossCheckIsJudgedToo) {
  const auto finding = [](const EffectivePolicy& policy, SecondProgram second) {
    contract::RunRequest request;
    request.code = "print(1)";
    PolicyQuestion question = question_of(request, "python");
    question.second = second;
    const Decision decision = decide(policy, question);
    return decision.findings.empty() ? "" : decision.findings[0].file + ":" + decision.findings[0].rule;
  };
  const EffectivePolicy strict = built_in("strict");
  EXPECT_EQ(finding(strict, {"python", "print(1)"}), "");
  EXPECT_EQ(finding(strict, {"python", "import socket"}).rfind("expect.cross_check:", 0), 0U);
  EXPECT_EQ(finding(policy_of("languages = [\"python\"]"), {"bash", "true"}), ":languages");
  EXPECT_EQ(finding(policy_of("[program]\nmax_bytes = 10"), {"python", "print(1) # long"}), ":program.max_bytes");
}

TEST(Decision, AFileCannotMakeAForeignModuleOneOfTheProgramsOwn) {
  const auto verdict = [](std::string_view language, const char* code, const char* file) {
    contract::RunRequest request;
    request.code = code;
    request.files = {{*base::RelPath::parse(file), std::string()}};
    return decide(built_in("strict"), question_of(request, language)).verdict;
  };
  EXPECT_EQ(verdict("python", "import helper", "helper.py"), Verdict::allow);
  EXPECT_EQ(verdict("python", "import pty", "pty.sh"), Verdict::deny);
  EXPECT_EQ(verdict("python", "import pty", "pty.py"), Verdict::deny) << "Python may have loaded its own already";
  EXPECT_EQ(verdict("python", "import _io", "_io.py"), Verdict::deny);
  EXPECT_EQ(verdict("python", "import helper", "helper.js"), Verdict::deny);
  EXPECT_EQ(verdict("javascript", "require('./helper')", "helper.js"), Verdict::allow);
  EXPECT_EQ(verdict("javascript", "require('dns')", "dns.js"), Verdict::deny);
  EXPECT_EQ(verdict("javascript", "require('fs/promises')", "fs/promises.js"), Verdict::deny);
}

TEST(Decision, CodeThatNobodyCanReadIsNotOverlooked) {
  for (const char* file : {"helper.pyc", "helper.abi3.so", "addon.node", "part.wasm", "part.ts"}) {
    contract::RunRequest request;
    request.code = "print(1)";
    request.files = {{*base::RelPath::parse(file), std::string("x")}};
    const Decision decision = decide(built_in("strict"), question_of(request, "python"));
    ASSERT_FALSE(decision.findings.empty()) << file;
    EXPECT_EQ(decision.findings[0].rule, "unparsed") << file;
    EXPECT_EQ(decide(built_in("default"), question_of(request, "python")).verdict, Verdict::allow) << file;
  }
}

TEST(Decision, VariablesThatLoadCodeAreJudged) {
  const auto verdict = [](const char* name) {
    contract::RunRequest request;
    request.code = "print(1)";
    request.env = {{name, "x"}};
    return decide(built_in("strict"), question_of(request, "python")).verdict;
  };
  for (const char* name : {"NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "ENV", "PYTHONPATH", "PYTHONSTARTUP", "PATH"}) {
    EXPECT_EQ(verdict(name), Verdict::deny) << name;
  }
  for (const char* name : {"NODE_ENV", "PYTHONHASHSEED", "LANG", "MODE"}) {
    EXPECT_EQ(verdict(name), Verdict::allow) << name;
  }
}

TEST(Decision, AFunctionThatATestCallsIsPartOfTheProgram) {
  const auto verdict = [](std::string_view language, const char* code, std::string_view called) {
    contract::RunRequest request;
    request.code = code;
    PolicyQuestion question = question_of(request, language);
    question.called = {called};
    return decide(built_in("strict"), question).verdict;
  };
  const char* python = "def solve(x):\n  return x\n\ndef undo(x):\n  return x\n";
  EXPECT_EQ(verdict("python", python, "undo"), Verdict::allow);
  EXPECT_EQ(verdict("python", python, "exec"), Verdict::deny);
  EXPECT_EQ(verdict("python", python, "__import__"), Verdict::deny);
  const char* javascript = "function undo(x) { return x; }\nmodule.exports.solve = x => x;";
  EXPECT_EQ(verdict("javascript", javascript, "undo"), Verdict::allow);
  EXPECT_EQ(verdict("javascript", javascript, "eval"), Verdict::deny);
  EXPECT_EQ(verdict("javascript", javascript, "require"), Verdict::deny);
}

TEST(Decision, ManyFindingsHideNoRule) {
  const EffectivePolicy policy = policy_of(
      "[[rule]]\nid = \"a\"\nverdict = \"ask\"\nimport = [\"json\"]\nreason = \"r\"\nmatch = [\"import json\"]\n"
      "no_match = [\"import re\"]\n"
      "[[rule]]\nid = \"b\"\nverdict = \"ask\"\nimport = [\"socket\"]\nreason = \"r\"\nmatch = [\"import socket\"]\n"
      "no_match = [\"import re\"]\n");
  std::string code;
  for (int line = 0; line < 1000; ++line) {
    code += "import json\n";
  }
  const Decision decision = decided(policy, code + "import socket\n");
  EXPECT_EQ(decision.findings.size(), 100U);
  EXPECT_EQ(asking_rules(decision), (std::vector<std::string>{"a", "b"}));
}

TEST(Decision, CodeThatTravelsAsAFileIsJudgedToo) {
  const EffectivePolicy policy = built_in("strict");
  contract::RunRequest request;
  request.code = "import helper\nhelper.go()";
  EXPECT_EQ(decide(policy, question_of(request, "python")).verdict, Verdict::deny) << "there is no such file";
  request.files = {{*base::RelPath::parse("helper.py"), std::string("def go():\n  return 1\n")}};
  EXPECT_EQ(decide(policy, question_of(request, "python")).verdict, Verdict::allow);
  request.files = {{*base::RelPath::parse("helper.py"), std::string("import os\n")}};
  const Decision decision = decide(policy, question_of(request, "python"));
  EXPECT_EQ(decision.verdict, Verdict::deny);
  EXPECT_EQ(decision.findings[0].file, "helper.py");
  request.files = {{*base::RelPath::parse("helper.py"), contract::BlobRef{std::string(64, 'a')}}};
  EXPECT_EQ(decide(policy, question_of(request, "python")).verdict, Verdict::deny) << "nobody can read it";
  request.files = {{*base::RelPath::parse("os/x.py"), std::string("1")}};
  request.code = "import os";
  EXPECT_EQ(decide(policy, question_of(request, "python")).verdict, Verdict::deny) << "a file hides no module";
}

TEST(Decision, AFloodOfFindingsIsCut) {
  std::string program = "import os\n";
  for (int line = 0; line < 1000; ++line) {
    program += "os.system('x')\n";
  }
  const Decision decision = decided(built_in("sandboxed_python"), program);
  EXPECT_EQ(decision.findings.size(), 100U);
  EXPECT_EQ(decision.left_out, 900U);
}

TEST(Decision, JsonHasTheDecisionFirst) {
  const Decision decision = decided(policy_of(kAsking), "import os\nos.remove('x')");
  EXPECT_THAT(to_json(decision), testing::StartsWith(R"({"decision":"ask","policy":"test@sha256:)"));
  EXPECT_THAT(to_json(decision),
              HasSubstr(R"("rule":"files","verdict":"ask","subject":"call of os.remove","file":null,)"
                        R"("line":2,"column":1,"reason":"it may be needed","suggestion":"keep it",)"
                        R"("layer":"built_in","profile":"test","approved":false)"));
}

TEST(Decision, ExplainsWithoutDenying) {
  contract::RunRequest request;
  request.code = "import requests\n";
  const Decision decision = decide(built_in("default"), question_of(request, "python"), Detail::explain);
  EXPECT_EQ(decision.verdict, Verdict::allow);
  ASSERT_EQ(decision.findings.size(), 1U);
  EXPECT_EQ(decision.findings[0].rule, "no_network");
}

// The bar of 300 µs is for the release build on a quiet machine; `glovebox bench` measures it. Here: no order above.
TEST(Decision, FiftyLinesAreDecidedQuickly) {
  std::string program = "import json\nimport math\nfrom collections import Counter\n";
  for (int line = 0; line < 47; ++line) {
    program += "value_" + std::to_string(line) + " = json.dumps({'a': math.sqrt(" + std::to_string(line) + ")})\n";
  }
  const EffectivePolicy policy = built_in("sandboxed_python");
  (void)decided(policy, program);
  const auto began = base::ThreadClock::now();
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(decided(policy, program).verdict, Verdict::allow);
  }
  EXPECT_LT(base::ThreadClock::now() - began, std::chrono::milliseconds(1000 * base::kSlowness));
}

}  // namespace
}  // namespace glovebox::policy
