#include "bench/workload.h"

#include <algorithm>
#include <cstdint>

#include "base/sha256.h"
#include "base/utf8.h"

namespace glovebox::bench {
namespace {

constexpr std::size_t kInputBytes = 10U << 20U;
constexpr int kArtifacts = 20;
constexpr int kArtifactLines = 100;

constexpr const char* kNumpySum = R"(import numpy
print(int(numpy.arange(1_000_000, dtype=numpy.int64).sum()))
)";

constexpr const char* kPandasGroupBy = R"(import pandas
sales = pandas.DataFrame({"shop": ["north", "south", "east", "west"] * 300, "sold": range(1200)})
print(sales.groupby("shop")["sold"].sum().to_json())
)";

constexpr const char* kOutput = R"(import sys
sys.stdout.write(("x" * 63 + "\n") * 16384)
)";

constexpr const char* kWriteArtifacts = R"(for number in range(20):
    with open(f"part-{number:02}.txt", "w") as part:
        part.write(f"line of part {number}\n" * 100)
)";

constexpr const char* kReadInput = R"(import hashlib
with open("input.bin", "rb") as source:
    data = source.read()
print(len(data), hashlib.sha256(data).hexdigest())
)";

std::string repeated(std::string_view text, int times) {
  std::string all;
  all.reserve(text.size() * static_cast<std::size_t>(times));
  for (int time = 0; time < times; ++time) {
    all += text;
  }
  return all;
}

// Bytes without pattern, the same in every run of the benchmark (xorshift).
std::string noise(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::uint64_t state = 0x9E3779B97F4A7C15ULL;
  for (char& byte : text) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    byte = static_cast<char>(state >> 32U);
  }
  return text;
}

struct Rounds {
  int full;
  int quick;
};

Workload make(std::string id, std::string title, std::string language, std::string code, std::string answer,
              Rounds rounds) {
  Workload workload;
  workload.id = std::move(id);
  workload.title = std::move(title);
  workload.language = std::move(language);
  workload.code = std::move(code);
  workload.expected_output = std::move(answer);
  workload.rounds = rounds.full;
  workload.quick_rounds = rounds.quick;
  return workload;
}

Workload inlined(Workload workload) {
  workload.delivery = Delivery::inline_code;
  return workload;
}

Workload importing(Workload workload, std::string package) {
  workload.package = std::move(package);
  return workload;
}

Workload with_artifacts(Workload workload) {
  for (int number = 0; number < kArtifacts; ++number) {
    const std::string name = "part-" + std::string(number < 10 ? "0" : "") + std::to_string(number) + ".txt";
    workload.expected_artifacts[name] = repeated("line of part " + std::to_string(number) + "\n", kArtifactLines);
  }
  return workload;
}

Workload with_input(Workload workload) {
  std::string input = noise(kInputBytes);
  workload.expected_output = std::to_string(input.size()) + " " + base::sha256_hex(input) + "\n";
  workload.files["input.bin"] = std::move(input);
  return workload;
}

// The rounds are chosen so that every workload takes about a minute at most.
std::vector<Workload> make_workloads() {
  const std::string group_sums = R"({"east":180000,"north":179400,"south":179700,"west":180300})";
  const std::string mebibyte = repeated(std::string(63, 'x') + "\n", 16384);
  return {
      inlined(make("pass", "Python that does nothing", "python", "pass", "", {200, 60})),
      inlined(make("print", "Python print", "python", "print(1)", "1\n", {400, 60})),
      importing(make("numpy", "numpy sum", "python", kNumpySum, "499999500000\n", {60, 10}), "numpy"),
      importing(make("pandas", "pandas group-by", "python", kPandasGroupBy, group_sums + "\n", {30, 8}), "pandas"),
      inlined(make("javascript", "JavaScript print", "javascript", "console.log(1)", "1\n", {150, 25})),
      inlined(make("shell", "shell print", "bash", "echo 1", "1\n", {300, 40})),
      make("output", "1 MiB of output", "python", kOutput, mebibyte, {150, 20}),
      with_artifacts(make("artifacts", "20 artifacts", "python", kWriteArtifacts, "", {150, 20})),
      with_input(make("input", "10 MiB input file", "python", kReadInput, "", {80, 12})),
  };
}

}  // namespace

const std::vector<Workload>& all_workloads() {
  static const std::vector<Workload> all = make_workloads();
  return all;
}

const Workload* find_workload(std::string_view id) {
  const auto& all = all_workloads();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Workload& workload) { return workload.id == id; });
  return found == all.end() ? nullptr : &*found;
}

std::string program_name(const Workload& workload) {
  if (workload.language == "javascript") {
    return "main.js";
  }
  return workload.language == "bash" ? "main.sh" : "main.py";
}

std::vector<std::string> interpreter_words(const Workload& workload) {
  const bool is_inline = workload.delivery == Delivery::inline_code;
  const std::string program = is_inline ? workload.code : program_name(workload);
  std::vector<std::string> words;
  if (workload.language == "javascript") {
    words = is_inline ? std::vector<std::string>{"/usr/bin/node", "-e"} : std::vector<std::string>{"/usr/bin/node"};
  } else {
    words = {workload.language == "bash" ? "/usr/bin/bash" : "/usr/bin/python3"};
    if (is_inline) {
      words.emplace_back("-c");
    }
  }
  words.push_back(program);
  return words;
}

std::string wrong_answer(const Workload& workload, std::string_view output, const NamedBytes& artifacts) {
  constexpr std::size_t kShownBytes = 60;
  if (output != workload.expected_output) {
    return "printed " + std::to_string(output.size()) + " bytes that are not the answer: \"" +
           base::printable(output, kShownBytes) + "\"";
  }
  for (const auto& [name, bytes] : workload.expected_artifacts) {
    const auto found = artifacts.find(name);
    if (found == artifacts.end()) {
      return "the artifact " + name + " is missing";
    }
    if (found->second != bytes) {
      return "the artifact " + name + " has the wrong content";
    }
  }
  return artifacts.size() == workload.expected_artifacts.size() ? "" : "there are artifacts that nobody asked for";
}

}  // namespace glovebox::bench
