// Reads shell scripts: which commands they run.
//
// A command's words are constants, as far as quotes, escapes and variables that the script itself sets go. Commands
// that run other commands (env, xargs, find -exec, sudo, …) are seen through, and texts that a shell runs (bash -c,
// eval, trap, here-documents for a shell) are read in turn.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/reading/fact_list.h"
#include "policy/reading/reader_source.h"
#include "policy/reading/syntax_tree.h"

namespace glovebox::policy {

class ShellReader {
 public:
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
  struct ShellWord {
    std::optional<std::string> text;
    NodeId node = kNoNode;
  };
  using Words = std::vector<ShellWord>;

  // shell_reader.cpp
  [[nodiscard]] const SyntaxNode& at(NodeId node) const { return (*source_.tree)[node]; }
  [[nodiscard]] std::string_view text_of(NodeId node) const;
  [[nodiscard]] bool look_at_clock(NodeId node);
  void learn(NodeId node);
  void read_command(NodeId node);
  void run_named(NodeId name, const Words& rest, NodeId input);
  void read_redirect(NodeId node);
  [[nodiscard]] Texts texts_of(NodeId node) const;
  [[nodiscard]] Texts texts_of_leaf(NodeId node) const;
  void append(Texts& head, const Texts& tail) const;
  [[nodiscard]] Span span_of(NodeId node) const;
  void add_fact(FactKind kind, NodeId node, std::string name, std::string detail = {});
  void add_inner(std::string text, NodeId node, std::string run_by);

  // shell_commands.cpp
  void run(const Words& words, NodeId input);
  [[nodiscard]] std::size_t after_wrapper(std::string_view name, const Words& words, std::size_t at);
  void run_found(const Words& words);
  void run_shell(std::string_view name, const Words& words, NodeId input);
  void read_input(std::string_view name, NodeId node, NodeId input);
  [[nodiscard]] bool is_plain_body(NodeId body) const;
  void run_text(std::string_view name, const Words& words, std::size_t from);
  void run_source(const Words& words);
  void define_aliases(const Words& words);

  FactList& facts_;
  Clock::time_point deadline_;
  bool out_of_time_ = false;
  Source source_;
  std::map<std::string, Texts, std::less<>> variables_;
  std::set<std::string, std::less<>> functions_;
  std::map<NodeId, NodeId> inputs_;  // of a command: its here-document
  std::vector<InnerProgram> inner_;
};

}  // namespace glovebox::policy
