// The programs that are measured: the same source text for every peer, and the exact answer that a run must give.
//
// A run with another answer is a failed run, whatever its speed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace glovebox::bench {

enum class Delivery {
  inline_code,  // python3 -c CODE, node -e CODE, bash -c CODE
  file,         // python3 main.py
};

using NamedBytes = std::map<std::string, std::string>;

struct Workload {
  std::string id;
  std::string title;
  std::string language;  // as in a request: python, javascript, bash
  std::string code;
  Delivery delivery = Delivery::file;
  std::string package;  // what it imports beyond the standard library; empty: nothing
  NamedBytes files;     // in the work directory before it starts
  std::string expected_output;
  NamedBytes expected_artifacts;  // read back from the work directory, all of them *.txt
  int rounds = 0;                 // of the sequential mode
  int quick_rounds = 0;
};

[[nodiscard]] const std::vector<Workload>& all_workloads();
// nullptr: there is none of that name.
[[nodiscard]] const Workload* find_workload(std::string_view id);

// "main.py", "main.js", "main.sh"
[[nodiscard]] std::string program_name(const Workload& workload);
// The words that a shell on this host would need, with the program in the current directory.
[[nodiscard]] std::vector<std::string> interpreter_words(const Workload& workload);

// What is wrong with an answer; empty: nothing.
[[nodiscard]] std::string wrong_answer(const Workload& workload, std::string_view output, const NamedBytes& artifacts);

}  // namespace glovebox::bench
