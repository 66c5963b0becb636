#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/app.h"
#include "cli/flag_rules.h"
#include "cli/policy_directory.h"
#include "cli/policy_view.h"
#include "cli/records_flags.h"
#include "cli/table.h"
#include "engine/languages/catalogue.h"
#include "os/files.h"
#include "runner/config.h"
#include "runner/policies.h"

namespace glovebox::cli {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Result;

constexpr std::size_t kMaxProgramBytes = 64U << 20U;
constexpr int kExitAsk = 3;
constexpr int kExitDenied = 126;

struct PolicyFlags {
  std::string file;
  std::string name;
  std::string language;
  std::string directory;
  bool json = false;
};

Result<runner::PolicyPlaces> places_of(const PolicyFlags& flags) {
  const runner::Config config = TRY(runner::load_config(runner::default_config_files()));
  return policy_places(config, flags.directory);
}

int status_of(policy::Verdict verdict) {
  switch (verdict) {
    case policy::Verdict::allow:
      return 0;
    case policy::Verdict::ask:
      return kExitAsk;
    case policy::Verdict::deny:
      return kExitDenied;
  }
  return kExitDenied;
}

Colour colour_of_output() {
  const char* wish = std::getenv("NO_COLOR");
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  return terminal && (wish == nullptr || *wish == '\0') ? Colour::on : Colour::off;
}

Result<std::string> language_of(const PolicyFlags& flags) {
  const engine::LanguageCatalogue languages(engine::default_language_directories());
  if (!flags.language.empty()) {
    return TRY(languages.find(flags.language)).id;
  }
  const auto language = languages.language_of_file(flags.file);
  if (!language) {
    return fail(
        flag_error(flags.file, "the name does not tell the language").with_hint("say it with --language python"));
  }
  return *language;
}

Result<int> check(const PolicyFlags& flags) {
  contract::RunRequest request;
  const std::string language = TRY(language_of(flags));
  auto code =
      flags.file == "-" ? os::read_all(STDIN_FILENO, kMaxProgramBytes) : os::read_file(flags.file, kMaxProgramBytes);
  if (!code) {
    return fail(make_error(ErrorCode::invalid_request, flags.file + ": " + code.error().message));
  }
  request.code = std::move(*code);
  runner::Policies policies(TRY(places_of(flags)));
  const auto policy = TRY(policies.effective(flags.name, ""));
  const policy::Decision decision =
      policy::decide(*policy, policy::question_of(request, language), policy::Detail::explain);
  const std::string text = flags.json ? policy::to_json(decision) + "\n"
                                      : describe(decision, {flags.file, request.code}, colour_of_output());
  return print(text) == 0 ? status_of(decision.verdict) : kExitOurs;
}

Result<int> list(const PolicyFlags& flags) {
  runner::Policies policies(TRY(places_of(flags)));
  Table table({{"NAME", 12}, {"FROM"}, {"LANGUAGES", 8}, {"DESCRIPTION", 20}});
  for (const std::string& name : policies.names()) {
    const auto policy = policies.effective(name, "");
    if (!policy) {
      table.add_row({name, "", "", "cannot be read: " + policy.error().message});
      continue;
    }
    const policy::PolicyLayer& own = (*policy)->layers().front();
    std::string languages;
    for (const std::string& language : own.profile->languages) {
      languages += (languages.empty() ? "" : " ") + language;
    }
    table.add_row({name, std::string(policy::to_string(own.layer)), languages.empty() ? "all" : languages,
                   own.profile->description});
  }
  return print(table.text());
}

Result<int> show(const PolicyFlags& flags) {
  runner::Policies policies(TRY(places_of(flags)));
  const auto policy = TRY(policies.effective(flags.name, ""));
  std::string text = "# " + policy->reference() + "\n";
  for (const policy::PolicyLayer& layer : policy->layers()) {
    text += "\n# --- " + std::string(policy::to_string(layer.layer)) + ": " + layer.profile->file_name + " ---\n\n" +
            layer.profile->text;
  }
  return print(text);
}

}  // namespace

int policy_verb(Arguments arguments) {
  PolicyFlags flags;
  CLI::App app(
      "Says what a policy makes of a program, without running it. A static check is a first filter and an "
      "explanation;\n"
      "the wall that holds a program is the kernel's.",
      "glovebox policy");
  app.require_subcommand(0, 1);
  const auto add_directory = [&](CLI::App& verb) {
    verb.add_option("--policy-dir", flags.directory, "profiles of your own (policy.directory of glovebox.toml)")
        ->type_name("DIR")
        ->check(not_empty());
  };
  add_directory(app);
  CLI::App* check_app = app.add_subcommand("check", "which rules a program meets, where, why, and what to do instead");
  flags.name = "default";
  check_app->add_option("FILE", flags.file, "the program (- for standard input)")->required();
  check_app->add_option("-p,--profile", flags.name, "the policy")
      ->type_name("NAME")
      ->check(not_empty())
      ->capture_default_str();
  check_app->add_option("-l,--language", flags.language, "python, javascript, bash (by the file's name if left out)")
      ->type_name("NAME")
      ->check(not_empty());
  check_app->add_flag("--json", flags.json, "for machines");
  add_directory(*check_app);
  CLI::App* list_app = app.add_subcommand("ls", "the policies there are")->alias("list");
  add_directory(*list_app);
  CLI::App* show_app = app.add_subcommand("show", "the rules of a policy, layer by layer");
  show_app->add_option("NAME", flags.name, "of the policy")->required();
  add_directory(*show_app);
  app.footer(
      "examples:\n"
      "  glovebox policy check script.py --profile sandboxed_python\n"
      "  glovebox policy show strict\n"
      "\n"
      "exit status of check: 0 allow, 3 ask, 126 deny, 125 when Glovebox could not do its job\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const auto done = check_app->parsed() ? check(flags) : show_app->parsed() ? show(flags) : list(flags);
  return done ? *done : report(done.error());
}

}  // namespace glovebox::cli
