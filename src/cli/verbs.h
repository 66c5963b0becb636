// One function per verb, one file per verb. Each gets the arguments behind its name and returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace glovebox::cli {

using Arguments = std::vector<std::string>;

int run_verb(Arguments arguments);
int explain_verb(Arguments arguments);
int doctor_verb(Arguments arguments);
int blob_verb(Arguments arguments);
int serve_verb(Arguments arguments);
int mcp_verb(Arguments arguments);
int bench_verb(Arguments arguments);
int runs_verb(Arguments arguments);
int replay_verb(Arguments arguments);
int audit_verb(Arguments arguments);
int keys_verb(Arguments arguments);
int tenants_verb(Arguments arguments);
int admin_verb(Arguments arguments);
int policy_verb(Arguments arguments);
int approvals_verb(Arguments arguments);

// Finds the verb and calls it.
int main_verb(int argc, char** argv);

inline constexpr int kExitOurs = 125;  // we could not do our job
inline constexpr int kExitUsage = 125;
inline constexpr int kExitCancelled = 130;

}  // namespace glovebox::cli
