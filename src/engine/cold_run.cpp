// A run in a cell that is built for it.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/stopwatch.h"
#include "engine/engine.h"
#include "engine/run_parts.h"
#include "os/files.h"
#include "os/packets.h"
#include "os/pairs.h"

namespace glovebox::engine {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;

// A sealed memory file: needs no pump, ends by itself, and nobody can change it. Also when it is empty: the host's
// /dev/null has times that one run could set and the next could read.
Result<Fd> standard_input_of(const std::string& bytes) {
  Fd memory(::memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.valid() || !os::write_all(memory.get(), bytes) || ::lseek(memory.get(), 0, SEEK_SET) != 0 ||
      ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "stdin", "cannot prepare standard input"));
  }
  return memory;
}

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> output_pipe(const CellSpec& owner) {
  Pipe pipe;
  if (os::make_pipe(pipe.read, pipe.write) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "pipes", "cannot create a pipe"));
  }
  // Writing to /dev/stdout opens it once more, as the cell's user.
  if (::geteuid() == 0 && ::fchown(pipe.write.get(), owner.host_uid, owner.host_gid) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "pipes", "cannot give a pipe to the cell"));
  }
  // Only our end: the program's writes wait as they would on any pipe.
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

}  // namespace

Result<ExecutionReport> Engine::run_cold(const RunInputs& inputs, ExecutionReport report) {
  CellSpec& spec = report.plan.cell;
  const auto groups_at = RunClock::now();
  os::CellCgroup cgroup = TRY(os::CellCgroup::create(
      site_, {report.plan.limits.memory_bytes, report.plan.limits.processes, report.plan.limits.cpu_percent}));
  report.stages["cgroup"] = base::ms_since(groups_at);

  const auto launch_at = RunClock::now();
  std::vector<PlacedFile> files = TRY(files_to_place(*inputs.request, *inputs.language, SupportFiles::place));
  const Fd input = TRY(standard_input_of(inputs.request->standard_input));
  Pipe output = TRY(output_pipe(spec));
  Pipe errors = TRY(output_pipe(spec));
  SupervisedCell cell;
  Fd their_socket;
  if (os::make_socket_pair(cell.socket, their_socket) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "socket", "cannot create the cell's socket"));
  }
  CellDescriptors descriptors;
  descriptors.socket = their_socket.get();
  descriptors.standard_input = input.get();
  descriptors.standard_output = output.write.get();
  descriptors.standard_error = errors.write.get();
  descriptors.cgroup = cgroup.unified_fd();
  descriptors.tasks = cgroup.task_fds();
  descriptors.blobs = inputs.blobs;
  spec.into_cgroup = cgroup.unified_fd() >= 0;
  spec.task_fds = static_cast<std::uint32_t>(descriptors.tasks.size());
  cell.process = TRY(launcher_->launch(spec, descriptors));
  output.write.reset();
  errors.write.reset();
  their_socket.reset();
  report.stages["clone"] = base::ms_since(launch_at);
  tidy_once(1);

  cell.standard_output = std::move(output.read);
  cell.standard_error = std::move(errors.read);
  cell.cgroup = &cgroup;
  cell.poll_memory = report.plan.poll_memory;
  cell.poll_processes = report.plan.poll_processes;
  report.supervision = supervise(std::move(cell), supervision_of(inputs, report.plan, std::move(files)));
  if (report.supervision.image_covered) {
    report.plan.enforced.emplace_back("image_overlay");
  }
  report.stages["setup"] = report.supervision.setup_ms;
  report.stages["identity"] = report.supervision.identity_ms;
  report.stages["root"] = report.supervision.root_ms - report.supervision.identity_ms;
  report.stages["seal"] = report.supervision.sealed_ms - report.supervision.root_ms;
  report.stages["inputs"] = report.supervision.inputs_ms;
  report.stages["program"] = report.supervision.wall_ms;
  collect(inputs, report);

  const auto teardown_at = RunClock::now();
  report.supervision.scratch = Scratch();
  (void)cgroup.remove();  // what the kernel still holds on to is swept by the next run; this one is done
  report.stages["teardown"] = base::ms_since(teardown_at);
  return report;
}

}  // namespace glovebox::engine
