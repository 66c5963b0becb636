#include <fmt/format.h>

#include "base/units.h"
#include "base/utf8.h"
#include "engine/plan/sandbox_plan.h"

namespace glovebox::engine {
namespace {

std::string entry_line(const RootEntry& entry) {
  switch (entry.kind) {
    case RootEntry::Kind::directory:
      return fmt::format("  /{:<22} a directory with nothing but what is listed here\n", entry.target);
    case RootEntry::Kind::file:
      return fmt::format("  /{:<22} made for the cell\n", entry.target);
    case RootEntry::Kind::symlink:
      return fmt::format("  /{:<22} → {}\n", entry.target, entry.source);
    case RootEntry::Kind::image:
      return fmt::format("  /{:<22} the host's {}, read-only, nosuid, nodev, behind an overlay\n", entry.target,
                         entry.source);
    case RootEntry::Kind::copied_file:
      return fmt::format("  /{:<22} a copy of the host's {}\n", entry.target, entry.source);
    case RootEntry::Kind::bind_directory:
      return fmt::format("  /{:<22} the host's {}, read-only, nosuid, nodev\n", entry.target, entry.source);
    case RootEntry::Kind::device:
      return fmt::format("  /{:<22} device, nosuid, noexec\n", entry.target);
    case RootEntry::Kind::scratch:
      return fmt::format("  /{:<22} writable, in memory, empty at the start\n", entry.target);
    case RootEntry::Kind::scratch_sealed:
    case RootEntry::Kind::sealed_support:
      return fmt::format("  /{:<22} {}\n", entry.target,
                         entry.target == "glovebox" ? "the program and its support files, read-only"
                                                    : "covered by an empty directory");
    case RootEntry::Kind::proc:
      return fmt::format("  /{:<22} the cell's own processes only\n", entry.target);
  }
  return "";
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

}  // namespace

std::string describe(const SandboxPlan& plan) {
  const contract::Limits& limits = plan.limits;
  std::string text;
  text += fmt::format("plan       sha256:{}\n", plan.hash());
  text += fmt::format("image      host@{}\n", plan.image_digest);
  text += fmt::format("language   {}\n", plan.language);
  std::string command;
  for (const std::string& word : plan.cell.argv) {
    command += (command.empty() ? "" : " ") + base::printable(word, 200);
  }
  text += fmt::format("command    {}\n", command);
  text += fmt::format("identity   user {}:{} in the cell, {}:{} to the host, host name \"{}\"\n", plan.cell.uid,
                      plan.cell.gid, plan.cell.host_uid, plan.cell.host_gid, plan.cell.hostname);
  text += fmt::format("filter     seccomp {} ({})\n", plan.cell.seccomp, plan.seccomp_key);
  text += fmt::format("network    off: a network namespace of its own, no sockets but AF_UNIX\n");
  text += fmt::format("\nlimits\n");
  text += fmt::format("  wall clock   {:<12} CPU time     {}\n", base::format_duration_ms(limits.wall_ms),
                      base::format_duration_ms(limits.cpu_ms));
  text += fmt::format("  memory       {:<12} disk         {} in {} files\n", base::format_size(limits.memory_bytes),
                      base::format_size(limits.disk_bytes), limits.inodes);
  text += fmt::format("  processes    {:<12} CPU share    {} %\n", limits.processes, limits.cpu_percent);
  text += fmt::format("  open files   {:<12} output       {} each of stdout and stderr\n", limits.open_files,
                      base::format_size(limits.output_bytes));
  text += fmt::format("  artifacts    {} files, {} each, {} in all\n", limits.artifact_count,
                      base::format_size(limits.artifact_file_bytes), base::format_size(limits.artifact_bytes));
  text += fmt::format("\nenforced   {}\n", joined(plan.enforced, ", "));
  text += "\nenvironment\n";
  for (const std::string& variable : plan.cell.env) {
    text += "  " + base::printable(variable, 200) + "\n";
  }
  text += "\nwhat the program sees\n";
  for (const RootEntry& entry : plan.cell.root) {
    text += entry_line(entry);
  }
  for (const std::string& target : plan.cell.blob_targets) {
    text += fmt::format("  /{:<22} a stored input, read-only\n", target);
  }
  return text;
}

}  // namespace glovebox::engine
