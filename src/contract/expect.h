// What a result must look like to count as a success (V1–V5), as it stands in the request's "expect".
//
// This is the shape only: which fields there are, of which type, within which bounds. Whether a schema, an invariant or
// a format makes sense is the business of src/verification, which compiles an Expect before the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rel_path.h"
#include "base/result.h"

namespace glovebox::contract {

inline constexpr std::size_t kMaxExpectedArtifacts = 256;
inline constexpr std::size_t kMaxInvariants = 64;
inline constexpr std::size_t kMaxInvariantBytes = 2000;
inline constexpr std::size_t kMaxTestCases = 64;
inline constexpr std::size_t kMaxPropertyChecks = 16;
inline constexpr std::size_t kMaxPropertyInputs = 16;

// "rows" alone is both ends; "min_rows" and "max_rows" are one each.
struct CountRange {
  std::optional<std::uint64_t> least;
  std::optional<std::uint64_t> most;
  [[nodiscard]] bool given() const { return least || most; }
  bool operator==(const CountRange&) const = default;
};

struct ExpectedArtifact {
  base::RelPath path;
  bool exists = true;
  std::string format{};  // empty: any bytes
  CountRange bytes{};
  CountRange rows{};
  CountRange width{};
  CountRange height{};
  CountRange pages{};
  std::optional<std::vector<std::string>> columns{};  // exactly these, in this order
  std::vector<std::string> has_columns{};             // these among others
  std::string sha256{};                               // empty: any
};

// solve(input) must give this value.
struct TestCase {
  std::string name;
  std::string input_json;
  std::string expected_json;
  std::optional<double> tolerance;
};

enum class Property {
  non_decreasing,
  non_increasing,
  same_length,
  same_elements,
  idempotent,
  repeatable,
  round_trip,
};

// What solve(input) must obey for each of these inputs.
struct PropertyCheck {
  std::string name;
  Property property = Property::non_decreasing;
  std::vector<std::string> inputs_json;
  std::string inverse;  // of round_trip: a function of the same program
  std::optional<double> tolerance;
};

enum class Comparison { exact, numeric, set, json };

// A second program that computes the same in another way.
struct CrossCheck {
  std::string language;  // empty: the request's own
  std::string code;
  Comparison compare = Comparison::exact;
  std::optional<double> tolerance;
};

struct Expect {
  std::string stdout_json_schema;  // JSON text; empty: none
  std::string value_json_schema;
  std::vector<ExpectedArtifact> artifacts;
  std::vector<std::string> invariants;
  std::vector<TestCase> cases;
  std::vector<PropertyCheck> properties;
  std::optional<CrossCheck> cross_check;
};

// The text of the request's "expect". Errors name the field: expect.artifacts[0].min_rows.
[[nodiscard]] base::Result<Expect> parse_expect(std::string_view json);

[[nodiscard]] std::string_view to_string(Property property);
[[nodiscard]] std::string_view to_string(Comparison comparison);
[[nodiscard]] std::span<const std::string_view> property_names();
[[nodiscard]] std::span<const std::string_view> comparison_names();
// The formats that an artifact can be held to.
[[nodiscard]] std::span<const std::string_view> artifact_format_names();

}  // namespace glovebox::contract
