#include "runner/settings.h"

#include <array>
#include <utility>

#include "runner/config.h"

namespace glovebox::runner {
namespace {

using Texts = std::vector<std::string>;

constexpr std::uint64_t kMib = 1ULL << 20U;
constexpr std::uint64_t kGib = 1ULL << 30U;
constexpr std::uint64_t kMonthS = 30ULL * 24 * 3600;
constexpr std::uint64_t kManyRuns = 1'000'000'000;
constexpr std::array<std::string_view, 2> kWhenEmpty = {"queue", "cold"};
constexpr std::array<std::string_view, 3> kSocketModes = {"0600", "0660", "0666"};
constexpr std::array<std::string_view, 3> kWhenAsked = {"wait", "return", "deny"};
constexpr std::uint64_t kDayS = 24ULL * 3600;
constexpr std::array<std::string_view, 2> kLogFormats = {"logfmt", "json"};
constexpr std::array<std::string_view, 5> kLogLevels = {"debug", "info", "warn", "warning", "error"};

std::uint32_t small(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// NOLINTNEXTLINE(cert-err58-cpp): without memory for this table there is nothing to go on with
const std::array kSettings = {
    Setting{"", "degraded", "run although the kernel cannot enforce all limits here",
            FlagSetting{[](Config& c, bool on) { c.degraded = on; }}},

    Setting{"pool", "memory_mib", "for all warm cells that wait",
            NumberSetting{16, 1U << 20U, [](Config& c, std::uint64_t v) { c.pool.memory_budget_bytes = v * kMib; }}},
    Setting{"pool", "least_idle", "warm cells per kind, at least",
            NumberSetting{1, 1024, [](Config& c, std::uint64_t v) { c.pool.least_idle = small(v); }}},
    Setting{"pool", "most_idle", "warm cells per kind, at most",
            NumberSetting{1, 1024, [](Config& c, std::uint64_t v) { c.pool.most_idle = small(v); }}},
    Setting{"pool", "when_empty", "wait for a warm cell, or build a cold one at once",
            WordSetting{kWhenEmpty,
                        [](Config& c, std::string word) {  // NOLINT(performance-unnecessary-value-param)
                          c.pool.when_empty = word == "queue" ? engine::WhenEmpty::queue : engine::WhenEmpty::cold;
                        }}},
    Setting{"pool", "queue_length", "runs that may wait for a warm cell",
            NumberSetting{0, 100'000, [](Config& c, std::uint64_t v) { c.pool.queue_length = small(v); }}},
    Setting{"pool", "queue_wait_ms", "how long they wait before a cold cell is built",
            NumberSetting{0, 600'000, [](Config& c, std::uint64_t v) { c.pool.queue_wait_ms = small(v); }}},
    Setting{"pool", "zygote_cells", "a zygote is replaced after so many",
            NumberSetting{1, kManyRuns, [](Config& c, std::uint64_t v) { c.pool.zygote_cells = v; }}},
    Setting{"pool", "zygote_age_s", "and at this age",
            NumberSetting{1, kMonthS, [](Config& c, std::uint64_t v) { c.pool.zygote_age_s = v; }}},
    Setting{"pool", "idle_age_s", "a cell that nobody wanted is replaced at this age",
            NumberSetting{1, kMonthS, [](Config& c, std::uint64_t v) { c.pool.idle_age_s = v; }}},
    Setting{"pool", "fresh_network", "a new network namespace for every cell",
            FlagSetting{[](Config& c, bool on) { c.pool.fresh_network = on; }}},
    Setting{"pool", "tenants_apart", "every tenant has warm cells of its own",
            FlagSetting{[](Config& c, bool on) { c.pool.tenants_apart = on; }}},
    Setting{"pool", "most_kinds", "kinds of warm cells, of all tenants together",
            NumberSetting{1, 10'000, [](Config& c, std::uint64_t v) { c.pool.most_kinds = small(v); }}},

    Setting{"serve", "listen", "addresses: \"127.0.0.1:7070\", \"[::1]:7070\", \"unix:/run/glovebox.sock\"",
            ListSetting{[](Config& c, Texts v) { c.service.serve.listen = std::move(v); }}},
    Setting{"serve", "socket_mode", "of the unix sockets in listen: who else may open them",
            WordSetting{kSocketModes, [](Config& c, std::string v) { c.service.serve.socket_mode = std::move(v); }}},
    Setting{"serve", "data", "the directory of records, blobs and the socket",
            WordSetting{{}, [](Config& c, std::string v) { c.service.serve.data = std::move(v); }}},
    Setting{"serve", "allowed_hosts", "names that the Host header may have; \"*\" is any",
            ListSetting{[](Config& c, Texts v) { c.service.serve.allowed_hosts = std::move(v); }}},
    Setting{"serve", "io_threads", "threads for connections",
            NumberSetting{1, 64, [](Config& c, std::uint64_t v) { c.service.serve.io_threads = small(v); }}},
    Setting{"serve", "connections", "open connections, at most",
            NumberSetting{1, 100'000, [](Config& c, std::uint64_t v) { c.service.serve.connections = small(v); }}},
    Setting{"serve", "body_mib", "largest request body",
            NumberSetting{1, 1024, [](Config& c, std::uint64_t v) { c.service.serve.body_bytes = v * kMib; }}},
    Setting{
        "serve", "all_bodies_mib", "all request bodies in memory together",
        NumberSetting{1, 1U << 20U, [](Config& c, std::uint64_t v) { c.service.serve.all_bodies_bytes = v * kMib; }}},
    Setting{"serve", "blob_mib", "largest blob",
            NumberSetting{1, 1U << 20U, [](Config& c, std::uint64_t v) { c.service.serve.blob_bytes = v * kMib; }}},
    Setting{"serve", "output_mib", "largest limits.output_bytes of a request",
            NumberSetting{1, 1024, [](Config& c, std::uint64_t v) { c.service.serve.output_bytes = v * kMib; }}},
    Setting{"serve", "artifacts_mib", "largest limits.artifact_bytes of a request",
            NumberSetting{1, 4096, [](Config& c, std::uint64_t v) { c.service.serve.artifact_bytes = v * kMib; }}},
    Setting{"serve", "drain_s", "how long running programs may go on after SIGTERM",
            NumberSetting{0, 3600, [](Config& c, std::uint64_t v) { c.service.serve.drain_s = small(v); }}},
    Setting{"serve", "log_format", "one line per event",
            WordSetting{kLogFormats, [](Config& c, std::string v) { c.service.serve.log_format = std::move(v); }}},
    Setting{"serve", "log_level", "what is logged at least",
            WordSetting{kLogLevels, [](Config& c, std::string v) { c.service.serve.log_level = std::move(v); }}},

    Setting{"queue", "workers", "runs at the same time; 0: four per processor, eight at least",
            NumberSetting{0, 4096, [](Config& c, std::uint64_t v) { c.service.queue.workers = small(v); }}},
    Setting{"queue", "length", "runs that may wait",
            NumberSetting{1, 1'000'000, [](Config& c, std::uint64_t v) { c.service.queue.length = small(v); }}},
    Setting{"queue", "tenant_length", "of one tenant",
            NumberSetting{1, 1'000'000, [](Config& c, std::uint64_t v) { c.service.queue.tenant_length = small(v); }}},
    Setting{"queue", "wait_ms", "a run that waited longer is refused; 0: never",
            NumberSetting{0, 3'600'000, [](Config& c, std::uint64_t v) { c.service.queue.wait_ms = small(v); }}},

    Setting{"quota", "concurrency", "runs of one tenant at the same time; 0: no bound",
            NumberSetting{0, 100'000, [](Config& c, std::uint64_t v) { c.service.quota.concurrency = v; }}},
    Setting{"quota", "runs_per_minute", "of one tenant; 0: no bound",
            NumberSetting{0, kManyRuns, [](Config& c, std::uint64_t v) { c.service.quota.runs_per_minute = v; }}},
    Setting{
        "quota", "cpu_s_per_hour", "of one tenant; 0: no bound",
        NumberSetting{0, kManyRuns, [](Config& c, std::uint64_t v) { c.service.quota.cpu_ms_per_hour = v * 1000; }}},
    Setting{"quota", "storage_mib", "records of one tenant; 0: no bound",
            NumberSetting{0, kGib, [](Config& c, std::uint64_t v) { c.service.quota.storage_bytes = v * kMib; }}},

    Setting{"task", "wall_ms", "execution time over all attempts of a task; 0: no bound",
            NumberSetting{0, kManyRuns, [](Config& c, std::uint64_t v) { c.service.task.wall_ms = v; }}},
    Setting{"task", "artifact_mib", "over all attempts of a task; 0: no bound",
            NumberSetting{0, kGib, [](Config& c, std::uint64_t v) { c.service.task.artifact_bytes = v * kMib; }}},
    Setting{"task", "output_mib", "over all attempts of a task; 0: no bound",
            NumberSetting{0, kGib, [](Config& c, std::uint64_t v) { c.service.task.output_bytes = v * kMib; }}},
    Setting{"task", "attempts", "runs of a task; 0: no bound",
            NumberSetting{0, kManyRuns, [](Config& c, std::uint64_t v) { c.service.task.attempts = v; }}},
    Setting{"task", "failed_attempts", "runs of a task that may fail, the first and its retries; 0: no bound",
            NumberSetting{0, kManyRuns, [](Config& c, std::uint64_t v) { c.service.task.failed_attempts = v; }}},

    Setting{"breaker", "task_same_errors",
            "a task that failed so often in a row with the same error is stopped; 0: never",
            NumberSetting{0, kManyRuns, [](Config& c, std::uint64_t v) { c.service.breaker.task_same_errors = v; }}},
    Setting{"breaker", "tenant_failures", "a tenant with so many failed runs in the window is stopped; 0: never",
            NumberSetting{0, kManyRuns, [](Config& c, std::uint64_t v) { c.service.breaker.tenant_failures = v; }}},
    Setting{"breaker", "tenant_window_s", "that window",
            NumberSetting{1, kMonthS, [](Config& c, std::uint64_t v) { c.service.breaker.tenant_window_s = v; }}},
    Setting{"breaker", "open_s", "how long; then one run may try whether it works again",
            NumberSetting{1, kMonthS, [](Config& c, std::uint64_t v) { c.service.breaker.open_s = v; }}},

    Setting{"cache", "ttl_s", "how long an answer serves equal requests; 0: not at all",
            NumberSetting{0, kMonthS, [](Config& c, std::uint64_t v) { c.service.cache.ttl_s = v; }}},
    Setting{"cache", "memory_mib", "for answers in memory",
            NumberSetting{1, 1U << 20U, [](Config& c, std::uint64_t v) { c.service.cache.memory_bytes = v * kMib; }}},

    Setting{"records", "keep_days", "records older than this are deleted; 0: never",
            NumberSetting{0, 36'500, [](Config& c, std::uint64_t v) { c.service.records.keep_days = v; }}},
    Setting{"records", "keep_mib", "the oldest records go when there are more; 0: no bound",
            NumberSetting{0, kGib, [](Config& c, std::uint64_t v) { c.service.records.keep_bytes = v * kMib; }}},
    Setting{"records", "blob_days", "blobs stored longer ago than this are deleted; 0: never",
            NumberSetting{0, 36'500, [](Config& c, std::uint64_t v) { c.service.records.blob_days = v; }}},

    Setting{"workspaces", "mib", "contents and names of one workspace",
            NumberSetting{1, 1024, [](Config& c, std::uint64_t v) { c.service.workspaces.bytes = v * kMib; }}},
    Setting{"workspaces", "files", "of one workspace",
            NumberSetting{1, 4096, [](Config& c, std::uint64_t v) { c.service.workspaces.files = v; }}},
    Setting{"workspaces", "tenant_mib", "all workspaces of one tenant together",
            NumberSetting{1, kGib, [](Config& c, std::uint64_t v) { c.service.workspaces.tenant_bytes = v * kMib; }}},
    Setting{"workspaces", "tenant_files", "all workspaces of one tenant together",
            NumberSetting{1, kManyRuns, [](Config& c, std::uint64_t v) { c.service.workspaces.tenant_files = v; }}},
    Setting{"workspaces", "tenant_count", "workspaces of one tenant",
            NumberSetting{1, kManyRuns, [](Config& c, std::uint64_t v) { c.service.workspaces.tenant_count = v; }}},
    Setting{"workspaces", "count", "workspaces of all tenants",
            NumberSetting{1, kManyRuns, [](Config& c, std::uint64_t v) { c.service.workspaces.count = v; }}},
    Setting{"workspaces", "ttl_s", "a workspace that nobody used for so long is dropped",
            NumberSetting{1, kMonthS, [](Config& c, std::uint64_t v) { c.service.workspaces.ttl_s = v; }}},

    Setting{"redaction", "enabled", "the built-in rules",
            FlagSetting{[](Config& c, bool on) { c.service.redaction.enabled = on; }}},
    Setting{"redaction", "values", "secrets of your own that no record may hold",
            ListSetting{[](Config& c, Texts v) { c.service.redaction.values = std::move(v); }}},
    Setting{"redaction", "rule_files", "rules of your own",
            ListSetting{[](Config& c, Texts v) { c.service.redaction.rule_files = std::move(v); }}},

    Setting{"policy", "directory", "profiles of your own, NAME.toml each",
            WordSetting{{}, [](Config& c, std::string v) { c.service.policy.directory = std::move(v); }}},
    Setting{"policy", "floor", "a profile that every run must pass, whatever it asks for",
            WordSetting{{}, [](Config& c, std::string v) { c.service.policy.floor = std::move(v); }}},
    Setting{
        "policy", "ask", "what a run does when its policy asks for a person",
        WordSetting{
            kWhenAsked,
            [](Config& c, std::string word) {
              c.service.policy.ask = word == "wait"     ? WhenAsked::wait
                                     : word == "return" ? WhenAsked::answer
                                                        : WhenAsked::deny;
            }}},
    Setting{"policy", "wait_s", "how long a question stays open, and an approval usable",
            NumberSetting{1, kDayS, [](Config& c, std::uint64_t v) { c.service.policy.wait_s = v; }}},
    Setting{"policy", "self_approval", "a key with the scope approve may approve its own runs too",
            FlagSetting{[](Config& c, bool on) { c.service.policy.self_approval = on; }}},
};

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

}  // namespace glovebox::runner
