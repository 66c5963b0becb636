// What a run was refused, for the `denials` of its result: every refusal says what, why and which grant would allow it.
//
// The supervisor owns one per run and feeds it the filter's notifications, on its own thread. The program decides how
// many there are and what they look like, so the log is bounded: equal calls are counted, and once kMaxEntries
// different ones are known, further ones are summed up in a last entry.
#pragma once

#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "contract/run_result.h"
#include "os/seccomp_filter.h"

namespace glovebox::engine {

class DenialLog {
 public:
  static constexpr std::size_t kMaxEntries = 64;

  // The filter must outlive the log; compiled filters live forever.
  explicit DenialLog(const os::SeccompFilter& filter) : filter_(&filter) {}

  // Notes a refused call. The answer is the errno for the program, never 0.
  [[nodiscard]] int record(const seccomp_data& data);

  // In order of first appearance.
  [[nodiscard]] std::vector<contract::Denial> list() const;
  [[nodiscard]] std::uint64_t total() const { return total_; }
  // What the program was told instead of a result: each errno once.
  [[nodiscard]] const std::set<int>& answers() const { return answers_; }

 private:
  const os::SeccompFilter* filter_;
  std::vector<contract::Denial> entries_;
  std::uint64_t others_ = 0;
  std::uint64_t total_ = 0;
  std::set<int> answers_;
};

}  // namespace glovebox::engine
