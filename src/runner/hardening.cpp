#include "runner/hardening.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/cleanup.h"
#include "base/fd.h"
#include "contract/error_catalogue.h"

namespace glovebox::runner {
namespace {

using contract::Outcome;
using contract::RunRequest;
using contract::RunResult;

RunRequest probe(std::string code) {
  RunRequest request;
  request.language = "python";
  request.code = std::move(code);
  // A slow host is not an unsound one: what is proved here is not speed.
  request.limits.wall_ms = 60'000;
  request.limits.cpu_ms = 60'000;
  return request;
}

std::string seen(const RunResult& result) {
  std::string text(contract::to_string(result.outcome));
  if (result.error) {
    text += ": " + result.error->message;
  }
  return text;
}

bool says(const RunResult& result, std::string_view text) {
  return result.outcome == Outcome::ok && result.standard_output.find(text) != std::string::npos;
}

bool was_denied(const RunResult& result, std::string_view what) {
  return std::any_of(result.denials.begin(), result.denials.end(),
                     [&](const contract::Denial& denial) { return denial.what.starts_with(what); });
}

Proof no_network(Runner& runner) {
  const RunResult result = runner.run(probe(R"(
import socket
try:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    print("socket made")
except OSError:
    print("refused")
names = [line.split(":")[0].strip() for line in open("/proc/self/net/dev").read().splitlines()[2:]]
print("interfaces", names)
)"));
  const bool holds =
      says(result, "refused") && says(result, "interfaces ['lo']") && was_denied(result, "socket(AF_INET");
  return {"H1", "no network by default", holds,
          holds ? "an internet socket was refused and the refusal was seen; the only interface is an unconnected lo"
                : seen(result)};
}

Proof no_environment(Runner& runner) {
  const std::string canary = new_run_id();
  ::setenv("GLOVEBOX_DOCTOR_CANARY", canary.c_str(), 1);
  const RunResult result =
      runner.run(probe("import os\nprint('environment', sorted(os.environ), list(os.environ.values()))\n"));
  ::unsetenv("GLOVEBOX_DOCTOR_CANARY");
  const bool holds = says(result, "environment") && result.standard_output.find(canary) == std::string::npos &&
                     result.standard_output.find("CANARY") == std::string::npos;
  return {
      "H2", "no inherited environment", holds,
      holds ? "a canary variable of this process is not in the cell" : "the canary came through, or " + seen(result)};
}

Proof no_host_files(Runner& runner) {
  std::string canary = "/tmp/glovebox-doctor-XXXXXX";
  const base::Fd file(::mkstemp(canary.data()));
  const base::Cleanup remove([&] { ::unlink(canary.c_str()); });
  const char* home = ::getenv("HOME");
  RunRequest request = probe(R"(
import os, sys
places = ["/root", "/home", "/var", "/run", "/sys", "/boot", "/etc/shadow", "/etc/ssh", "/etc/hostname", "/mnt", "/opt", "/srv"]
print("visible", [place for place in places + sys.argv[1:] if place and os.path.exists(place)])
)");
  request.args = {canary, home != nullptr ? std::string(home) + "/.ssh" : "",
                  home != nullptr ? std::string(home) + "/.config" : ""};
  const RunResult result = runner.run(request);
  const bool holds = file.valid() && says(result, "visible []");
  return {"H3", "no host mounts with secrets", holds,
          holds ? "home directories, /etc/shadow, /var, /run, /sys and a canary file in /tmp do not exist in the cell"
                : seen(result) + " " + result.standard_output};
}

Proof not_root(Runner& runner) {
  const RunResult result = runner.run(probe(R"(
import os
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
try:
    os.setuid(0)
    became = True
except OSError:
    became = False
ok = (os.getuid() != 0 and os.geteuid() != 0 and int(status["CapEff"], 16) == 0 and int(status["CapBnd"], 16) == 0
      and status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2" and not became)
print("sealed" if ok else status)
)"));
  const bool holds = says(result, "sealed");
  return {"H4", "non-root", holds,
          holds ? "user 1000, no capabilities (bounding set too), no_new_privs, seccomp filter, setuid(0) refused"
                : seen(result)};
}

struct LimitProbe {
  const char* name;
  const char* code;
  Outcome expected;
};

constexpr std::array kLimitProbes = {
    LimitProbe{"wall clock", "import time\ntime.sleep(60)\n", Outcome::timeout},
    LimitProbe{"CPU time", "while True: pass\n", Outcome::cpu_limit},
    LimitProbe{"memory", "keep = []\nwhile True: keep.append(bytearray(b'x') * 4000000)\n", Outcome::memory_limit},
    LimitProbe{"processes",
               "import os, time\nwhile True:\n  try:\n    if os.fork() == 0: time.sleep(60)\n  except OSError: pass\n",
               Outcome::process_limit},
    LimitProbe{"disk", "f = open('/work/full', 'wb')\nwhile True: f.write(b'x' * 1000000)\n", Outcome::disk_limit},
    LimitProbe{"output", "while True: print('x' * 100000)\n", Outcome::output_limit},
};

Proof limits_kill(Runner& runner) {
  std::string killed;
  for (const LimitProbe& limit : kLimitProbes) {
    RunRequest request = probe(limit.code);
    request.limits.wall_ms = limit.expected == Outcome::timeout ? 300 : 60'000;
    request.limits.cpu_ms = limit.expected == Outcome::cpu_limit ? 300 : 60'000;
    request.limits.memory_bytes = 96U << 20U;
    request.limits.disk_bytes = 8U << 20U;
    request.limits.processes = 16;
    const RunResult result = runner.run(request);
    if (result.outcome != limit.expected) {
      return {"H5", "limits really kill", false,
              std::string(limit.name) + " limit: expected " + std::string(contract::to_string(limit.expected)) +
                  ", got " + seen(result)};
    }
    killed += (killed.empty() ? "" : ", ") + std::string(limit.name);
  }
  return {"H5", "limits really kill", true,
          "a program that ignores each was stopped with the right verdict: " + killed};
}

Proof artifact_caps(Runner& runner) {
  RunRequest many = probe("for n in range(20): open(f'f{n}.txt', 'w').write('x')\n");
  many.artifacts = {"*.txt"};
  const RunResult too_many = runner.run(many);
  RunRequest big =
      probe("import os\nopen('big.bin', 'wb').write(b'x' * 9000000)\nos.symlink('/etc/passwd', 'link.bin')\n");
  big.artifacts = {"*.bin"};
  const RunResult too_big = runner.run(big);
  const auto capped = [](const RunResult& result) {
    return result.outcome == Outcome::output_limit && result.error &&
           result.error->code == base::ErrorCode::artifact_limit;
  };
  const bool holds = capped(too_many) && too_many.artifacts.size() == 16 && capped(too_big) &&
                     too_big.artifacts.empty() && was_denied(too_big, "artifact link.bin");
  return {"H6", "artifact caps and redaction", holds,
          holds ? "a 17th file, a 9 MB file and a symbolic link did not come back; `run` stores nothing that would "
                  "need redaction"
                : seen(too_many) + "; " + seen(too_big)};
}

Proof installs_blocked(Runner& runner) {
  const RunResult result = runner.run(probe(R"(
import os, subprocess, sys, sysconfig
pip = subprocess.run([sys.executable, "-m", "pip", "install", "--no-input", "--retries", "0", "--timeout", "1",
                      "--break-system-packages", "glovebox-no-such-package"], capture_output=True, text=True)
places = [path for path in sys.path + [sysconfig.get_paths()["purelib"]] if path.startswith("/usr") and os.path.isdir(path)]
written = []
for place in places:
    try:
        open(os.path.join(place, "glovebox_probe.py"), "w").close()
        written.append(place)
    except OSError:
        pass
print("blocked" if pip.returncode != 0 and not written else (pip.returncode, written))
)"));
  const bool holds = says(result, "blocked");
  return {"H7", "installs blocked or pinned", holds,
          holds ? "pip install fails, and no directory of installed packages can be written"
                : seen(result) + " " + result.standard_output};
}

}  // namespace

std::vector<Proof> prove_hardening(Runner& runner) {
  return {no_network(runner),  no_environment(runner), no_host_files(runner),   not_root(runner),
          limits_kill(runner), artifact_caps(runner),  installs_blocked(runner)};
}

}  // namespace glovebox::runner
