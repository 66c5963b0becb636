#include "bench/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <thread>

#include "os/files.h"

namespace glovebox::bench {
namespace {

std::string value_after(const std::string& text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) {
    return "";
  }
  const std::size_t begin = text.find_first_not_of(" \t:", at + key.size());
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

MachineFacts machine_facts() {
  MachineFacts facts;
  facts.cores = std::max(1U, std::thread::hardware_concurrency());
  facts.cpu = value_after(os::read_file("/proc/cpuinfo").value_or(""), "model name");
  utsname name{};
  if (::uname(&name) == 0) {
    facts.kernel = std::string(name.sysname) + " " + name.release;
  }
  facts.memory_bytes =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  facts.root = ::geteuid() == 0;
  return facts;
}

double busy_cpu_ms(std::string_view proc_stat, double ticks_per_second) {
  // cpu user nice system idle iowait irq softirq steal guest guest_nice; the guests' time is within user and nice
  constexpr std::array kCounted = {true, true, true, false, false, true, true};
  if (!proc_stat.starts_with("cpu ")) {
    return 0;
  }
  std::string_view rest = proc_stat.substr(4, proc_stat.find('\n') - 4);
  double ticks = 0;
  for (const bool counted : kCounted) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (problem != std::errc()) {
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    ticks += counted ? static_cast<double>(value) : 0;
  }
  return ticks * 1000 / ticks_per_second;
}

double busy_cpu_ms() {
  return busy_cpu_ms(os::read_file("/proc/stat").value_or(""), static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

double background_busy_percent(std::chrono::milliseconds watch) {
  const double before = busy_cpu_ms();
  std::this_thread::sleep_for(watch);
  const double busy = busy_cpu_ms() - before;
  return 100 * busy / (static_cast<double>(watch.count()) * machine_facts().cores);
}

}  // namespace glovebox::bench
