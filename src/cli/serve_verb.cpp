#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "cli/app.h"
#include "cli/flag_rules.h"
#include "cli/open_files.h"
#include "cli/policy_directory.h"
#include "cli/records_flags.h"
#include "cli/version.h"
#include "os/service_manager.h"
#include "runner/config.h"
#include "server/api/service.h"

namespace glovebox::cli {
namespace {

constexpr const char* kServeFooter =
    "Settings come from /etc/glovebox/glovebox.toml and your own glovebox.toml, or from --config alone; flags win.\n"
    "Without any API key, only this machine may call; `glovebox keys create` makes the first one.\n"
    "\n"
    "examples:\n"
    "  glovebox serve\n"
    "  glovebox serve --listen 0.0.0.0:7070 --listen unix:/run/glovebox/api.sock --data /srv/glovebox\n"
    "  curl -s localhost:7070/v1/runs -H 'Content-Type: application/json' -d '{\"code\":\"print(1)\"}'\n"
    "\n"
    "SIGTERM and SIGINT: takes nothing new, lets running programs finish, then ends. A second one ends at once.\n";

struct ServeFlags {
  std::vector<std::string> listen;
  std::string config;
  std::string data;
  std::string log_format;
  std::string log_level;
  std::string policy_directory;
  bool degraded = false;
  bool cold = false;
  bool mcp_conformance = false;
};

base::Result<server::ServiceOptions> options_of(const ServeFlags& flags) {
  const std::vector<std::string> files =
      flags.config.empty() ? runner::default_config_files() : std::vector<std::string>{flags.config};
  if (!flags.config.empty() && ::access(flags.config.c_str(), R_OK) != 0) {
    return base::fail(base::errno_error(base::ErrorCode::invalid_request, "", "cannot read " + flags.config));
  }
  runner::Config config = TRY(runner::load_config(files));
  if (!flags.listen.empty()) {
    config.service.serve.listen = flags.listen;
  }
  if (!flags.data.empty()) {
    config.service.serve.data = flags.data;
  }
  if (!flags.log_format.empty()) {
    config.service.serve.log_format = flags.log_format;
  }
  if (!flags.log_level.empty()) {
    config.service.serve.log_level = flags.log_level;
  }
  server::ServiceOptions options;
  options.settings = config.service;
  options.data_directory =
      config.service.serve.data.empty() ? runner::default_data_directory() : config.service.serve.data;
  if (options.data_directory.empty()) {
    return base::fail(base::make_error(base::ErrorCode::invalid_request, "there is no place for the data")
                          .with_hint("set HOME, or say --data DIR"));
  }
  options.version = kVersion;
  options.mcp_conformance = flags.mcp_conformance;
  options.runner = runner::default_runner_options();
  options.runner.policies = TRY(policy_places(config, flags.policy_directory));
  options.runner.policies.workspace_file.clear();  // a service works in no directory of its callers
  options.runner.engine.pool = config.pool;
  options.runner.engine.pool.enabled = !flags.cold;
  options.runner.engine.degraded =
      flags.degraded || config.degraded ? engine::DegradedMode::allow : engine::DegradedMode::refuse;
  return options;
}

// Signals that end us are read, not caught: nothing happens in a handler.
sigset_t ending_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGHUP);
  return signals;
}

// Once, and where nobody can miss it: this service holds less than it could elsewhere.
void tell_degraded(const engine::HostFacts& host) {
  if (!host.cgroup_memory || !host.cgroup_pids || !host.cgroup_cpu || !host.cgroup_cpu_time) {
    std::fprintf(stderr, "glovebox: degraded: limits are watched by polling: %s\n", host.limits_reason.c_str());
  }
  if (host.landlock_abi == 0) {
    std::fprintf(stderr, "glovebox: degraded: the kernel has no landlock, the second wall around files\n");
  }
}

// The flag that the other commands need to find this directory; nothing when they would by themselves.
std::string data_flag(const std::string& data) {
  const auto usual = data_directory("");
  return usual && *usual == data ? "" : " --data " + data;
}

void tell_where_to_go(const server::Service& service, const std::string& data) {
  std::string first;
  for (const std::string& address : service.addresses()) {
    if (!address.starts_with("unix:")) {
      first = first.empty() ? address : first;
      std::fprintf(stderr, "listening on http://%s\n", address.c_str());
    } else {
      std::fprintf(stderr, "listening on %s\n", address.c_str());
    }
  }
  std::fprintf(stderr, "records in %s\n", data.c_str());
  if (!first.empty()) {
    const std::string flag = data_flag(data);
    std::fprintf(stderr,
                 "\n"
                 "  try it    curl -s http://%s/v1/runs -H 'Content-Type: application/json' -d "
                 "'{\"code\":\"print(1)\"}'\n"
                 "  the API   http://%s/openapi.json\n"
                 "  agents    http://%s/mcp (Model Context Protocol)\n"
                 "  keys      glovebox keys create --name laptop%s\n"
                 "  stop all  glovebox admin stop --reason '…'%s\n\n",
                 first.c_str(), first.c_str(), first.c_str(), flag.c_str(), flag.c_str());
  }
}

}  // namespace

int serve_verb(Arguments arguments) {
  ServeFlags flags;
  CLI::App app("Serves the HTTP interface: runs, records, replay, for agents and SDKs.", "glovebox serve");
  app.add_option("--listen", flags.listen, "ADDRESS:PORT or unix:PATH; may be given several times (127.0.0.1:7070)")
      ->type_name("PLACE");
  app.add_option("--config", flags.config, "read this file instead of the usual ones")->type_name("FILE");
  app.add_option("--data", flags.data, "directory of records, blobs and the control socket")->type_name("DIR");
  app.add_option("--log-format", flags.log_format, "logfmt or json")
      ->check(CLI::IsMember({"logfmt", "json"}))
      ->type_name("NAME");
  app.add_option("--log-level", flags.log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "warning", "error"}))
      ->type_name("NAME");
  app.add_option("--policy-dir", flags.policy_directory, "policies of your own (policy.directory of glovebox.toml)")
      ->type_name("DIR")
      ->check(not_empty());
  app.add_flag("--degraded", flags.degraded, "serve although the kernel cannot enforce all limits here");
  app.add_flag("--cold", flags.cold, "keep no warm cells");
  app.add_flag("--mcp-conformance", flags.mcp_conformance,
               "for tests: /mcp also offers what MCP's own conformance suite wants to find");
  app.footer(kServeFooter);
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const os::ServiceManager manager;
  auto options = options_of(flags);
  if (!options) {
    return report(options.error());
  }
  const sigset_t signals = ending_signals();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);  // before any thread: all of them inherit it
  raise_open_files();
  const std::string data = options->data_directory;
  auto service = server::Service::start(std::move(*options));
  if (!service) {
    return report(service.error());
  }
  tell_degraded((*service)->runner().engine().host());
  tell_where_to_go(**service, data);
  manager.tell("READY=1");
  int signal = 0;
  ::sigwait(&signals, &signal);
  manager.tell("STOPPING=1");
  (*service)->log().log(telemetry::LogLevel::info, "draining", {{"signal", signal}});
  ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);  // the second one is for us
  const bool finished = (*service)->drain();
  (*service)->log().log(telemetry::LogLevel::info, finished ? "ended" : "ended, with runs cut off");
  return 0;
}

}  // namespace glovebox::cli
