// The answers of the last minutes, as they were given (K1).
//
// The store has them redacted, so that a caller whose own secret was printed would get another answer the second time;
// here they are whole, in memory, for as long as the cache may be used, and the least recently used go first.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "contract/run_result.h"

namespace glovebox::runner {

class ResultCache {
 public:
  explicit ResultCache(std::uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}

  // `key` is whatever makes an answer the right one, tenant included. Too large for the cache: not kept.
  void put(const std::string& key, const contract::RunResult& result, std::int64_t now_ms);
  [[nodiscard]] std::optional<contract::RunResult> find(const std::string& key, std::int64_t not_before_ms);
  void forget_run(const std::string& run_id);
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Entry {
    std::string key;
    contract::RunResult result;
    std::int64_t put_ms = 0;
    std::uint64_t bytes = 0;
  };
  void erase(std::list<Entry>::iterator entry);

  const std::uint64_t memory_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  std::uint64_t bytes_ = 0;
};

}  // namespace glovebox::runner
