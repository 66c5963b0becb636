// For tests of what verification finds, however slow the machine is; cost_test.cpp is about its clock.
#pragma once

#include "verification/work_budget.h"

namespace glovebox::verification {

[[nodiscard]] inline WorkBudget unhurried_budget() { return {WorkBudget::kSteps, std::chrono::hours(1)}; }

}  // namespace glovebox::verification
