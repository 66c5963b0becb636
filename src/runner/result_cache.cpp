#include "runner/result_cache.h"

namespace glovebox::runner {
namespace {

std::uint64_t size_of(const contract::RunResult& result) {
  constexpr std::uint64_t kFixed = 4096;
  std::uint64_t bytes = kFixed + result.standard_output.size() + result.standard_error.size();
  for (const contract::Artifact& artifact : result.artifacts) {
    bytes += artifact.content.size() + artifact.path.size();
  }
  for (const contract::RichResult& rich : result.results) {
    bytes += rich.json.size();
  }
  return bytes;
}

}  // namespace

void ResultCache::erase(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

void ResultCache::put(const std::string& key, const contract::RunResult& result, std::int64_t now_ms) {
  const std::uint64_t bytes = size_of(result) + key.size();
  if (bytes > memory_bytes_ / 4) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    erase(found->second);
  }
  entries_.push_front({key, result, now_ms, bytes});
  by_key_[key] = entries_.begin();
  bytes_ += bytes;
  while (bytes_ > memory_bytes_) {
    erase(std::prev(entries_.end()));
  }
}

std::optional<contract::RunResult> ResultCache::find(const std::string& key, std::int64_t not_before_ms) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    return std::nullopt;
  }
  if (found->second->put_ms < not_before_ms) {
    erase(found->second);
    return std::nullopt;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->result;
}

void ResultCache::forget_run(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->result.run_id == run_id) {
      erase(entry);
    }
    entry = next;
  }
}

std::uint64_t ResultCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace glovebox::runner
