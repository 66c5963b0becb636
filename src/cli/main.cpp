#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "cli/standard_output.h"
#include "cli/suggestion.h"
#include "cli/verbs.h"
#include "cli/version.h"

namespace glovebox::cli {
namespace {

struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*call)(Arguments);
};

constexpr std::array kVerbs = {
    Verb{"run", "run a program in a sealed cell", run_verb},
    Verb{"explain", "show the cell that `run` would build, without running anything", explain_verb},
    Verb{"policy", "say what a policy makes of a program, line by line", policy_verb},
    Verb{"doctor", "check what this host can enforce, and prove it by trying", doctor_verb},
    Verb{"blob", "store large input files, to be mounted read-only into cells", blob_verb},
    Verb{"serve", "serve the HTTP interface: runs, records, replay", serve_verb},
    Verb{"mcp", "serve agents over standard input and output, in the Model Context Protocol", mcp_verb},
    Verb{"runs", "look into the records of runs", runs_verb},
    Verb{"replay", "run a recorded program again and say what is different", replay_verb},
    Verb{"audit", "verify, anchor and read the log of who did what", audit_verb},
    Verb{"keys", "make and revoke the API keys of a service", keys_verb},
    Verb{"tenants", "show tenants and set their quotas", tenants_verb},
    Verb{"approvals", "answer runs that a policy asks a person about", approvals_verb},
    Verb{"admin", "stop a service at once, resume it, or ask for its state", admin_verb},
    Verb{"bench", "measure Glovebox beside other ways of running a program, on this machine", bench_verb},
};

void print_help(FILE* out) {
  std::fputs(
      "glovebox: the place where AI agents run the code they write\n"
      "\n"
      "usage: glovebox VERB [OPTIONS]\n"
      "\n",
      out);
  for (const Verb& verb : kVerbs) {
    std::fprintf(out, "  %-10.*s %.*s\n", static_cast<int>(verb.name.size()), verb.name.data(),
                 static_cast<int>(verb.summary.size()), verb.summary.data());
  }
  std::fputs(
      "\n"
      "examples:\n"
      "  glovebox run -c 'print(1)'\n"
      "  glovebox run script.py --file data.csv --artifacts out/\n"
      "  glovebox run --language javascript -c 'console.log(1)'\n"
      "\n"
      "`glovebox VERB --help` explains a verb.\n",
      out);
}

// A closed 0, 1 or 2 would be given to the next file that we open.
void occupy_standard_descriptors() {
  while (true) {
    const int fd = ::open("/dev/null", O_RDWR);
    if (fd < 0 || fd > 2) {
      if (fd > 2) {
        ::close(fd);
      }
      return;
    }
  }
}

}  // namespace

int main_verb(int argc, char** argv) {
  occupy_standard_descriptors();
  ::signal(SIGPIPE, SIG_IGN);
  if (argc < 2) {
    print_help(stderr);
    return kExitUsage;
  }
  const std::string_view name = argv[1];
  if (name == "help" && argc > 2) {
    std::array<char*, 4> words = {argv[0], argv[2], const_cast<char*>("--help"), nullptr};
    return main_verb(3, words.data());
  }
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(stdout);
    return flush_output(0);
  }
  if (name == "--version" || name == "-V" || name == "version") {
    std::printf("glovebox %s\n", kVersion);
    return flush_output(0);
  }
  for (const Verb& verb : kVerbs) {
    if (verb.name == name) {
      return flush_output(verb.call(Arguments(argv + 2, argv + argc)));
    }
  }
  std::vector<std::string> known;
  for (const Verb& verb : kVerbs) {
    known.emplace_back(verb.name);
  }
  std::fprintf(stderr, "glovebox: there is no verb \"%s\"%s\n  → `glovebox --help` lists them\n",
               base::printable(argv[1], 100).c_str(), did_you_mean(argv[1], known).c_str());
  return kExitUsage;
}

}  // namespace glovebox::cli
