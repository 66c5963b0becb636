#include <algorithm>
#include <array>

#include "policy/reading/shell_reader.h"

namespace glovebox::policy {
namespace {

// A command that runs the command in its arguments.
struct Wrapper {
  std::string_view name;
  std::string_view valued;   // options that take the next word, each between blanks
  std::size_t operands = 0;  // of its own, before the command
};

constexpr auto kWrappers = std::to_array<Wrapper>({
    {"builtin", "", 0},
    {"busybox", "", 0},
    {"chroot", "", 1},
    {"chrt", "", 1},
    {"command", "", 0},
    {"doas", " -u -C ", 0},
    {"env", " -u --unset -C --chdir ", 0},
    {"exec", " -a ", 0},
    {"flock", " -w --timeout -E ", 1},
    {"ionice", " -c -n -p ", 0},
    {"nice", " -n --adjustment ", 0},
    {"nohup", "", 0},
    {"parallel", " -j --jobs ", 0},
    {"setsid", "", 0},
    {"stdbuf", " -i -o -e --input --output --error ", 0},
    {"strace", " -e -o -p -s -u ", 0},
    {"sudo", " -u -g -h -p -C -r -t -U --user --group --host --prompt ", 0},
    {"taskset", "", 1},
    {"time", " -f -o --format --output ", 0},
    {"timeout", " -k -s --kill-after --signal ", 1},
    {"unshare", "", 0},
    {"watch", " -n --interval ", 0},
    {"xargs", " -a -d -E -I -i -L -l -n -P -s --arg-file --delimiter --max-args --max-procs --replace ", 0},
});

constexpr std::array<std::string_view, 8> kShells = {"ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "zsh"};
constexpr std::array<std::string_view, 6> kProgramFolders = {"/bin/",      "/sbin/",          "/usr/bin/",
                                                             "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/"};

// rm for /bin/rm; a program anywhere else keeps its path.
std::string_view plain_name(std::string_view command) {
  for (const std::string_view folder : kProgramFolders) {
    if (command.starts_with(folder) && command.find('/', folder.size()) == std::string_view::npos) {
      return command.substr(folder.size());
    }
  }
  return command;
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char each) {
           return each == '_' || (each >= '0' && each <= '9') || (each >= 'A' && each <= 'Z') ||
                  (each >= 'a' && each <= 'z');
         });
}

bool takes_value(const Wrapper& wrapper, std::string_view option) {
  return wrapper.valued.find(" " + std::string(option) + " ") != std::string_view::npos;
}

}  // namespace

// Says what runs, and goes on with the command within it for as long as there is one.
void ShellReader::run(const Words& command, NodeId input) {
  Words words = command;
  while (!words.empty()) {
    if (!words.front().text) {
      add_fact(FactKind::dynamic, words.front().node, std::string(text_of(words.front().node)),
               "the command is computed");
      return;
    }
    const std::string name(plain_name(*words.front().text));
    // A wrapper runs the program of that name, not the function.
    if (name.empty() || (words.size() == command.size() && functions_.contains(name))) {
      return;
    }
    add_fact(FactKind::call, words.front().node, name);
    if (std::find(kShells.begin(), kShells.end(), name) != kShells.end()) {
      run_shell(name, words, input);
      return;
    }
    if (name == "eval" || name == "trap") {
      run_text(name, words, 1);
      return;
    }
    if (name == "source" || name == ".") {
      run_source(words);
      return;
    }
    if (name == "alias") {
      define_aliases(words);
      return;
    }
    if (name == "find") {
      run_found(words);
      return;
    }
    const std::size_t next = after_wrapper(name, words, 1);
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(next));
  }
}

// Where the command in a wrapper's arguments begins; behind the last word: nowhere.
std::size_t ShellReader::after_wrapper(std::string_view name, const Words& words, std::size_t at) {
  const auto* const wrapper =
      std::find_if(kWrappers.begin(), kWrappers.end(), [&](const Wrapper& each) { return each.name == name; });
  if (wrapper == kWrappers.end()) {
    return words.size();
  }
  std::size_t operands = wrapper->operands;
  while (at < words.size()) {
    const auto& word = words[at].text;
    if (word && word->starts_with('-') && word->size() > 1) {
      if (name == "command" && (*word == "-v" || *word == "-V")) {
        return words.size();  // only asks where it is
      }
      if (name == "env" && (*word == "-S" || word->starts_with("--split-string"))) {
        run_text(name, words, at + 1);
        return words.size();
      }
      at += takes_value(*wrapper, *word) ? 2 : 1;
    } else if (word && is_assignment(*word) && (name == "env" || name == "sudo" || name == "doas")) {
      ++at;
    } else if (operands > 0) {
      --operands;
      ++at;
    } else {
      break;
    }
  }
  return std::min(at, words.size());
}

void ShellReader::run_found(const Words& words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string_view word = words[at].text ? std::string_view(*words[at].text) : std::string_view();
    if (word == "-exec" || word == "-execdir" || word == "-ok" || word == "-okdir") {
      const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at + 1);
      const auto end =
          std::find_if(begin, words.end(), [](const ShellWord& each) { return each.text == ";" || each.text == "+"; });
      run(Words(begin, end), kNoNode);
      at = static_cast<std::size_t>(end - words.begin());
    }
  }
}

void ShellReader::run_shell(std::string_view name, const Words& words, NodeId input) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const auto& word = words[at].text;
    if (word && word->size() > 1 && word->starts_with('-') && !word->starts_with("--") &&
        word->find('c') != std::string::npos) {
      if (at + 1 < words.size() && words[at + 1].text) {
        add_inner(*words[at + 1].text, words[at + 1].node, std::string(name));
      } else {
        add_fact(FactKind::dynamic, words[0].node, std::string(name), "the program is computed");
      }
      return;
    }
    if (!word || !word->starts_with('-')) {
      return;  // a file
    }
    if (*word == "-" || (!word->starts_with("--") && word->find('s') != std::string::npos)) {
      break;
    }
    at += *word == "-o" || *word == "-O" || *word == "--rcfile" || *word == "--init-file" ? 1 : 0;
  }
  read_input(name, words[0].node, input);
}

// A shell without a file reads its program from its input.
void ShellReader::read_input(std::string_view name, NodeId node, NodeId input) {
  for (NodeId each = input == kNoNode ? kNoNode : at(input).first_child; each != kNoNode; each = at(each).next) {
    if (at(each).kind == Kind::heredoc_body) {
      add_inner(std::string(text_of(each)), node, std::string(name));
      if (at(each).first_child != kNoNode && !is_plain_body(each)) {
        add_fact(FactKind::dynamic, node, std::string(name), "its program is put together");
      }
      return;
    }
    if (at(input).kind == Kind::herestring_redirect) {
      const Texts texts = texts_of(each);
      for (const std::string& text : texts.known) {
        add_inner(text, node, std::string(name));
      }
      if (!texts.open) {
        return;
      }
    }
  }
  add_fact(FactKind::dynamic, node, std::string(name), "it reads its program from its input");
}

bool ShellReader::is_plain_body(NodeId body) const {
  for (NodeId each = at(body).first_child; each != kNoNode; each = at(each).next) {
    if (at(each).kind != Kind::heredoc_content) {
      return false;
    }
  }
  return true;
}

// The rest of the words is a program: eval's all together, trap's the first.
void ShellReader::run_text(std::string_view name, const Words& words, std::size_t from) {
  std::string text;
  const std::size_t end = name == "trap" ? std::min(from + 1, words.size()) : words.size();
  for (std::size_t at = from; at < end; ++at) {
    if (!words[at].text) {
      add_fact(FactKind::dynamic, words[0].node, std::string(name), "the program is computed");
      return;
    }
    text += (text.empty() ? "" : " ") + *words[at].text;
  }
  if (!text.empty() && text != "-") {
    add_inner(std::move(text), words[0].node, std::string(name));
  }
}

void ShellReader::run_source(const Words& words) {
  if (words.size() > 1 && words[1].text) {
    add_fact(FactKind::import, words[1].node, *words[1].text);
  } else {
    add_fact(FactKind::dynamic, words[0].node, *words[0].text, "the name of the file is computed");
  }
}

void ShellReader::define_aliases(const Words& words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const auto& word = words[at].text;
    const std::size_t equals = word ? word->find('=') : std::string::npos;
    if (!word) {
      add_fact(FactKind::dynamic, words[at].node, "alias", "the command is computed");
    } else if (equals != std::string::npos) {
      add_inner(word->substr(equals + 1), words[at].node, "alias");
    }
  }
}

}  // namespace glovebox::policy
