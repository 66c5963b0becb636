#include "verification/invariant.h"

#include "base/cleanup.h"
#include "verification/evaluator.h"

namespace glovebox::verification {
namespace {

void note_needs(const Expression& expression, Invariant::Needs& needs) {
  if (expression.kind == Expression::Kind::name) {
    needs.solve = needs.solve || expression.name == "value" || expression.name == "input";
  }
  if (expression.kind == Expression::Kind::call && expression.name == "artifact") {
    needs.artifacts.push_back(*literal_text(expression.operands[0]));
  }
  if (expression.kind == Expression::Kind::call && expression.name == "input") {
    needs.inputs.push_back(*literal_text(expression.operands[0]));
  }
  for (const Expression& operand : expression.operands) {
    note_needs(operand, needs);
  }
}

}  // namespace

base::Result<Invariant> Invariant::parse(std::string_view text) {
  return Invariant(std::string(text), TRY(parse_expression(text)));
}

Invariant::Needs Invariant::needs() const {
  Needs needs;
  note_needs(expression_, needs);
  return needs;
}

std::string Invariant::problem_with(Documents& documents) const {
  const base::Cleanup let_go([&documents] { documents.let_go(); });
  Evaluator evaluator(documents);
  const auto value = evaluator.value_of(expression_);
  if (!value) {
    return value.error().message;
  }
  if (value->boolean() == nullptr) {
    return std::string("gives ") + std::string(value->kind_name()) + " " + value->shown() + ", not true or false" +
           (value->list() != nullptr ? "; wrap it in all() or any()" : "");
  }
  documents.let_go();
  return *value->boolean() ? "" : evaluator.why_false(expression_);
}

}  // namespace glovebox::verification
