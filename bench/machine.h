// The machine under the benchmark, and its CPU clock.
//
// CPU time per run is taken from the whole machine: busy time of all cores over a batch, divided by the runs. That
// counts everything that a run costs anywhere, also what no process of the peer is charged for: kernel workers, the
// launcher, the zygote, cells made ahead. What others do on the machine meanwhile is counted too, alike for all peers;
// the report says how busy the machine was before.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace glovebox::bench {

struct MachineFacts {
  unsigned cores = 0;
  std::string cpu;
  std::string kernel;
  std::uint64_t memory_bytes = 0;
  bool root = false;
};

[[nodiscard]] MachineFacts machine_facts();

// Milliseconds that all cores together were not idle since the start of the machine, in steps of 10 ms; waiting for
// disks and time taken by a hypervisor are not busy time.
[[nodiscard]] double busy_cpu_ms();
// The same from the text of /proc/stat.
[[nodiscard]] double busy_cpu_ms(std::string_view proc_stat, double ticks_per_second);

// How busy the cores are while we do nothing.
[[nodiscard]] double background_busy_percent(std::chrono::milliseconds watch);

}  // namespace glovebox::bench
