#include "engine/launcher/cell_messages.h"

namespace glovebox::engine {

std::string_view to_string(CellStage stage) {
  switch (stage) {
    case CellStage::clone:
      return "clone";
    case CellStage::identity:
      return "identity";
    case CellStage::cgroups:
      return "cgroups";
    case CellStage::root_tmpfs:
      return "root_tmpfs";
    case CellStage::scratch:
      return "scratch";
    case CellStage::root_entries:
      return "root_entries";
    case CellStage::blobs:
      return "blobs";
    case CellStage::pivot:
      return "pivot";
    case CellStage::hostname:
      return "hostname";
    case CellStage::rlimits:
      return "rlimits";
    case CellStage::determinism:
      return "determinism";
    case CellStage::privileges:
      return "privileges";
    case CellStage::landlock:
      return "landlock";
    case CellStage::seccomp:
      return "seccomp";
    case CellStage::await_go:
      return "await_go";
    case CellStage::fork:
      return "fork";
    case CellStage::exec:
      return "exec";
  }
  return "unknown";
}

}  // namespace glovebox::engine
