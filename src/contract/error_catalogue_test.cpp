#include "contract/error_catalogue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "contract/run_request.h"
#include "contract/test_support.h"

namespace glovebox::contract {
namespace {

using base::ErrorCode;

TEST(ErrorCatalogue, EqualsItsJson) {
  const auto errors = nlohmann::json::parse(read_contract_file("errors.json")).at("errors");
  EXPECT_EQ(errors.size(), error_catalogue().size());
  for (const CatalogueEntry& entry : error_catalogue()) {
    const std::string name(base::to_string(entry.code));
    const nlohmann::json expected = {
        {"http_status", entry.http_status},
        {"exit_code", entry.exit_code ? nlohmann::json(*entry.exit_code) : nullptr},
        {"outcome", to_string(entry.outcome)},
        {"anchor", entry.anchor},
        {"summary", entry.summary},
        {"hint_model", entry.hint_model},
        {"hint_person", entry.hint_person},
    };
    EXPECT_EQ(errors.value(name, nlohmann::json()), expected) << name;
  }
}

TEST(ErrorCatalogue, EqualsItsPage) {
  std::string page =
      "# Error codes\n\nEvery error has one of these codes. `errors.json` beside this page is the same table for "
      "programs.\n";
  for (const CatalogueEntry& entry : error_catalogue()) {
    page += fmt::format(
        "\n## {}\n\n{}\n\n- Outcome `{}`, HTTP status {}, exit status {}.\n- For the model: {}\n- For a person: {}\n",
        entry.anchor, entry.summary, to_string(entry.outcome), entry.http_status,
        entry.exit_code ? std::to_string(*entry.exit_code) : "of the program", entry.hint_model, entry.hint_person);
  }
  EXPECT_EQ(read_contract_file("errors.md"), page);
}

TEST(ErrorCatalogue, KeepsThePromisedExitStatuses) {
  EXPECT_EQ(catalogue_entry(ErrorCode::wall_timeout).exit_code, 124);
  EXPECT_EQ(catalogue_entry(ErrorCode::cpu_limit).exit_code, 124);
  EXPECT_EQ(catalogue_entry(ErrorCode::memory_limit).exit_code, 137);
  EXPECT_EQ(catalogue_entry(ErrorCode::denied).exit_code, 126);
  EXPECT_EQ(catalogue_entry(ErrorCode::rejected).exit_code, 126);
  EXPECT_EQ(catalogue_entry(ErrorCode::cancelled).exit_code, 130);
  EXPECT_EQ(catalogue_entry(ErrorCode::invalid_request).exit_code, 125);
  EXPECT_EQ(catalogue_entry(ErrorCode::internal_error).exit_code, 125);
  for (const ErrorCode code : {ErrorCode::syntax_error, ErrorCode::runtime_error, ErrorCode::import_error,
                               ErrorCode::program_exit, ErrorCode::program_signal}) {
    EXPECT_EQ(catalogue_entry(code).exit_code, std::nullopt);
  }
}

TEST(ErrorCatalogue, EveryEntryHelpsBothReadersInOneLine) {
  for (const CatalogueEntry& entry : error_catalogue()) {
    for (const std::string_view text : {entry.summary, entry.hint_model, entry.hint_person}) {
      EXPECT_GT(text.size(), 20U) << base::to_string(entry.code);
      EXPECT_LE(text.size(), 120U) << text;
      EXPECT_EQ(text.find('\n'), text.npos) << text;
    }
  }
}

TEST(Names, EveryEnumeratorIsFoundByItsName) {
  for (int index = 0; index < base::kErrorCodeCount; ++index) {
    const auto code = static_cast<ErrorCode>(index);
    EXPECT_EQ(parse_error_code(base::to_string(code)), code);
  }
  for (int index = 0; index < kOutcomeCount; ++index) {
    const auto outcome = static_cast<Outcome>(index);
    EXPECT_EQ(parse_outcome(to_string(outcome)), outcome);
  }
  for (const std::string_view name : isolation_names()) {
    EXPECT_EQ(to_string(parse_isolation(name).value()), name);
  }
  for (const std::string_view name : cache_mode_names()) {
    EXPECT_EQ(to_string(parse_cache_mode(name).value()), name);
  }
}

TEST(Names, AreSpelledLikeTheirEnumerators) {
  EXPECT_EQ(to_string(Outcome::invalid_output), "invalid_output");
  EXPECT_EQ(to_string(Outcome::process_limit), "process_limit");
  EXPECT_EQ(to_string(Isolation::container), "container");
  EXPECT_EQ(to_string(CacheMode::refresh), "refresh");
  EXPECT_EQ(parse_outcome("OK"), std::nullopt);
  EXPECT_EQ(parse_isolation(""), std::nullopt);
  EXPECT_EQ(parse_cache_mode("on"), std::nullopt);
  EXPECT_EQ(parse_error_code("nonsense"), std::nullopt);
}

}  // namespace
}  // namespace glovebox::contract
