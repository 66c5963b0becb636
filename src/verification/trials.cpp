#include "verification/trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "verification/compare.h"
#include "verification/value.h"

namespace glovebox::verification {
namespace {

using contract::Outcome;
using contract::Property;
using contract::PropertyCheck;
using contract::RunRequest;

// Outcomes that are the program's own doing. Any other means that nobody knows what the program would have done.
bool is_own_end(Outcome outcome) {
  return outcome != Outcome::cancelled && outcome != Outcome::setup_failed && outcome != Outcome::internal_error &&
         outcome != Outcome::rejected;
}

bool is_repeatable(Outcome outcome) {
  return outcome == Outcome::ok || outcome == Outcome::program_failed || outcome == Outcome::invalid_output;
}

std::string ended_badly(std::string_view what, const Trial& trial) {
  return fmt::format("{} ended with {}: {}", what, contract::to_string(trial.outcome), shown_text(trial.error));
}

class Tests {
 public:
  Tests(const RunRequest& request, const TrialRunner& run, WorkBudget& budget)
      : request_(request), run_(run), budget_(budget) {}

  TrialReport take() { return std::move(report_); }

  void run_case(const contract::TestCase& test, std::size_t index) {
    const std::string name = fmt::format("expect.tests.cases[{}]{}{}", index, test.name.empty() ? "" : " ", test.name);
    check(name, test.input_json, [&](const std::string& value) {
      return difference_of_values(value, test.expected_json, contract::Comparison::json, test.tolerance, {}, budget_);
    });
  }

  void run_property(const PropertyCheck& property, std::size_t index) {
    for (std::size_t input = 0; input < property.inputs_json.size(); ++input) {
      const std::string name =
          fmt::format("expect.tests.properties[{}].inputs[{}] {}", index, input,
                      property.name.empty() ? contract::to_string(property.property) : property.name);
      const std::string& argument = property.inputs_json[input];
      check(name, argument, [&](const std::string& value) { return problem_of(property, argument, value); });
    }
  }

 private:
  // Calls solve and hands its value on; `judge` gives the problem.
  template <typename Judge>
  void check(const std::string& name, const std::string& input, Judge judge) {
    if (report_.stopped_by) {
      return;
    }
    CheckReport check{name, {}};
    std::string problem;
    if (const auto value = solve(input, std::nullopt, problem); value) {
      problem = judge(*value);
    }
    if (report_.stopped_by) {
      return;
    }
    if (!problem.empty()) {
      check.problems.push_back(fmt::format("solve({}): {}", shown_text(input), problem));
    }
    report_.checks.push_back(std::move(check));
  }

  std::optional<std::string> solve(const std::string& input, std::optional<std::string> code, std::string& problem) {
    Trial trial = run_({TrialKind::test, "", std::move(code), input});
    if (!is_own_end(trial.outcome)) {
      report_.stopped_by = std::move(trial);
      return std::nullopt;
    }
    report_.repeatable = report_.repeatable && is_repeatable(trial.outcome);
    if (trial.outcome != Outcome::ok || !trial.value_json) {
      problem = ended_badly("it", trial);
      return std::nullopt;
    }
    return std::move(trial.value_json);
  }

  std::string again(const std::string& input, std::optional<std::string> code, const std::string& expected,
                    const PropertyCheck& property, const Sides& sides) {
    std::string problem;
    const auto value = solve(input, std::move(code), problem);
    return value
               ? difference_of_values(*value, expected, contract::Comparison::json, property.tolerance, sides, budget_)
               : problem;
  }

  std::string problem_of(const PropertyCheck& property, const std::string& argument, const std::string& value) {
    switch (property.property) {
      case Property::idempotent:
        return again(value, std::nullopt, value, property, {"came from solve(solve(x))", "from solve(x)"});
      case Property::repeatable:
        return again(argument, std::nullopt, value, property, {"came the second time", "the first time"});
      case Property::round_trip:
        return again(value, program_calling(request_, property.inverse), argument, property,
                     {"came back", "was the input"});
      default:
        break;
    }
    const MemoryScope scope(budget_);
    auto input_tree = read_document(argument, budget_);
    auto value_tree = read_document(value, budget_);
    if (!input_tree || !value_tree) {
      return (input_tree ? value_tree : input_tree).error().message;
    }
    switch (property.property) {
      case Property::same_elements:
        return difference_of_elements(*value_tree, *input_tree, {"is in the value", "is in the input"}, budget_);
      case Property::same_length:
        return problem_of_length(*input_tree, *value_tree);
      default:
        return problem_of_order(Value::from_json(std::move(*value_tree)),
                                property.property == Property::non_decreasing);
    }
  }

  static std::string problem_of_length(const JsonValue& input, const JsonValue& value) {
    const auto length = [](const JsonValue& tree) {
      return tree.kind == JsonValue::Kind::string ? count_characters(tree.text) : tree.members.size();
    };
    const auto has_length = [](const JsonValue& tree) {
      return tree.kind == JsonValue::Kind::string || tree.kind == JsonValue::Kind::array ||
             tree.kind == JsonValue::Kind::object;
    };
    if (!has_length(input) || !has_length(value)) {
      return fmt::format("{} has no length", has_length(input) ? shown(value) : shown(input));
    }
    return length(input) == length(value)
               ? ""
               : fmt::format("the value has {} elements, the input {}: {}", length(value), length(input), shown(value));
  }

  std::string problem_of_order(const Value& value, bool ascending) {
    const List* list = value.list();
    if (list == nullptr) {
      return fmt::format("the value is {}, not a list", value.shown());
    }
    for (std::size_t index = 1; index < list->size(); ++index) {
      const auto ordering = order((*list)[index - 1], (*list)[index], budget_);
      if (!ordering) {
        return ordering.error().message;
      }
      if (ascending ? std::is_gt(*ordering) : std::is_lt(*ordering)) {
        return fmt::format("element {} is {}, element {} is {}", index - 1, (*list)[index - 1].shown(), index,
                           (*list)[index].shown());
      }
    }
    return "";
  }

  const RunRequest& request_;
  const TrialRunner& run_;
  WorkBudget& budget_;
  TrialReport report_;
};

}  // namespace

std::size_t cells_of_tests(const contract::Expect& expect) {
  std::size_t cells = expect.cases.size();
  for (const PropertyCheck& property : expect.properties) {
    const bool twice = property.property == Property::idempotent || property.property == Property::repeatable ||
                       property.property == Property::round_trip;
    cells += property.inputs_json.size() * (twice ? 2 : 1);
  }
  return cells;
}

std::optional<std::string> program_calling(const RunRequest& request, const std::string& function) {
  // The names of the built-in profiles; pure functions cannot look aliases up.
  const auto is = [&](auto... names) { return ((request.language == names) || ...); };
  if (is("python", "python3", "py")) {
    return fmt::format("{}\n\nsolve = {}\n", request.code, function);
  }
  if (is("javascript", "js", "node", "nodejs")) {
    return fmt::format("{}\n;module.exports.solve = {};\n", request.code, function);
  }
  return std::nullopt;
}

TrialReport run_tests(const contract::Expect& expect, const RunRequest& request, const TrialRunner& run,
                      WorkBudget& budget) {
  Tests tests(request, run, budget);
  for (std::size_t index = 0; index < expect.cases.size(); ++index) {
    tests.run_case(expect.cases[index], index);
  }
  for (std::size_t index = 0; index < expect.properties.size(); ++index) {
    tests.run_property(expect.properties[index], index);
  }
  return tests.take();
}

TrialReport run_cross_check(const contract::CrossCheck& check, const RunRequest& request,
                            const contract::RunResult& first, const TrialRunner& run, WorkBudget& budget) {
  TrialReport report;
  Trial second = run({TrialKind::cross_check, check.language, check.code, request.input_json});
  if (!is_own_end(second.outcome)) {
    report.stopped_by = std::move(second);
    return report;
  }
  report.repeatable = is_repeatable(second.outcome);
  CheckReport told{"expect.cross_check", {}};
  const Sides sides{"came from the program", "from the second program"};
  std::string problem;
  if (second.outcome != Outcome::ok) {
    problem = ended_badly("the second program", second);
  } else if (request.input_json) {
    const std::string* value = value_of(first);
    problem = value == nullptr || !second.value_json
                  ? "there is no value to compare"
                  : difference_of_values(*value, *second.value_json, check.compare, check.tolerance, sides, budget);
  } else if (first.stdout_truncated || second.stdout_truncated) {
    problem = "stdout was cut at limits.output_bytes, so it cannot be compared";
  } else {
    problem = difference_of_texts(first.standard_output, second.standard_output, check.compare, check.tolerance, sides,
                                  budget);
  }
  if (!problem.empty()) {
    told.problems.push_back(std::move(problem));
  }
  report.checks.push_back(std::move(told));
  return report;
}

const std::string* value_of(const contract::RunResult& result) {
  const auto found = std::find_if(result.results.begin(), result.results.end(),
                                  [](const contract::RichResult& rich) { return rich.kind == "value"; });
  return found == result.results.end() ? nullptr : &found->json;
}

}  // namespace glovebox::verification
