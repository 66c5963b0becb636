#include <algorithm>
#include <array>

#include "policy/reading/shell_reader.h"
#include "policy/reading/shell_wrappers.h"

namespace glovebox::policy {
namespace {

constexpr std::array<std::string_view, 8> kShells = {"ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "zsh"};
constexpr std::array<std::string_view, 6> kProgramFolders = {"/bin/",      "/sbin/",          "/usr/bin/",
                                                             "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/"};

// /usr/bin/../bin//curl → /usr/bin/curl. Links are not followed: what such a path leads to, only the disk knows.
std::string without_detours(std::string_view path) {
  std::vector<std::string_view> parts;
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (part == ".." && !parts.empty()) {
      parts.pop_back();
    } else if (!part.empty() && part != "." && part != "..") {
      parts.push_back(part);
    }
  }
  std::string result;
  for (const std::string_view part : parts) {
    result.append("/").append(part);
  }
  return result;
}

bool is_program_folder(std::string_view folder) {
  return std::find(kProgramFolders.begin(), kProgramFolders.end(), folder) != kProgramFolders.end();
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// rm for /bin/rm; a program anywhere else keeps its path.
std::string plain_name(const std::string& command) {
  if (!command.starts_with('/')) {
    return command;
  }
  std::string path = without_detours(command);
  const std::string_view name = file_name(path);
  return is_program_folder(std::string_view(path).substr(0, path.size() - name.size())) ? std::string(name) : path;
}

std::optional<std::string> text_at(std::span<const ShellWord> words, std::size_t index) {
  return index < words.size() ? words[index].text : std::nullopt;
}

}  // namespace

void ShellReader::report_computed(NodeId node, std::string_view name, std::string why) {
  add_fact(FactKind::dynamic, node, std::string(name), std::move(why));
}

// The folders of programs, and what was there before.
bool ShellReader::is_usual_path(std::string_view assigned) {
  std::string_view rest = assigned.substr(assigned.starts_with('=') ? 1 : 0);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string_view folder = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    folder.remove_prefix(folder.starts_with('"') || folder.starts_with('\'') ? 1 : 0);
    folder.remove_suffix(folder.ends_with('"') || folder.ends_with('\'') ? 1 : 0);
    if (folder != "$PATH" && folder != "${PATH}" && !is_program_folder(std::string(folder) + "/")) {
      return false;
    }
  }
  return true;
}

// The name under which the command is known. A path that goes up leads to whatever has that name.
std::string ShellReader::report_call(const ShellWord& word) {
  std::string name = plain_name(*word.text);
  add_fact(FactKind::call, word.node, name);
  const bool goes_up =
      !name.starts_with('/') && name.find('/') != std::string::npos && ("/" + name).find("/../") != std::string::npos;
  if (goes_up) {
    name = file_name(name);
    add_fact(FactKind::call, word.node, name);
  }
  if (name.starts_with("/proc/") || file_name(name).starts_with("ld-linux") || file_name(name).starts_with("ld.so")) {
    report_computed(word.node, name, "which program this is, is not told");
  }
  return name;
}

// The command, and then the commands that were found within it: find may run a find that runs a find.
void ShellReader::run(Words command, NodeId input) {
  within_.clear();
  run_wrapped(command, input, {});
  while (!within_.empty() && is_in_time()) {
    const WithinCommand next = std::move(within_.back());
    within_.pop_back();
    run_wrapped(next.words, kNoNode, next.feed);
  }
}

// Says what runs, and goes on with the command that it wraps for as long as there is one.
void ShellReader::run_wrapped(Words command, NodeId input, ShellFeed feed) {
  Words words = command;
  while (!words.empty()) {
    const ShellWord& first = words.front();
    const bool replaced =
        first.text && !feed.replacement.empty() && first.text->find(feed.replacement) != std::string::npos;
    if (!first.text || replaced) {
      return report_computed(first.node, text_of(first.node), "the command is computed");
    }
    // A wrapper runs the program of that name, not the function.
    const bool is_wrapped = words.size() < command.size() || feed.words;
    if (first.text->empty() || (!is_wrapped && is_function(*first.text, first.node))) {
      return;
    }
    const std::string name = report_call(first);
    if (std::find(kShells.begin(), kShells.end(), name) != kShells.end()) {
      return run_shell(name, words, input, feed);
    }
    if (run_builtin(name, words)) {
      return;
    }
    words = unwrap(name, words, feed);
    if (!words.empty() && !is_in_time()) {
      return;
    }
  }
}

// Commands with a way of their own to run others; whether this is one.
bool ShellReader::run_builtin(const std::string& name, Words words) {
  const auto has_option = [&](char letter) {
    return std::any_of(words.begin() + 1, words.end(), [&](const ShellWord& word) {
      return !word.text || (word.text->starts_with('-') && !word.text->starts_with("--") &&
                            word.text->find(letter) != std::string::npos);
    });
  };
  if (name == "eval" || name == "trap") {
    run_text(name, words, 1);
  } else if (name == "source" || name == ".") {
    run_source(words);
  } else if (name == "alias") {
    define_aliases(words);
  } else if (name == "find") {
    run_found(words);
  } else if (name == "su" || name == "runuser" || name == "script") {
    run_as_user(name, words);
  } else if (name == "watch" || name == "parallel" || name == "ssh") {
    run_joined(name, words);
  } else if (name == "mapfile" || name == "readarray") {
    run_callback(name, words);
  } else if (name == "awk" || name == "gawk" || name == "mawk" || name == "nawk") {
    read_awk(name, words);
  } else if ((name == "hash" && has_option('p')) || (name == "enable" && has_option('f')) ||
             (name == "bind" && has_option('x')) || (name == "jobs" && has_option('x')) ||
             ((name == "complete" || name == "compgen") && (has_option('C') || has_option('F') || has_option('W')))) {
    report_computed(words.front().node, name, "it makes names stand for other programs, or runs them");
  } else if (is_opaque_runner(name) && words.size() > 1) {
    report_computed(words.front().node, name, "which command it runs, is not read out of its arguments");
  } else {
    return false;
  }
  return true;
}

// What a wrapper runs; nothing: it runs nothing, or that was said.
ShellReader::Words ShellReader::unwrap(const std::string& name, Words words, ShellFeed& feed) {
  const Wrapper* const wrapper = find_wrapper(name);
  if (wrapper == nullptr) {
    return {};
  }
  if (name == "command" && (text_at(words, 1) == "-v" || text_at(words, 1) == "-V")) {
    return {};  // only asks where it is
  }
  const WrapperUse use = read_wrapper(*wrapper, words);
  for (const std::size_t each : use.assignments) {
    report_loader(words[each].node, *words[each].text);
  }
  if (use.unclear) {
    report_computed(words.front().node, name, "an option that is not known may take the next word");
  }
  if (use.text) {
    const Words behind = words.subspan(std::min(*use.text, words.size()));
    std::vector<ShellWord> rest(behind.begin(), behind.end());
    if (!use.text_attached.empty()) {
      rest.insert(rest.begin(), {use.text_attached, words.front().node});
    }
    rest.insert(rest.begin(), words.front());
    run_text(name, rest, 1);
    return {};
  }
  if (name == "xargs") {
    feed.words = true;
    feed.replacement = use.replacement;
  }
  if (use.command >= words.size() && feed.words && name != "xargs") {
    report_computed(words.front().node, name, "its input decides what runs");
  }
  return words.subspan(use.command);
}

void ShellReader::run_found(Words words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string_view word = words[at].text ? std::string_view(*words[at].text) : std::string_view();
    if (word == "-exec" || word == "-execdir" || word == "-ok" || word == "-okdir") {
      const Words behind = words.subspan(at + 1);
      const auto end = std::find_if(behind.begin(), behind.end(),
                                    [](const ShellWord& each) { return each.text == ";" || each.text == "+"; });
      const auto length = static_cast<std::size_t>(end - behind.begin());
      within_.push_back({behind.first(length), {true, "{}"}});
      at += 1 + length;
    }
  }
}

// bash -euo pipefail -c 'program' · bash file · bash: the first word that is no option is the program, or a file.
void ShellReader::run_shell(std::string_view name, Words words, NodeId input, const ShellFeed& feed) {
  bool is_text = false;
  bool from_input = false;
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const auto& word = words[at].text;
    if (!word) {
      break;
    }
    if (*word == "--" || *word == "-") {
      ++at;
      break;
    }
    if (word->starts_with("--")) {
      at += *word == "--rcfile" || *word == "--init-file" ? 1 : 0;
      if (at < words.size() && (*word == "--rcfile" || *word == "--init-file")) {
        run_file(words[at]);
      }
    } else if (word->starts_with('-') || word->starts_with('+')) {
      is_text = is_text || (word->front() == '-' && word->find('c') != std::string::npos);
      from_input = from_input || word->find('s') != std::string::npos;
      at += word->find_first_of("oO") != std::string::npos ? 1 : 0;
    } else {
      break;
    }
  }
  if (is_text) {
    const bool known = at < words.size() && words[at].text;
    if (known) {
      add_inner(*words[at].text, words[at].node, std::string(name));
    }
    if (!known || (!feed.replacement.empty() && words[at].text->find(feed.replacement) != std::string::npos)) {
      report_computed(words[0].node, name, "the program is computed");
    }
    return;
  }
  if (at < words.size() && !from_input) {
    return run_file(words[at]);
  }
  read_input(name, words[0].node, input);
}

// A file that a shell runs is looked for here first.
void ShellReader::run_file(const ShellWord& file) {
  if (!file.text) {
    return report_computed(file.node, text_of(file.node), "the name of the file is computed");
  }
  const bool is_bare = !file.text->starts_with('/') && !file.text->starts_with("./");
  add_fact(FactKind::import, file.node, (is_bare ? "./" : "") + *file.text);
}

// su -c 'program', script -qc 'program' file
void ShellReader::run_as_user(std::string_view name, Words words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const auto& word = words[at].text;
    if (!word) {
      return report_computed(words[0].node, name, "the program is computed");
    }
    const bool is_long = word->starts_with("--");
    if (word->starts_with("--command=")) {
      return add_inner(word->substr(10), words[at].node, std::string(name));
    }
    const std::size_t letter = word->starts_with('-') && !is_long ? word->find('c') : std::string::npos;
    if (letter == std::string::npos && *word != "--command") {
      continue;
    }
    if (!is_long && letter + 1 < word->size()) {
      return add_inner(word->substr(letter + 1), words[at].node, std::string(name));
    }
    if (at + 1 < words.size() && words[at + 1].text) {
      return add_inner(*words[at + 1].text, words[at + 1].node, std::string(name));
    }
    break;
  }
  report_computed(words[0].node, name, "it runs a shell that reads its program elsewhere");
}

// watch, parallel and ssh give their words to a shell. Which of them are options is not worth knowing: the program is
// what comes first without a dash, and whatever follows.
void ShellReader::run_joined(std::string_view name, Words words) {
  std::size_t at = 1;
  const auto is_number = [](const ShellWord& word) {
    return word.text && !word.text->empty() && word.text->find_first_not_of("0123456789.") == std::string::npos;
  };
  while (at < words.size() && words[at].text &&
         (words[at].text->starts_with('-') || (at > 1 && is_number(words[at])))) {
    ++at;
  }
  if (at > 1 || name == "ssh" || at == words.size()) {
    report_computed(words[0].node, name, "which command it runs, is not read out of its arguments");
  }
  const auto end = std::find_if(words.begin(), words.end(),
                                [](const ShellWord& each) { return each.text && each.text->starts_with(":::"); });
  for (; at < words.size() && words.begin() + static_cast<std::ptrdiff_t>(at) < end; ++at) {
    std::vector<ShellWord> program(words.begin() + static_cast<std::ptrdiff_t>(at), end);
    program.insert(program.begin(), words.front());
    run_text(name, program, 1);
    if (name != "ssh" || at > 1) {
      return;
    }
  }
}

// mapfile -C callback -c 1 lines
void ShellReader::run_callback(std::string_view name, Words words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const auto& word = words[at].text;
    if (!word) {
      return report_computed(words[0].node, name, "the program is computed");
    }
    if (word->starts_with("-C") && word->size() > 2) {
      add_inner(word->substr(2), words[at].node, std::string(name));
    } else if (*word == "-C" && at + 1 < words.size()) {
      const ShellWord program[] = {words[0], words[at + 1]};
      run_text(name, program, 1);
    }
  }
}

// awk is a language of its own, with three ways to run a command.
void ShellReader::read_awk(std::string_view name, Words words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const auto& word = words[at].text;
    if (!word) {
      return report_computed(words[0].node, name, "the program is computed");
    }
    if (word->starts_with("-f") || word->starts_with("--file") || word->starts_with("-E") || word->starts_with("-l")) {
      return report_computed(words[0].node, name, "its program is in a file");
    }
    if (*word == "-F" || *word == "-v") {
      ++at;
    } else if (!word->starts_with('-')) {
      std::string program = *word;
      for (std::size_t either = program.find("||"); either != std::string::npos; either = program.find("||", either)) {
        program.replace(either, 2, "  ");
      }
      if (program.find("system") != std::string::npos || program.find('|') != std::string::npos ||
          program.find('@') != std::string::npos) {
        report_computed(words[0].node, name, "its program may run commands");
      }
      return;
    }
  }
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
void ShellReader::run_text(std::string_view name, Words words, std::size_t from) {
  std::string text;
  if (name == "trap") {
    while (from < words.size() && words[from].text && words[from].text->starts_with('-') &&
           words[from].text->size() > 1) {
      ++from;
    }
  }
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

void ShellReader::run_source(Words words) {
  if (words.size() > 1 && words[1].text) {
    add_fact(FactKind::import, words[1].node, *words[1].text);
  } else {
    add_fact(FactKind::dynamic, words[0].node, *words[0].text, "the name of the file is computed");
  }
}

void ShellReader::define_aliases(Words words) {
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
