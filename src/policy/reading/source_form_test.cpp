#include "policy/reading/source_form.h"

#include <gtest/gtest.h>

#include "policy/reading/case_file.h"

namespace glovebox::policy {
namespace {

using namespace std::string_literals;

std::string gap_of(Syntax syntax, std::string_view code) { return read_program(syntax, code).gap; }

TEST(SourceForm, ALoneCarriageReturnEndsALineOfPython) {
  EXPECT_EQ(describe(read_program(Syntax::python, "x = 1 # c\rimport os\rprint(os.getcwd())\n")),
            "import os @2:8\ncall print @3:1\ncall os.getcwd @3:7\n");
  EXPECT_EQ(read_program(Syntax::python, "a\rb\r\nc\n").lines, 3U);
  EXPECT_EQ(with_plain_separators(Syntax::python, "a\r\nb\r\r\n\r"), "a\r\nb\n\r\n\n");
  EXPECT_EQ(with_plain_separators(Syntax::python, "a\r\nb\n"), std::nullopt);
}

TEST(SourceForm, ACarriageReturnInAProgramInAStringEndsALineToo) {
  const std::string facts = describe(read_program(Syntax::python, R"(exec("x = 1 # c\rimport os"))"));
  EXPECT_NE(facts.find("import os"), std::string::npos) << facts;
}

TEST(SourceForm, FormFeedsAndOtherSeparatorsEndNoLineOfPython) {
  EXPECT_EQ(describe(read_program(Syntax::python, "# a\fimport os\n# b\xe2\x80\xa8import os\n# c\xc2\x85import os\n")),
            "");
  EXPECT_EQ(describe(read_program(Syntax::python, "if 1:\n  \f  import re\n")), "import re @2:13\n");
}

TEST(SourceForm, LinesOfJavascriptEndWhereNodeEndsThem) {
  const std::string facts = "import child_process @2:1\ncall require @2:1\n";
  const std::string loads = "require('child_process')\n";
  for (const std::string start : {"#!a", "// a", "<!-- a", "--> a", "1 // a", "/**/ --> a", "\xef\xbb\xbf#!a"}) {
    EXPECT_EQ(describe(read_program(Syntax::javascript, start + "\n" + loads)), facts) << start;
    EXPECT_EQ(describe(read_program(Syntax::javascript, start + "\r" + loads)), facts) << start;
    for (const std::string end : {"\xe2\x80\xa8", "\xe2\x80\xa9"}) {
      const std::string found = describe(read_program(Syntax::javascript, start + end + loads));
      EXPECT_NE(found.find("import child_process"), std::string::npos) << start << found;
    }
  }
  const std::string inner = describe(read_program(Syntax::javascript, R"js(eval("#!a\rrequire('child_process')"))js"));
  EXPECT_NE(inner.find("import child_process"), std::string::npos) << inner;
  EXPECT_EQ(read_program(Syntax::javascript, "x = 'a\xe2\x80\xa8'\n").gap, "") << "a string may have them";
}

TEST(SourceForm, WhatIsACommentOnlyToSomeIsAGap) {
  for (const std::string_view code : {"a <!-- b /*\nrequire('child_process') // */\n", "f(a<!--b)\n", "`${a<!--b}`\n",
                                      "a /*\n*/ --> b /*\nrequire('child_process') // */\n"}) {
    EXPECT_NE(gap_of(Syntax::javascript, code), "") << code;
  }
  for (const std::string_view code : {"x = '<!-- a -->'\n", "x = `<!-- a\n-->`\n", "/<!--a-->/.test(x)\n",
                                      "while (n --> 0) f(n)\n", "// <!-- a -->\n", "/* <!-- \n--> */\n"}) {
    EXPECT_EQ(gap_of(Syntax::javascript, code), "") << code;
  }
}

TEST(SourceForm, OnlyBlanksAndTabsSeparateWordsOfAShell) {
  for (const std::string letter :
       {"\r", "\f", "\v", "\xc2\xa0", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\x83", "\xe3\x80\x80", "\xe1\x9a\x80",
        "\xef\xbb\xbf", "\xe2\x80\x8b", "\x1c", "\x1f", "\\ ", "\\\t"}) {
    const std::string facts = describe(read_program(Syntax::shell, "echo a" + letter + "#x; curl x\n"));
    EXPECT_TRUE(facts.find("call curl") != std::string::npos) << testing::PrintToString(letter) << facts;
    EXPECT_EQ(describe(read_program(Syntax::shell, "# a" + letter + "curl x\n")), "") << "the comment goes on";
  }
  EXPECT_EQ(describe(read_program(Syntax::shell, "ls a\\\\\t#x; curl x\n")), "call ls @1:1\n");
  EXPECT_EQ(describe(read_program(Syntax::shell, "ls a\r\ncurl x\r\n")), "call ls @1:1\ncall curl @2:1\n");
}

TEST(SourceForm, AnotherEncodingThanUtf8IsAGap) {
  constexpr const char* kGap = "written in another encoding than UTF-8";
  for (const std::string_view line :
       {"# coding: utf-7", "# -*- coding: unicode_escape -*-", "# vim: set fileencoding=raw_unicode_escape :",
        "#coding=utf_16", "\f # en-coding:\tcp037", "# coding: rot13", "# coding: coding: hex", "# coding: idna"}) {
    const std::string code(line);
    EXPECT_EQ(gap_of(Syntax::python, code + "\nprint(1)\n"), kGap) << line;
    EXPECT_EQ(gap_of(Syntax::python, "#!/usr/bin/python3\n" + code + "\nprint(1)\n"), kGap) << line;
    EXPECT_EQ(gap_of(Syntax::python, "#!/usr/bin/python3\r" + code + "\rprint(1)\r"), kGap) << line;
    EXPECT_EQ(gap_of(Syntax::python, "\xef\xbb\xbf" + code + "\nprint(1)\n"), kGap) << line;
    EXPECT_EQ(gap_of(Syntax::python, "print(1)\n" + code + "\n"), "") << "only a comment may stand before it";
    EXPECT_EQ(gap_of(Syntax::python, "\n\n" + code + "\n"), "") << "only the first two lines count";
  }
  EXPECT_EQ(read_program(Syntax::python, "# x\n# coding: utf-7\n").gap_at, (Place{2, 11, 0}));
}

TEST(SourceForm, TheUsualEncodingsAreNone) {
  for (const std::string_view name : {"utf-8", "UTF8", "utf_8", "utf-8-sig", "utf-8-unix", "U8", "ascii", "us-ascii",
                                      "latin-1", "ISO-8859-1", "latin1", "iso8859_1", "L1"}) {
    EXPECT_EQ(gap_of(Syntax::python, "# -*- coding: " + std::string(name) + " -*-\nprint(1)\n"), "") << name;
  }
  EXPECT_EQ(gap_of(Syntax::python, "# coding: utf-8\nprint('\xc3\xa4')\n"), "");
  EXPECT_NE(gap_of(Syntax::python, "# coding: latin-1\nprint('\xc3\xa4')\n"), "") << "other letters than it shows";
  EXPECT_EQ(gap_of(Syntax::python, "# the coding is done\n# encoding\n"), "");
}

TEST(SourceForm, AProgramInAStringMayNameAnEncodingToo) {
  const ProgramFacts facts = read_program(Syntax::python, R"(exec(b"# coding: utf-7\n+AGE-"))");
  ASSERT_FALSE(facts.facts.empty());
  EXPECT_EQ(facts.facts.back().kind, FactKind::dynamic);
}

TEST(SourceForm, AZeroByteIsAGapInEveryLanguage) {
  EXPECT_EQ(gap_of(Syntax::python, "x = 1 # \0import os\n"s), "a zero byte");
  EXPECT_EQ(gap_of(Syntax::javascript, "// \0require('fs')\n"s), "a zero byte");
  EXPECT_EQ(gap_of(Syntax::shell, "cu\0rl x\n"s), "a zero byte") << "bash leaves it out";
}

}  // namespace
}  // namespace glovebox::policy
