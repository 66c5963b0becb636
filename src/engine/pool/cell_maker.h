// Makes one warm cell: built by the nursery, then filled with a child of the zygote or with a runtime of its own.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/pool/nursery.h"
#include "engine/pool/warm_cell.h"
#include "engine/pool/zygote.h"
#include "os/cgroup_site.h"

namespace glovebox::engine {

struct CellRecipe {
  const LanguageProfile& language;
  Nursery& nursery;
  Zygote* zygote = nullptr;  // null: the cell starts its own runtime
  std::uint32_t landlock_abi = 0;
  bool fresh_network = false;
};

// The limits that a waiting cell has until its run brings others.
[[nodiscard]] os::CgroupLimits waiting_limits();
// The resource limits of a runtime that started before its run was known.
[[nodiscard]] std::vector<ResourceLimit> waiting_rlimits();
// Those which depend on the run: a zygote's child gets them with its orders, all others when it is sealed.
[[nodiscard]] std::vector<ResourceLimit> rlimits_of_run(const std::vector<ResourceLimit>& all);

[[nodiscard]] base::Result<WarmCell> make_warm_cell(const CellRecipe& recipe, os::CellCgroup cgroup);

}  // namespace glovebox::engine
