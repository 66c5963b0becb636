// The language of invariants, parsed (V2). The grammar, from loose to tight:
//
//   or          and { "or" and }
//   and         not { "and" not }
//   not         "not" not | comparison
//   comparison  sum { ("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in") sum }      0 <= x <= 1 means both
//   sum         product { ("+" | "-") product }
//   product     unary { ("*" | "/" | "//" | "%") unary }
//   unary       "-" unary | postfix
//   postfix     primary { "." name | "[" or "]" }
//   primary     number | string | true | false | null | name | name "(" [ or { "," or } ] ")" | "(" or ")" |
//               "[" [ or { "," or } ] "]"
//
// Strings are "…" or '…' with \\ \" \' \n \r \t, or r"…" without escapes. There are no loops, no assignments and no
// functions of one's own: an expression costs what its data costs. Everything that can be known without the data is
// checked here, before the run: names, numbers of arguments, patterns, and that files are named by a string.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verification/pattern.h"
#include "verification/value.h"

namespace glovebox::verification {

struct Function;

enum class Operator {
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo
};

struct Expression {
  enum class Kind {
    literal,
    name,
    call,
    list,
    member,
    index,
    negate,
    invert,
    arithmetic,
    comparison,
    conjunction,
    disjunction
  };

  Kind kind = Kind::literal;
  std::size_t position = 0;  // of its first byte in the text, for messages
  Value literal;
  std::string name;  // of a name, a member, a function
  const Function* function = nullptr;
  std::optional<Pattern> pattern;   // of matches()
  std::vector<Operator> operators;  // of a comparison: one less than operands; of arithmetic: one
  std::vector<Expression> operands;
};

// Errors say the column and what is wrong there.
[[nodiscard]] base::Result<Expression> parse_expression(std::string_view text);

// The value of a literal string, or null.
[[nodiscard]] const std::string* literal_text(const Expression& expression);
[[nodiscard]] std::string_view to_string(Operator sign);

}  // namespace glovebox::verification
