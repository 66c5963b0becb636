// Reads shell scripts: which commands they run.
//
// A command's words are constants, as far as quotes, escapes and variables that the script itself sets go. Commands
// that run other commands (env, xargs, find -exec, sudo, …) are seen through, and texts that a shell runs (bash -c,
// eval, trap, here-documents for a shell) are read in turn.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/reading/fact_list.h"
#include "policy/reading/reader_source.h"
#include "policy/reading/shell_wrappers.h"
#include "policy/reading/syntax_tree.h"

namespace glovebox::policy {

// What a wrapper such as xargs adds to the command that it runs.
struct ShellFeed {
  bool words = false;       // more of them
  std::string replacement;  // what it puts in for a text
};

class ShellReader {
 public:
  static constexpr std::size_t kMaxTexts = 8;  // that a word may stand for
  static constexpr std::size_t kMaxCommandBytes = std::size_t{1} << 21U;
  using Clock = std::chrono::steady_clock;

  ShellReader(FactList& facts, Clock::time_point deadline) : facts_(facts), deadline_(deadline) {}

  void read(const Source& source);
  [[nodiscard]] bool out_of_time() const { return out_of_time_; }
  [[nodiscard]] std::vector<InnerProgram> take_inner() { return std::exchange(inner_, {}); }

 private:
  // What a word may be, once the shell has worked on it.
  struct Texts {
    std::vector<std::string> known;
    bool open = false;  // or something that the script does not tell
  };
  using Words = std::span<const ShellWord>;
  // A command within another one's words that is still to be read.
  struct WithinCommand {
    Words words;
    ShellFeed feed;
  };

  // shell_reader.cpp
  [[nodiscard]] const SyntaxNode& at(NodeId node) const { return (*source_.tree)[node]; }
  [[nodiscard]] std::string_view text_of(NodeId node) const;
  [[nodiscard]] bool look_at_clock(NodeId node);
  [[nodiscard]] bool is_in_time();
  void learn(NodeId node);
  void read_command(NodeId node);
  void run_named(NodeId name, Words rest, NodeId input);
  void read_redirect(NodeId node);
  [[nodiscard]] Texts texts_of(NodeId node) const;
  [[nodiscard]] Texts texts_of_leaf(NodeId node) const;
  void append(Texts& head, const Texts& tail) const;
  [[nodiscard]] Span span_of(NodeId node) const;
  void add_fact(FactKind kind, NodeId node, std::string name, std::string detail = {});
  void add_inner(std::string text, NodeId node, std::string run_by);

  // shell_variables.cpp
  void open_variable(std::string_view name);
  void learn_functions();
  [[nodiscard]] bool is_function(std::string_view name, NodeId call) const;
  void learn_assignment(NodeId node);
  void learn_loop(NodeId node);
  void learn_declaration(NodeId node);
  void learn_set_word(std::string_view word);
  void learn_command(NodeId node);
  void learn_expansion(NodeId node);
  void report_loader(NodeId node, std::string_view assignment);

  // shell_commands.cpp
  void run(Words command, NodeId input);
  void run_wrapped(Words command, NodeId input, ShellFeed feed);
  [[nodiscard]] std::string report_call(const ShellWord& word);
  [[nodiscard]] bool run_builtin(const std::string& name, Words words);
  [[nodiscard]] Words unwrap(const std::string& name, Words words, ShellFeed& feed);
  void run_found(Words words);
  void run_shell(std::string_view name, Words words, NodeId input, const ShellFeed& feed);
  void run_file(const ShellWord& file);
  void run_as_user(std::string_view name, Words words);
  void run_joined(std::string_view name, Words words);
  void run_callback(std::string_view name, Words words);
  void read_awk(std::string_view name, Words words);
  void report_computed(NodeId node, std::string_view name, std::string why);
  static bool is_usual_path(std::string_view assigned);
  void read_input(std::string_view name, NodeId node, NodeId input);
  [[nodiscard]] bool is_plain_body(NodeId body) const;
  void run_text(std::string_view name, Words words, std::size_t from);
  void run_source(Words words);
  void define_aliases(Words words);

  FactList& facts_;
  Clock::time_point deadline_;
  bool out_of_time_ = false;
  Source source_;
  std::map<std::string, Texts, std::less<>> variables_;
  std::map<std::string, std::uint32_t, std::less<>> functions_;  // by name: where the definition ends
  bool all_open_ = false;            // any variable may hold something that the script does not tell
  bool splits_otherwise_ = false;    // IFS is set
  std::map<NodeId, NodeId> inputs_;  // of a command: its here-document
  std::vector<WithinCommand> within_;
  std::vector<InnerProgram> inner_;
};

}  // namespace glovebox::policy
