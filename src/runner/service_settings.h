// What an operator decides about a service that many share. Plain values; 0 means "no bound" unless it says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "records/account.h"

namespace glovebox::runner {

// One task (B1): all the attempts at one goal. Over budget is an answer of its own, not a wait.
struct TaskBudget {
  std::uint64_t wall_ms = 10'000;
  std::uint64_t artifact_bytes = 5ULL << 20U;
  std::uint64_t output_bytes = 16ULL << 20U;
  std::uint64_t attempts = 0;
  std::uint64_t failed_attempts = 4;  // the first one and three retries (X4)
  bool operator==(const TaskBudget&) const = default;
};

// Who fails too often is stopped for a while (X4). 0 turns a breaker off.
struct BreakerSettings {
  std::uint64_t task_same_errors = 3;  // of one task in a row
  std::uint64_t tenant_failures = 0;   // of one tenant within the window
  std::uint64_t tenant_window_s = 60;
  std::uint64_t open_s = 60;
  bool operator==(const BreakerSettings&) const = default;
};

struct CacheSettings {
  std::uint64_t ttl_s = 300;  // 0: no cache
  std::uint64_t memory_bytes = 64ULL << 20U;
  bool operator==(const CacheSettings&) const = default;
};

struct QueueSettings {
  std::uint32_t workers = 0;  // runs at the same time; 0: four per processor, eight at least
  std::uint32_t length = 4096;
  std::uint32_t tenant_length = 1024;
  std::uint32_t wait_ms = 30'000;  // a run that waited longer is refused
  bool operator==(const QueueSettings&) const = default;
};

struct RecordSettings {
  std::uint64_t keep_days = 30;
  std::uint64_t keep_bytes = 4ULL << 30U;
  std::uint64_t blob_days = 30;
  bool operator==(const RecordSettings&) const = default;
};

struct RedactionSettings {
  bool enabled = true;
  std::vector<std::string> values;      // of the operator's own secrets
  std::vector<std::string> rule_files;  // beside the built-in rules
  bool operator==(const RedactionSettings&) const = default;
};

// Files that stay between the runs of a conversation. Bytes count contents and names.
struct WorkspaceSettings {
  std::uint64_t bytes = 32ULL << 20U;
  std::uint64_t files = 1'000;
  std::uint64_t tenant_bytes = 256ULL << 20U;
  std::uint64_t tenant_files = 10'000;
  std::uint64_t tenant_count = 256;  // workspaces
  std::uint64_t count = 4'096;       // of all tenants
  std::uint64_t ttl_s = 3'600;       // since the last use
  bool operator==(const WorkspaceSettings&) const = default;
};

// What becomes of a run whose policy asks for a person.
enum class WhenAsked {
  wait,    // the call waits for the answer
  answer,  // "return": 202 at once; the run happens when it is approved
  deny,    // nobody is asked
};

struct PolicySettings {
  std::string directory = "/etc/glovebox/policies";  // the operator's profiles; empty: none
  std::string floor;                                 // a profile that every run must pass too
  WhenAsked ask = WhenAsked::wait;
  std::uint64_t wait_s = 60;   // how long a question stays open, and an approval usable
  bool self_approval = false;  // whether a key may approve what it asked for
  bool operator==(const PolicySettings&) const = default;
};

struct ServeSettings {
  std::vector<std::string> listen;   // empty: 127.0.0.1:7070
  std::string socket_mode = "0600";  // of the unix sockets among them
  std::string data;                  // empty: the user's or the system's place
  std::vector<std::string> allowed_hosts;
  std::uint32_t io_threads = 2;
  std::uint32_t connections = 1024;
  std::uint64_t body_bytes = 96ULL << 20U;
  std::uint64_t all_bodies_bytes = 1ULL << 30U;
  std::uint64_t blob_bytes = 1ULL << 30U;
  // Most that a request may ask for: an answer is in memory several times until it is recorded and sent.
  std::uint64_t output_bytes = 64ULL << 20U;
  std::uint64_t artifact_bytes = 256ULL << 20U;
  std::uint32_t drain_s = 30;
  std::string log_format = "logfmt";  // or json
  std::string log_level = "info";
  bool operator==(const ServeSettings&) const = default;
};

struct ServiceSettings {
  ServeSettings serve;
  QueueSettings queue;
  records::Quota quota{0, 0, 0, 0};  // of a tenant without one of its own
  TaskBudget task;
  BreakerSettings breaker;
  CacheSettings cache;
  RecordSettings records;
  RedactionSettings redaction;
  PolicySettings policy;
  WorkspaceSettings workspaces;
  bool operator==(const ServiceSettings&) const = default;
};

}  // namespace glovebox::runner
