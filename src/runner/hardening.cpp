#include "runner/hardening.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <iterator>
#include <sstream>

#include "base/cleanup.h"
#include "base/fd.h"
#include "contract/error_catalogue.h"
#include "runner/stored_secret.h"

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

constexpr const char* kCanaryName = "GLOVEBOX_DOCTOR_CANARY";

// What the proofs have in common.
struct Probing {
  Runner& runner;
  const ProbeRun& run;
  const ProofOptions& options;
  const std::string& canary;  // the value of kCanaryName in this process, and in its launcher if that inherited it

  [[nodiscard]] RunResult operator()(const RunRequest& request) const { return run(runner, request); }
};

std::string network_namespace() {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = ::readlink("/proc/self/ns/net", text.data(), text.size());
  return length <= 0 ? "" : std::string(text.data(), static_cast<std::size_t>(length));
}

Proof no_network(const Probing& probing) {
  RunRequest request = probe(R"(
import os, socket, sys
try:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    print("socket made")
except OSError:
    print("refused")
names = [line.split(":")[0].strip() for line in open("/proc/self/net/dev").read().splitlines()[2:]]
print("interfaces", names)
print("network of its own", os.readlink("/proc/self/ns/net") != sys.argv[1])
)");
  request.args = {network_namespace()};
  const RunResult result = probing(request);
  const bool holds = !request.args.front().empty() && says(result, "refused\n") &&
                     says(result, "interfaces ['lo']\n") && says(result, "network of its own True\n") &&
                     was_denied(result, "socket(AF_INET");
  return {"H1", "no network by default", holds,
          holds
              ? "an internet socket was refused and the refusal was seen; the only interface is an unconnected lo in a "
                "network of its own"
              : seen(result) + " " + result.standard_output};
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Names alone: a value that came through may be a secret.
std::string names_of_differences(const std::vector<std::string>& given, const std::vector<std::string>& found) {
  std::vector<std::string> differing;
  std::set_symmetric_difference(given.begin(), given.end(), found.begin(), found.end(), std::back_inserter(differing));
  std::string names;
  for (const std::string& variable : differing) {
    names += (names.empty() ? "" : ", ") + variable.substr(0, variable.find('='));
  }
  return names;
}

// The cell's variables must be the plan's, all of them, with their values; and no process that the program can look at
// has the canary, the cell's first one included.
Proof no_environment(const Probing& probing) {
  RunRequest request = probe(R"(
import glob, os, sys
for name, value in os.environ.items():
    print(f"{name}={value}")
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        if sys.argv[1].encode() in open(path, "rb").read():
            print("the canary is in", path)
    except OSError:
        pass
)");
  request.args = {probing.canary};
  const auto plan = probing.runner.explain(request);
  if (!plan) {
    return {"H2", "no inherited environment", false, base::describe(plan.error())};
  }
  const RunResult result = probing(request);
  std::vector<std::string> given = plan->cell.env;
  std::sort(given.begin(), given.end());
  const std::vector<std::string> found = sorted_lines(result.standard_output);
  const bool holds = result.outcome == Outcome::ok && found == given;
  return {"H2", "no inherited environment", holds,
          holds
              ? "the cell has the " + std::to_string(given.size()) +
                    " variables of its plan and no other; a canary that the launcher was started with is not among them"
              : seen(result) + "; not as planned: " + names_of_differences(given, found)};
}

Proof no_host_files(const Probing& probing) {
  std::string canary = "/tmp/glovebox-doctor-XXXXXX";
  const base::Fd file(::mkstemp(canary.data()));
  const base::Cleanup remove([&] { ::unlink(canary.c_str()); });
  const char* home = ::getenv("HOME");
  RunRequest request = probe(R"(
import os, sys
def is_there(place):
    try:
        os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except PermissionError:
        pass
    return True
places = ["/root", "/home", "/var", "/run", "/sys", "/boot", "/etc/shadow", "/etc/ssh", "/etc/hostname", "/mnt", "/opt", "/srv"]
print("visible", [place for place in places + sys.argv[1:] if place and is_there(place)])
)");
  request.args = {canary, home != nullptr ? std::string(home) + "/.ssh" : "",
                  home != nullptr ? std::string(home) + "/.config" : ""};
  const RunResult result = probing(request);
  const bool holds = file.valid() && says(result, "visible []");
  return {"H3", "no host mounts with secrets", holds,
          holds ? "home directories, /etc/shadow, /var, /run, /sys and a canary file in /tmp do not exist in the cell"
                : seen(result) + " " + result.standard_output};
}

Proof not_root(const Probing& probing) {
  const RunResult result = probing(probe(R"(
import os
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
try:
    os.setuid(0)
    became = True
except OSError:
    became = False
ok = (os.getuid() != 0 and os.geteuid() != 0 and int(status["CapEff"], 16) == 0 and int(status["CapBnd"], 16) == 0
      and status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2" and not became)
print("sealed" if ok else "not sealed:", *(() if ok else (os.getuid(), status["CapEff"], status["CapBnd"])))
)"));
  const bool holds = says(result, "sealed\n");
  return {"H4", "non-root", holds,
          holds ? "user 1000, no capabilities (bounding set too), no_new_privs, seccomp filter, setuid(0) refused"
                : seen(result) + " " + result.standard_output};
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

Proof limits_kill(const Probing& probing) {
  std::string killed;
  for (const LimitProbe& limit : kLimitProbes) {
    RunRequest request = probe(limit.code);
    request.limits.wall_ms = limit.expected == Outcome::timeout ? 300 : 60'000;
    request.limits.cpu_ms = limit.expected == Outcome::cpu_limit ? 300 : 60'000;
    request.limits.memory_bytes = 96U << 20U;
    request.limits.disk_bytes = 8U << 20U;
    request.limits.processes = 16;
    const RunResult result = probing(request);
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

Proof artifact_caps_and_redaction(const Probing& probing) {
  RunRequest many = probe("for n in range(20): open(f'f{n}.txt', 'w').write('x')\n");
  many.artifacts = {"*.txt"};
  const RunResult too_many = probing(many);
  RunRequest big =
      probe("import os\nopen('big.bin', 'wb').write(b'x' * 9000000)\nos.symlink('/etc/passwd', 'link.bin')\n");
  big.artifacts = {"*.bin"};
  const RunResult too_big = probing(big);
  const auto capped = [](const RunResult& result) {
    return result.outcome == Outcome::output_limit && result.error &&
           result.error->code == base::ErrorCode::artifact_limit;
  };
  const bool caps_hold = capped(too_many) && too_many.artifacts.size() == 16 && capped(too_big) &&
                         too_big.artifacts.empty() && was_denied(too_big, "artifact link.bin");
  const StoredSecret secret = try_to_store_a_secret(probing.options, probing.run);
  const bool holds = caps_hold && secret.redacted;
  const std::string caps = caps_hold ? "a 17th file, a 9 MB file and a symbolic link did not come back"
                                     : seen(too_many) + "; " + seen(too_big);
  return {"H6", "artifact caps and redaction", holds, caps + "; " + secret.detail};
}

// The package is a real one, so that only the wall keeps it out; and the attempt to reach it must have been seen,
// unless the cell has no pip at all.
Proof installs_blocked(const Probing& probing) {
  const RunResult result = probing(probe(R"(
import importlib.util, os, subprocess, sys, sysconfig
has_pip = importlib.util.find_spec("pip") is not None
pip = subprocess.run([sys.executable, "-m", "pip", "install", "--no-input", "--retries", "0", "--timeout", "5",
                      "--break-system-packages", "--target", "/work/installed", "iniconfig"],
                     capture_output=True, text=True)
places = [path for path in sys.path + [sysconfig.get_paths()["purelib"]] if path.startswith("/usr") and os.path.isdir(path)]
written = []
for place in places:
    try:
        open(os.path.join(place, "glovebox_probe.py"), "w").close()
        written.append(place)
    except OSError:
        pass
if pip.returncode != 0 and not os.path.exists("/work/installed/iniconfig") and places and not written:
    print("blocked", "with pip" if has_pip else "without pip")
else:
    print("pip ended with", pip.returncode, "places", places, "written", written)
)"));
  const bool tried = says(result, "blocked with pip\n") && was_denied(result, "socket(AF_INET");
  const bool holds = tried || says(result, "blocked without pip\n");
  const char* what = tried ? "pip install was refused a socket and failed" : "the cell has no pip";
  return {"H7", "installs blocked or pinned", holds,
          holds ? std::string(what) + ", and no directory of installed packages can be written"
                : seen(result) + " " + result.standard_output};
}

struct Point {
  const char* id;
  Proof (*prove)(const Probing&);
};

constexpr std::array kPoints = {
    Point{"H1", no_network},       Point{"H2", no_environment}, Point{"H3", no_host_files},
    Point{"H4", not_root},         Point{"H5", limits_kill},    Point{"H6", artifact_caps_and_redaction},
    Point{"H7", installs_blocked},
};

}  // namespace

base::Result<std::vector<Proof>> prove_hardening(ProofOptions options) {
  const ProbeRun run =
      options.run ? options.run : [](Runner& runner, const RunRequest& request) { return runner.run(request); };
  // Before the launcher is started: only then could a launcher pass it on.
  const std::string canary = new_run_id();
  ::setenv(kCanaryName, canary.c_str(), 1);
  const base::Cleanup unset([] { ::unsetenv(kCanaryName); });
  options.runner.engine.launcher_style = engine::LauncherStyle::fork;
  options.runner.ledger.reset();
  const auto runner = TRY(Runner::create(options.runner));

  const Probing probing{*runner, run, options, canary};
  std::vector<Proof> proofs;
  for (const Point& point : kPoints) {
    const auto& wanted = options.points;
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), point.id) != wanted.end()) {
      proofs.push_back(point.prove(probing));
    }
  }
  return proofs;
}

}  // namespace glovebox::runner
