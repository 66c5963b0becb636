// From what was observed to the outcome. Pure, so that every rule of precedence has a test.
#pragma once

#include <optional>

#include "contract/limits.h"
#include "contract/run_result.h"
#include "engine/supervise/artifacts.h"
#include "engine/supervise/supervisor.h"

namespace glovebox::runner {

struct Judgement {
  contract::Outcome outcome = contract::Outcome::ok;
  // What the error has to say beyond the program's own words; absent when the program's error is the whole story.
  std::optional<base::ErrorCode> code;
  std::string message;
};

// `program_error` is what the language's parser made of stderr, which the program wrote. It never makes a failure of a
// success, or a limit or a denial of nothing: it only tells which of the things that were observed the end was about.
[[nodiscard]] Judgement judge(const engine::SupervisionReport& report, const engine::ArtifactHarvest& harvest,
                              const contract::Limits& limits, const std::optional<contract::RunError>& program_error);

}  // namespace glovebox::runner
