// Redaction stands on the path of every run. The figures are printed; only absurd ones fail, since a build machine may
// be busy and a sanitizer slow.
#include <fmt/format.h>

#include <chrono>

#include "base/build_speed.h"
#include "redaction/test_support.h"

namespace glovebox::redaction {
namespace {

constexpr std::size_t kHostileBytes = (64U << 10U) / (base::kSanitized ? 16 : 1);

constexpr std::string_view kOrdinary =
    "import pandas as pd\nfrom collections import defaultdict\n\ndef summarise(rows, key='region'):\n"
    "    groups = defaultdict(list)\n    for row in rows:\n        groups[row[key]].append(float(row['amount']))\n"
    "    return {name: sum(values) / len(values) for name, values in groups.items()}\n\n"
    "tokens = tokenizer.encode(text, max_tokens=4096)\napi = Client(base_url='https://example.org/v1')\n"
    "2024-05-01 10:22:31,120 INFO worker.py:88 processed 1042 rows in 0.31 s, key=region, cache hit ratio 0.93\n"
    "2024-05-01 10:22:31,544 WARNING retry 2 of 5: connection reset by peer (198.51.100.7:443)\n"
    "Traceback (most recent call last):\n  File \"main.py\", line 14, in <module>\n    print(summarise(rows))\n"
    "KeyError: 'amount'\n   region  amount  share\n0  north   12.50   0.31\n1  south    7.25   0.18\n"
    "2  east    20.00   0.51\ncommit 3f786850e387550fdab836ed7e6dc881de23001b\n";

double microseconds(const Redactor& redactor, std::string_view text, int times) {
  std::size_t bytes = redactor.redact(text).text.size();  // compiles what is needed
  const auto begin = std::chrono::steady_clock::now();
  for (int turn = 0; turn < times; ++turn) {
    bytes += redactor.redact(text).text.size();
  }
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(bytes, 0U);
  return taken.count() / times;
}

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) {
    out += text;
  }
  return out.substr(0, bytes);
}

TEST(RedactorSpeed, AKilobyteOfOrdinaryTextCostsMicroseconds) {
  const double one = microseconds(default_redactor(), repeated(kOrdinary, 1024), 2000);
  fmt::print("1 KiB of code and output: {:.2f} us\n", one);
  EXPECT_LT(one, 500 * base::kSlowness);
}

TEST(RedactorSpeed, AMegabyteCostsAThousandKilobytes) {
  const double kilobyte = microseconds(default_redactor(), repeated(kOrdinary, 1024), 500);
  const double megabyte = microseconds(default_redactor(), repeated(kOrdinary, 1U << 20U), 5);
  fmt::print("1 MiB of code and output: {:.2f} ms\n", megabyte / 1000);
  EXPECT_LT(megabyte, 1024 * 10 * kilobyte);
}

TEST(RedactorSpeed, HostileTextIsLinearToo) {
  double worst = 0;
  std::string worst_text;
  for (const Rule& rule : default_rules().rules) {
    const std::string& word = rule.words.front();
    for (const std::string& unit :
         {word, word + "-", word + "a1B2", word + "=", " " + word + "aaaaaaaa.", word + "=\"aaaaaaa"}) {
      const double taken = microseconds(default_redactor(), repeated(unit, kHostileBytes), 1);
      if (taken > worst) {
        worst = taken;
        worst_text = unit;
      }
    }
  }
  const double longer = microseconds(default_redactor(), repeated(worst_text, 16 * kHostileBytes), 1);
  fmt::print("the slowest of hostile texts, \"{}\" over and over: {} KiB {:.2f} ms, sixteen times as much {:.2f} ms\n",
             worst_text, kHostileBytes >> 10U, worst / 1000, longer / 1000);
  EXPECT_LT(longer, 16 * 10 * worst + 1e6);
  EXPECT_LT(longer, 60e6);
}

}  // namespace
}  // namespace glovebox::redaction
