#include <signal.h>

#include <cstdio>

#include "cli/app.h"
#include "cli/flag_rules.h"
#include "cli/mcp_pipe.h"
#include "cli/open_files.h"
#include "cli/records_flags.h"
#include "cli/request_flags.h"
#include "cli/version.h"
#include "runner/config.h"

namespace glovebox::cli {
namespace {

constexpr const char* kMcpFooter =
    "Reads messages from standard input and writes messages to standard output, one per line, and nothing else there.\n"
    "Made to be started by a client; docs/mcp.md has the configuration for many of them. It ends with its input.\n"
    "\n"
    "examples:\n"
    "  claude mcp add glovebox -- glovebox mcp\n"
    "  glovebox mcp --policy data_analysis --record\n";

base::Result<std::unique_ptr<mcp::SandboxServer>> make_server(runner::Runner& runner, const RequestFlags& flags) {
  const runner::Config config = TRY(runner::load_config(runner::default_config_files()));
  mcp::SandboxServerOptions options;
  options.version = kVersion;
  options.workspace_directory = workspaces::temporary_directory();
  options.workspaces = config.service.workspaces;
  options.defaults.policy = flags.policy.empty() ? "default" : flags.policy;
  options.defaults.approved_rules = flags.approved_rules;
  options.defaults.approver = local_actor();
  options.defaults.approve_command = "glovebox mcp";
  return mcp::SandboxServer::create(runner, std::move(options));
}

}  // namespace

int mcp_verb(Arguments arguments) {
  RequestFlags flags;
  bool cold = false;
  CLI::App app("Serves agents over standard input and output, in the Model Context Protocol.", "glovebox mcp");
  app.add_option("--policy", flags.policy, "named policy of calls that name none (default)")
      ->type_name("NAME")
      ->check(not_empty());
  app.add_option("--policy-dir", flags.policy_directory, "policies of your own (policy.directory of glovebox.toml)")
      ->type_name("DIR")
      ->check(not_empty());
  app.add_option("--approve", flags.approved_rules, "say yes to what this rule of a policy asks about; repeatable")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_flag("--record", flags.record, "keep records, to be looked at, replayed and audited later");
  add_data_flag(app, flags.data);
  app.add_flag("--cold", cold, "keep no warm cells");
  app.add_flag("--degraded", flags.degraded, "run although the kernel cannot enforce all limits here");
  app.footer(kMcpFooter);
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);  // before any thread: all of them inherit it
  raise_open_files();
  flags.warm = !cold;
  flags.serves = true;
  auto runner = make_runner(flags);
  if (!runner) {
    return report(runner.error());
  }
  auto sandbox = make_server(**runner, flags);
  if (!sandbox) {
    return report(sandbox.error());
  }
  McpPipe pipe(**sandbox);
  if (auto ended = pipe.run(); !ended) {
    return report(ended.error());
  }
  return 0;
}

}  // namespace glovebox::cli
