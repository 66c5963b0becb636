// A run as rows: what the tables runs, run_texts and run_contents hold, and its digest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "records/contents.h"
#include "records/digest.h"
#include "records/run_record.h"
#include "records/sqlite.h"

namespace glovebox::records {

// One row of `runs`, with the long texts that belong to it.
struct RunRow {
  std::int64_t number = 0;
  RunSummary summary;
  bool cacheable = false;
  std::optional<std::string> idempotency_key;
  std::string request_sha256;
  std::string cache_key;
  std::string traceparent;
  bool served = false;
  std::uint64_t audit_seq = 0;

  std::string request_json;
  std::optional<std::string> result_json;  // of a finished run
  std::optional<std::string> decision_json;
  std::string redactions_json = "{}";
};

[[nodiscard]] std::string write_redactions(const std::map<std::string, std::uint32_t>& redactions);
[[nodiscard]] base::Result<std::map<std::string, std::uint32_t>> read_redactions(std::string_view json);

// The request's part of a record, and the result's; each with the contents that came with it. What is in a digest
// cannot change without its audit entry showing it.
void add_start(Digest& digest, const RunRow& row, std::vector<ContentRow> contents);
void add_end(Digest& digest, const RunRow& row, std::vector<ContentRow> contents);
[[nodiscard]] std::vector<ContentRow> rows_of(const std::vector<Content>& contents);
[[nodiscard]] bool belongs_to_request(const ContentRow& content);
// Over the whole record as it is stored.
[[nodiscard]] std::string record_sha256(const RunRow& row, const std::vector<ContentRow>& contents);

// Writes `runs` and `run_texts`; the number.
[[nodiscard]] base::Result<std::int64_t> insert_run(Database& writer, const RunRow& row);
// Takes a running run to the row's state and texts.
[[nodiscard]] base::Status end_run(Database& writer, const RunRow& row);
[[nodiscard]] base::Status save_contents(Database& writer, const Contents& store, std::int64_t number,
                                         std::vector<Content>& contents);

[[nodiscard]] base::Result<std::optional<RunRow>> find_row(Database& reader, std::string_view run_id);
[[nodiscard]] base::Result<std::vector<ContentRow>> contents_of(Database& reader, std::int64_t number);
[[nodiscard]] base::Result<RunPage> list_rows(Database& reader, const RunFilter& filter, std::string_view cursor,
                                              std::size_t limit);

}  // namespace glovebox::records
