// Every limit with its name, its range and one line of meaning: the parser, the checks, the flags and the pages
// read this table, and a test holds contract/run_request.schema.json to it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "contract/limits.h"

namespace glovebox::contract {

enum class LimitUnit { milliseconds, bytes, count, percent };

struct LimitField {
  std::string_view name;
  std::uint64_t Limits::*member;
  std::uint64_t least;
  std::uint64_t most;
  LimitUnit unit;
  std::string_view summary;
};

inline constexpr std::uint64_t kMebibyte = 1ULL << 20U;
inline constexpr std::uint64_t kGibibyte = 1ULL << 30U;
inline constexpr std::uint64_t kTebibyte = 1ULL << 40U;

// The least memory is what an empty interpreter needs; the most CPU time is one hour of 64 CPUs.
inline constexpr std::array<LimitField, 14> kLimitTable = {{
    {"wall_ms", &Limits::wall_ms, 1, 3'600'000, LimitUnit::milliseconds,
     "Wall clock; at its end everything is killed."},
    {"cpu_ms", &Limits::cpu_ms, 1, 230'400'000, LimitUnit::milliseconds, "CPU time over all processes of the run."},
    {"memory_bytes", &Limits::memory_bytes, 8 * kMebibyte, kTebibyte, LimitUnit::bytes,
     "Memory over all processes of the run."},
    {"disk_bytes", &Limits::disk_bytes, 0, kTebibyte, LimitUnit::bytes,
     "What the program may write, over all of its directories."},
    {"inodes", &Limits::inodes, 16, 16'777'216, LimitUnit::count, "Files, directories and links it may create."},
    {"processes", &Limits::processes, 1, 32'768, LimitUnit::count, "Processes and threads together."},
    {"cpu_percent", &Limits::cpu_percent, 1, 6'400, LimitUnit::percent, "Share of one CPU; 100 is one full CPU."},
    {"open_files", &Limits::open_files, 16, 1'048'576, LimitUnit::count, "Open files of one process."},
    {"output_bytes", &Limits::output_bytes, 0, kGibibyte, LimitUnit::bytes, "Kept of stdout, and again of stderr."},
    {"artifact_bytes", &Limits::artifact_bytes, 0, 4 * kGibibyte, LimitUnit::bytes, "All artifacts together."},
    {"artifact_file_bytes", &Limits::artifact_file_bytes, 0, 4 * kGibibyte, LimitUnit::bytes, "One artifact."},
    {"artifact_count", &Limits::artifact_count, 0, 4'096, LimitUnit::count, "Number of artifacts."},
    {"input_bytes", &Limits::input_bytes, 0, kGibibyte, LimitUnit::bytes, "Code, stdin and inline files together."},
    {"input_rows", &Limits::input_rows, 0, 1'000'000'000, LimitUnit::count,
     "Lines of one tabular input (csv, tsv, jsonl)."},
}};
static_assert(sizeof(Limits) == kLimitTable.size() * sizeof(std::uint64_t), "every limit has its line in the table");

}  // namespace glovebox::contract
