// Programs of arbitrary bytes in all three languages: reading ends, stays in bounds, and gives the same twice.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "policy/program_facts.h"

namespace {

using namespace glovebox::policy;

void require(bool good) {
  if (!good) {
    std::abort();
  }
}

void check(Syntax syntax, std::string_view code) {
  ReadBounds bounds;
  bounds.max_facts = 1'000;
  const ProgramFacts facts = read_program(syntax, code, bounds);
  require(facts.facts.size() <= bounds.max_facts);
  require(facts.bytes == code.size());
  const auto ends_line = [](char each) { return each == '\n' || each == '\r'; };
  const auto lines = static_cast<std::uint64_t>(std::count_if(code.begin(), code.end(), ends_line)) + 1;
  Place before;
  for (const Fact& fact : facts.facts) {
    require(fact.at.line >= before.line && fact.at.line <= lines && fact.at.column >= 1);
    require(!fact.name.empty());
    require(fact.name.size() <= 1'000 && fact.detail.size() <= 1'000);
    require(glovebox::base::is_valid_utf8(fact.name) && glovebox::base::is_valid_utf8(fact.detail));
    before = fact.at;
  }
  // What a thread keeps from one program to the next must not show. Where time was short it may.
  if (code.size() % 4 != 0) {
    return;
  }
  const ProgramFacts again = read_program(syntax, code, bounds);
  require(again.facts == facts.facts || facts.gap == "time" || again.gap == "time");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view code(reinterpret_cast<const char*>(data), size);
  for (const Syntax syntax : {Syntax::python, Syntax::javascript, Syntax::shell}) {
    check(syntax, code);
  }
  return 0;
}
