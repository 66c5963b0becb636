// What every run has, warm or cold: the files that go in before the program starts, and what comes out after its end.
#pragma once

#include <chrono>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/supervise/scratch.h"

namespace glovebox::engine {

using RunClock = std::chrono::steady_clock;

enum class SupportFiles { place, are_there };
// Views into the request and the profile, which have to outlive them.
[[nodiscard]] base::Result<std::vector<PlacedFile>> files_to_place(const contract::RunRequest& request,
                                                                   const LanguageProfile& language,
                                                                   SupportFiles support);
[[nodiscard]] SupervisionOptions supervision_of(const RunInputs& inputs, const SandboxPlan& plan,
                                                std::vector<PlacedFile> files);
// After everything in the cell is dead: artifacts, and the value of the solve form.
void collect(const RunInputs& inputs, ExecutionReport& report);

}  // namespace glovebox::engine
