#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rel_path.h"
#include "base/utf8.h"
#include "contract/json_reader.h"
#include "verification/expression.h"
#include "verification/expression_lexer.h"
#include "verification/functions.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;
using Op = Expression::Kind;

constexpr std::size_t kMaxExpressionDepth = 32;
constexpr std::size_t kMaxNodes = 500;
constexpr std::string_view kNames[] = {"stdout", "json", "value", "input"};
constexpr std::string_view kReserved[] = {"and", "or", "not", "in", "true", "false", "null"};

struct Sign {
  std::string_view text;
  Operator meaning;
};
constexpr std::array kComparisons = {Sign{"==", Operator::equal},  Sign{"!=", Operator::not_equal},
                                     Sign{"<", Operator::less},    Sign{"<=", Operator::less_equal},
                                     Sign{">", Operator::greater}, Sign{">=", Operator::greater_equal},
                                     Sign{"in", Operator::in},     Sign{"not in", Operator::not_in}};
constexpr std::array kSums = {Sign{"+", Operator::add}, Sign{"-", Operator::subtract}};
constexpr std::array kProducts = {Sign{"*", Operator::multiply}, Sign{"/", Operator::divide},
                                  Sign{"//", Operator::floor_divide}, Sign{"%", Operator::modulo}};

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<Expression> run() {
    Expression whole = TRY(disjunction());
    if (now().kind != Token::Kind::end) {
      return base::fail(unexpected("an operator or the end"));
    }
    return whole;
  }

 private:
  [[nodiscard]] const Token& now() const { return tokens_[at_]; }
  [[nodiscard]] bool is(std::string_view text) const {
    return (now().kind == Token::Kind::sign || now().kind == Token::Kind::name) && now().text == text;
  }
  bool accept(std::string_view text) {
    const bool found = is(text);
    at_ += found ? 1 : 0;
    return found;
  }
  Status expect(std::string_view text) {
    return accept(text) ? Status() : base::fail(unexpected(fmt::format("\"{}\"", text)));
  }
  [[nodiscard]] base::Error unexpected(std::string_view wanted) const {
    if (is("=")) {
      return error_at(now().position, "\"=\" is not part of the language; equality is ==");
    }
    return error_at(
        now().position,
        fmt::format("expected {}, found {}", wanted,
                    now().kind == Token::Kind::end ? "the end" : "\"" + base::printable(now().text, 40) + "\""));
  }

  Result<Expression> make(Op kind, std::size_t position) {
    if (++nodes_ > kMaxNodes) {
      return base::fail(error_at(position, fmt::format("more than {} parts", kMaxNodes)));
    }
    Expression expression;
    expression.kind = kind;
    expression.position = position;
    return expression;
  }

  // Wraps `first` into a node of this kind with one more operand.
  Result<Expression> joined(Op kind, Expression first, Expression second) {
    Expression node = TRY(make(kind, first.position));
    node.operands.push_back(std::move(first));
    node.operands.push_back(std::move(second));
    return node;
  }

  Result<Expression> disjunction() {
    if (++depth_ > kMaxExpressionDepth) {
      return base::fail(error_at(now().position, fmt::format("nested deeper than {} levels", kMaxExpressionDepth)));
    }
    Expression left = TRY(conjunction());
    while (accept("or")) {
      Expression right = TRY(conjunction());
      left = TRY(joined(Op::disjunction, std::move(left), std::move(right)));
    }
    --depth_;
    return left;
  }

  Result<Expression> conjunction() {
    Expression left = TRY(inversion());
    while (accept("and")) {
      Expression right = TRY(inversion());
      left = TRY(joined(Op::conjunction, std::move(left), std::move(right)));
    }
    return left;
  }

  // "not" and "-" may repeat: nesting is counted.
  Result<Expression> inversion() {
    const std::size_t position = now().position;
    if (!accept("not")) {
      return comparison();
    }
    return prefixed(Op::invert, position, &Parser::inversion);
  }

  Result<Expression> prefixed(Op kind, std::size_t position, Result<Expression> (Parser::*operand)()) {
    if (++depth_ > kMaxExpressionDepth) {
      return base::fail(error_at(position, fmt::format("nested deeper than {} levels", kMaxExpressionDepth)));
    }
    Expression node = TRY(make(kind, position));
    node.operands.push_back(TRY((this->*operand)()));
    --depth_;
    return node;
  }

  template <std::size_t Count>
  std::optional<Operator> accept_sign(const std::array<Sign, Count>& signs) {
    for (const Sign& sign : signs) {
      if (accept(sign.text)) {
        return sign.meaning;
      }
    }
    return std::nullopt;
  }

  std::optional<Operator> accept_comparison() {
    if (is("not") && tokens_[at_ + 1].text == "in" && tokens_[at_ + 1].kind == Token::Kind::name) {
      at_ += 2;
      return Operator::not_in;
    }
    return accept_sign(kComparisons);
  }

  Result<Expression> comparison() {
    Expression first = TRY(sum());
    auto sign = accept_comparison();
    if (!sign) {
      return first;
    }
    Expression node = TRY(make(Op::comparison, first.position));
    node.operands.push_back(std::move(first));
    for (; sign; sign = accept_comparison()) {
      node.operators.push_back(*sign);
      node.operands.push_back(TRY(sum()));
    }
    return node;
  }

  Result<Expression> sum() { return left_to_right(kSums, &Parser::product); }
  Result<Expression> product() { return left_to_right(kProducts, &Parser::unary); }

  template <std::size_t Count>
  Result<Expression> left_to_right(const std::array<Sign, Count>& signs, Result<Expression> (Parser::*operand)()) {
    Expression left = TRY((this->*operand)());
    // A long chain is a deep tree.
    std::size_t chain = 0;
    while (const auto sign = accept_sign(signs)) {
      if (++chain > kMaxExpressionDepth) {
        return base::fail(error_at(now().position, "too many operators in a row"));
      }
      Expression right = TRY((this->*operand)());
      left = TRY(joined(Op::arithmetic, std::move(left), std::move(right)));
      left.operators = {*sign};
    }
    return left;
  }

  Result<Expression> unary() {
    const std::size_t position = now().position;
    if (!accept("-")) {
      return postfix();
    }
    return prefixed(Op::negate, position, &Parser::unary);
  }

  Result<Expression> postfix() {
    Expression node = TRY(primary());
    std::size_t chain = 0;
    while (is(".") || is("[")) {
      const std::size_t position = now().position;
      if (++chain > kMaxExpressionDepth) {
        return base::fail(error_at(position, fmt::format("a path of more than {} steps", kMaxExpressionDepth)));
      }
      const bool by_name = accept(".");
      Expression step = TRY(make(by_name ? Op::member : Op::index, position));
      step.operands.push_back(std::move(node));
      if (by_name) {
        if (now().kind != Token::Kind::name) {
          return base::fail(unexpected("a name behind the dot"));
        }
        step.name = tokens_[at_++].text;
      } else {
        TRY_STATUS(expect("["));
        step.operands.push_back(TRY(disjunction()));
        TRY_STATUS(expect("]"));
      }
      node = std::move(step);
    }
    return node;
  }

  Result<std::vector<Expression>> list_until(std::string_view close) {
    std::vector<Expression> list;
    if (accept(close)) {
      return list;
    }
    while (true) {
      list.push_back(TRY(disjunction()));
      if (accept(close)) {
        return list;
      }
      TRY_STATUS(expect(","));
    }
  }

  Result<Expression> primary() {
    const Token token = now();
    if (accept("(")) {
      Expression inner = TRY(disjunction());
      TRY_STATUS(expect(")"));
      return inner;
    }
    if (accept("[")) {
      Expression node = TRY(make(Op::list, token.position));
      node.operands = TRY(list_until("]"));
      return node;
    }
    if (token.kind == Token::Kind::string || token.kind == Token::Kind::number) {
      return literal(token);
    }
    if (token.kind == Token::Kind::name) {
      return named(token);
    }
    return base::fail(unexpected("a value"));
  }

  Result<Expression> literal(const Token& token) {
    Expression node = TRY(make(Op::literal, token.position));
    ++at_;
    if (token.kind == Token::Kind::string) {
      node.literal = Value(token.text);
      return node;
    }
    const auto number = Value::number(token.text);
    if (!number) {
      return base::fail(
          error_at(token.position, fmt::format("\"{}\" is not a number", base::printable(token.text, 40))));
    }
    node.literal = *number;
    return node;
  }

  Result<Expression> named(const Token& token) {
    if (token.text == "true" || token.text == "false" || token.text == "null") {
      Expression node = TRY(make(Op::literal, token.position));
      node.literal = token.text == "null" ? Value() : Value(token.text == "true");
      ++at_;
      return node;
    }
    if (std::find(std::begin(kReserved), std::end(kReserved), token.text) != std::end(kReserved)) {
      return base::fail(unexpected("a value"));
    }
    ++at_;
    return is("(") ? call(token) : name(token);
  }

  Result<Expression> name(const Token& token) {
    Expression node = TRY(make(Op::name, token.position));
    node.name = token.text;
    if (std::find(std::begin(kNames), std::end(kNames), token.text) == std::end(kNames)) {
      const bool is_function = find_function(token.text) != nullptr;
      return base::fail(
          error_at(token.position, fmt::format("there is nothing named \"{}\"", base::printable(token.text, 40)))
              .with_hint(is_function ? fmt::format("it is a function: {}(…)", token.text)
                                     : fmt::format("the names are {}", contract::list_names(kNames))));
    }
    return node;
  }

  Result<Expression> call(const Token& token) {
    Expression node = TRY(make(Op::call, token.position));
    node.name = token.text;
    node.function = find_function(token.text);
    if (node.function == nullptr) {
      const auto names = function_names();
      const auto meant = contract::closest_name(token.text, names);
      return base::fail(
          error_at(token.position, fmt::format("there is no function \"{}\"", base::printable(token.text, 40)))
              .with_hint(meant ? fmt::format("did you mean {}()?", *meant)
                               : "the functions are " + contract::list_names(names)));
    }
    TRY_STATUS(expect("("));
    node.operands = TRY(list_until(")"));
    const Function& function = *node.function;
    if (node.operands.size() < function.least_arguments || node.operands.size() > function.most_arguments) {
      return base::fail(error_at(token.position, fmt::format("{}: {} arguments given; write {}", token.text,
                                                             node.operands.size(), function.usage)));
    }
    TRY_STATUS(check_literals(node));
    return node;
  }

  // Arguments that have to be known before the run.
  static Status check_literals(Expression& node) {
    for (std::size_t index = 0; index < node.operands.size(); ++index) {
      const Literal wanted = node.function->literals[index];
      if (wanted == Literal::none) {
        continue;
      }
      const std::string* text = literal_text(node.operands[index]);
      const std::size_t position = node.operands[index].position;
      if (text == nullptr) {
        return base::fail(error_at(position, fmt::format("a string has to stand here: {}", node.function->usage)));
      }
      if (wanted == Literal::pattern) {
        auto pattern = Pattern::compile(*text);
        if (!pattern) {
          return base::fail(error_at(position, pattern.error().message).with_hint(pattern.error().hint));
        }
        node.pattern = std::move(*pattern);
      } else if (wanted == Literal::path) {
        if (auto path = base::RelPath::parse(*text); !path) {
          return base::fail(error_at(position, path.error().message));
        }
      } else if (wanted == Literal::direction && *text != "asc" && *text != "desc") {
        return base::fail(error_at(position, "expected \"asc\" or \"desc\""));
      } else if (wanted == Literal::format && !is_document_format(*text)) {
        return base::fail(error_at(position, "expected \"csv\", \"tsv\", \"json\", \"jsonl\" or \"text\""));
      }
    }
    return {};
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

Result<Expression> parse_expression(std::string_view text) {
  std::vector<Token> tokens = TRY(tokens_of(text));
  return Parser(std::move(tokens)).run();
}

const std::string* literal_text(const Expression& expression) {
  return expression.kind == Op::literal ? expression.literal.text() : nullptr;
}

std::string_view to_string(Operator sign) {
  for (const auto& each : kComparisons) {
    if (each.meaning == sign) {
      return each.text;
    }
  }
  return "an operator";
}

}  // namespace glovebox::verification
