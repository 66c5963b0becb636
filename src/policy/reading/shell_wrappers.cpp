#include "policy/reading/shell_wrappers.h"

#include <algorithm>
#include <array>

namespace glovebox::policy {
namespace {

constexpr auto kWrappers = std::to_array<Wrapper>({
    {"builtin", "", "", "", "", "", 0},
    {"busybox", "", "", "", "", "", 0},
    {"chroot", "", "", "", " --skip-chdir ", " --groups --userspec ", 1},
    {"chrt", "abdfimorRv", "DPT", "", " --batch --fifo --idle --other --rr --all-tasks ", "", 1},
    {"command", "p", "", "", "", "", 0},
    {"coproc", "", "", "", "", "", 0},
    {"doas", "Lns", "aCu", "", "", "", 0},
    {"env", "0iv", "Cu", "", " --debug --ignore-environment --null ", " --chdir --unset ", 0},
    {"exec", "cl", "a", "", "", "", 0},
    {"flock", "Fenosuvx", "Ew", "", " --close --exclusive --nb --no-fork --nonblock --shared --unlock --verbose ",
     " --conflict-exit-code --timeout --wait ", 1},
    {"ionice", "t", "cnp", "", " --ignore ", " --class --classdata ", 0},
    {"nice", "", "n", "", "", " --adjustment ", 0},
    {"nohup", "", "", "", "", "", 0},
    {"nsenter", "FZae", "GSWt", "CTUimnprwu", " --all --no-fork --preserve-credentials ", " --target ", 0},
    {"setpriv", "d", "", "", " --clear-groups --init-groups --keep-groups --nnp --no-new-privs --reset-env ",
     " --ambient-caps --apparmor-profile --bounding-set --egid --euid --groups --inh-caps --pdeathsig --regid --reuid "
     "--rgid --ruid --securebits --selinux-label ",
     0},
    {"setsid", "cfw", "", "", " --ctty --fork --wait ", "", 0},
    {"stdbuf", "", "eio", "", "", " --error --input --output ", 0},
    {"strace", "CDFTVXZcdfhiknqrtvwxyz", "EIOPSUabeopsu", "", "", "", 0},
    {"sudo", "ABEHKNPSbeiklnsv", "CDRTUacghprtu", "",
     " --background --login --non-interactive --preserve-env --set-home --shell --stdin ",
     " --chdir --chroot --close-from --group --host --prompt --user ", 0},
    {"taskset", "ac", "p", "", " --all-tasks --cpu-list ", "", 1},
    {"time", "apqv", "fo", "", " --append --portability --quiet --verbose ", " --format --output ", 0},
    {"timeout", "v", "ks", "", " --foreground --preserve-status --verbose ", " --kill-after --signal ", 1},
    {"unshare", "UTcfr", "GRSlw", "Cimnpu",
     " --cgroup --fork --ipc --keep-caps --map-current-user --map-root-user --mount --net --pid --user --uts ",
     " --root --setgid --setuid --wd ", 0},
    {"xargs", "0oprtx", "EILPadns", "eil", " --exit --interactive --no-run-if-empty --null --open-tty --verbose ",
     " --arg-file --delimiter --max-args --max-chars --max-procs --process-slot-var ", 0},
});

constexpr auto kOpaqueRunners = std::to_array<std::string_view>({"at",
                                                                 "batch",
                                                                 "bwrap",
                                                                 "capsh",
                                                                 "catchsegv",
                                                                 "cgexec",
                                                                 "choom",
                                                                 "chpst",
                                                                 "crontab",
                                                                 "daemonize",
                                                                 "dbus-run-session",
                                                                 "eatmydata",
                                                                 "entr",
                                                                 "expect",
                                                                 "fakechroot",
                                                                 "fakeroot",
                                                                 "firejail",
                                                                 "gdb",
                                                                 "i386",
                                                                 "linux32",
                                                                 "linux64",
                                                                 "ltrace",
                                                                 "newgrp",
                                                                 "numactl",
                                                                 "perf",
                                                                 "pkexec",
                                                                 "prlimit",
                                                                 "proot",
                                                                 "rlwrap",
                                                                 "run-parts",
                                                                 "screen",
                                                                 "setarch",
                                                                 "sg",
                                                                 "start-stop-daemon",
                                                                 "systemd-run",
                                                                 "tmux",
                                                                 "uclampset",
                                                                 "unbuffer",
                                                                 "valgrind",
                                                                 "xterm",
                                                                 "xvfb-run"});

bool lists(std::string_view options, std::string_view option) {
  return options.find(" " + std::string(option) + " ") != std::string_view::npos;
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char each) {
           return each == '_' || (each >= '0' && each <= '9') || (each >= 'A' && each <= 'Z') ||
                  (each >= 'a' && each <= 'z');
         });
}

class WrapperOptions {
 public:
  WrapperOptions(const Wrapper& wrapper, std::span<const ShellWord> words) : wrapper_(wrapper), words_(words) {}

  WrapperUse read() {
    std::size_t operands = wrapper_.operands;
    bool options_end = false;
    while (at_ < words_.size() && !use_.text) {
      const auto& word = words_[at_].text;
      if (!word) {
        break;  // whatever it is: the command, or the word before it
      }
      if (!options_end && *word == "--") {
        options_end = true;
        ++at_;
      } else if (!options_end && word->starts_with("--")) {
        read_long(*word);
      } else if (!options_end && word->starts_with('-') && (word->size() > 1 || wrapper_.name == "env")) {
        read_short(*word);
      } else if (takes_assignments() && is_assignment(*word)) {
        use_.assignments.push_back(at_);
        ++at_;
      } else if (operands > 0) {
        --operands;
        ++at_;
      } else {
        break;
      }
    }
    use_.command = std::min(at_, words_.size());
    return std::move(use_);
  }

 private:
  [[nodiscard]] bool takes_assignments() const {
    return wrapper_.name == "env" || wrapper_.name == "sudo" || wrapper_.name == "doas";
  }

  void read_long(const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    const bool has_value = name.size() < word.size();
    ++at_;
    if (wrapper_.name == "env" && name == "--split-string") {
      take_text(has_value ? word.substr(name.size() + 1) : "");
    } else if (wrapper_.name == "flock" && name == "--command") {
      take_text(has_value ? word.substr(name.size() + 1) : "");
    } else if (wrapper_.name == "xargs" && name == "--replace") {
      use_.replacement = has_value ? word.substr(name.size() + 1) : "{}";
    } else if (!has_value && lists(wrapper_.valued_words, name)) {
      ++at_;
    } else if (!has_value && !lists(wrapper_.words, name) && name != "--help" && name != "--version") {
      use_.unclear = true;
    }
  }

  void read_short(const std::string& word) {
    ++at_;
    for (std::size_t index = 1; index < word.size(); ++index) {
      const char letter = word[index];
      const std::string rest = word.substr(index + 1);
      if ((wrapper_.name == "env" && letter == 'S') || (wrapper_.name == "flock" && letter == 'c')) {
        return take_text(rest);
      }
      if (wrapper_.name == "xargs" && (letter == 'I' || letter == 'i')) {
        use_.replacement = !rest.empty() ? rest : letter == 'i' ? "{}" : next_word();
      }
      if (wrapper_.valued.find(letter) != std::string_view::npos) {
        at_ += rest.empty() ? 1 : 0;
        return;
      }
      if (wrapper_.attached.find(letter) != std::string_view::npos) {
        return;
      }
      // nice -5
      const bool is_number = wrapper_.name == "nice" && letter >= '0' && letter <= '9';
      if (!is_number && wrapper_.flags.find(letter) == std::string_view::npos) {
        use_.unclear = true;
        return;
      }
    }
  }

  [[nodiscard]] std::string next_word() const {
    return at_ < words_.size() ? words_[at_].text.value_or("") : std::string();
  }

  void take_text(std::string attached) {
    use_.text = at_;
    use_.text_attached = std::move(attached);
  }

  const Wrapper& wrapper_;
  const std::span<const ShellWord> words_;
  std::size_t at_ = 1;
  WrapperUse use_;
};

}  // namespace

const Wrapper* find_wrapper(std::string_view name) {
  const auto* const found =
      std::find_if(kWrappers.begin(), kWrappers.end(), [&](const Wrapper& each) { return each.name == name; });
  return found == kWrappers.end() ? nullptr : found;
}

bool is_opaque_runner(std::string_view name) {
  return std::find(kOpaqueRunners.begin(), kOpaqueRunners.end(), name) != kOpaqueRunners.end();
}

WrapperUse read_wrapper(const Wrapper& wrapper, std::span<const ShellWord> words) {
  return WrapperOptions(wrapper, words).read();
}

}  // namespace glovebox::policy
