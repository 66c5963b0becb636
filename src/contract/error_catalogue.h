// The error catalogue: one line per base::ErrorCode with everything the edges need to know about it.
//
// contract/errors.json is the same table for other languages; a test keeps the two equal. It is compiled in, because
// a cold run lasts milliseconds and parses nothing it does not need.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "contract/run_result.h"

namespace glovebox::contract {

struct CatalogueEntry {
  base::ErrorCode code;
  int http_status;               // 200: the call worked and the result tells how the program ended
  std::optional<int> exit_code;  // of `glovebox run`; nothing: the program's own
  Outcome outcome;
  std::string_view anchor;  // heading in contract/errors.md
  std::string_view summary;
  std::string_view hint_model;   // one line for the model that wrote the program
  std::string_view hint_person;  // one line for the person who operates it
};

[[nodiscard]] const CatalogueEntry& catalogue_entry(base::ErrorCode code);
[[nodiscard]] std::span<const CatalogueEntry> error_catalogue();

// How a result tells an error of ours, with the catalogue's hint where it has none of its own.
[[nodiscard]] RunError run_error_of(const base::Error& error);

[[nodiscard]] std::optional<base::ErrorCode> parse_error_code(std::string_view name);

}  // namespace glovebox::contract
