// The limits of one run (L1–L10). Plain values; the defaults are the baseline profile.
#pragma once

#include <cstdint>

namespace glovebox::contract {

struct Limits {
  std::uint64_t wall_ms = 5'000;
  std::uint64_t cpu_ms = 5'000;
  std::uint64_t memory_bytes = 256ULL << 20U;
  std::uint64_t disk_bytes = 64ULL << 20U;      // what the program may write, over all of its directories
  std::uint64_t inodes = 8'192;                 // files, directories and links it may create
  std::uint64_t processes = 64;                 // processes and threads together
  std::uint64_t cpu_percent = 100;              // share of one CPU: 100 is one full CPU
  std::uint64_t open_files = 256;               // per process
  std::uint64_t output_bytes = 1ULL << 20U;     // kept of stdout, and again of stderr
  std::uint64_t artifact_bytes = 32ULL << 20U;  // over all artifacts
  std::uint64_t artifact_file_bytes = 8ULL << 20U;
  std::uint64_t artifact_count = 16;
  std::uint64_t input_bytes = 64ULL << 20U;  // code, stdin and inline files together
  std::uint64_t input_rows = 1'000'000;      // lines of one tabular input (csv, tsv, jsonl)

  bool operator==(const Limits&) const = default;
};

}  // namespace glovebox::contract
