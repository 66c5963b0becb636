#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/app.h"
#include "engine/doctor/host_checks.h"
#include "engine/languages/catalogue.h"
#include "engine/languages/language_command.h"
#include "os/files.h"
#include "runner/config.h"
#include "runner/hardening.h"
#include "runner/runner.h"

namespace glovebox::cli {
namespace {

using engine::CheckStatus;
using engine::HostCheck;
using runner::Proof;

constexpr int kExitUnsound = 1;

struct Findings {
  std::vector<HostCheck> host;
  std::vector<HostCheck> languages;
  std::vector<Proof> proofs;
  std::string cannot_prove;  // why there are no proofs

  [[nodiscard]] bool sound() const {
    const auto fine = [](const HostCheck& check) { return check.status != CheckStatus::missing; };
    return cannot_prove.empty() && std::all_of(host.begin(), host.end(), fine) &&
           std::all_of(proofs.begin(), proofs.end(), [](const Proof& proof) { return proof.holds; });
  }
};

std::vector<HostCheck> check_languages(const engine::LanguageCatalogue& catalogue) {
  std::vector<HostCheck> checks;
  for (const std::string& id : catalogue.ids()) {
    HostCheck check{id, id, CheckStatus::ok, "", ""};
    const auto profile = catalogue.find(id);
    const auto ready = profile ? engine::check_requirements(*profile, "/") : base::Status(base::fail(profile.error()));
    if (ready) {
      check.detail = profile->command.front();
    } else {
      check.status = CheckStatus::optional;
      check.detail = ready.error().message;
      check.remedy = ready.error().hint;
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

Findings examine() {
  Findings findings;
  runner::ProofOptions options;
  options.runner = runner::default_runner_options();
  findings.languages = check_languages(engine::LanguageCatalogue(options.runner.language_directories));
  auto strict = runner::Runner::create(options.runner);
  if (!strict) {
    findings.host = engine::check_host(os::find_cgroup_site(os::ScopePolicy::stay));
    findings.cannot_prove = base::describe(strict.error());
    return findings;
  }
  const os::CgroupSite site = (*strict)->engine().cgroup_site();
  strict->reset();  // the proofs make their own
  findings.host = engine::check_host(site);
  const auto config = runner::load_config(runner::default_config_files());
  if (!config) {
    findings.cannot_prove = base::describe(config.error());
    return findings;
  }
  options.redaction = config->service.redaction;
  // Proofs are worth having on a host that lacks control groups too; what is missing is told beside them.
  options.runner.engine.degraded = site.complete() ? engine::DegradedMode::refuse : engine::DegradedMode::allow;
  auto proofs = prove_hardening(std::move(options));
  if (!proofs) {
    findings.cannot_prove = base::describe(proofs.error());
    return findings;
  }
  findings.proofs = std::move(*proofs);
  for (Proof& proof : findings.proofs) {
    proof.detail += site.complete() ? "" : " (degraded mode)";
  }
  return findings;
}

const char* mark(CheckStatus status) {
  switch (status) {
    case CheckStatus::ok:
      return "ok     ";
    case CheckStatus::missing:
      return "MISSING";
    case CheckStatus::optional:
      return "-      ";
  }
  return "?";
}

void print_checks(const char* title, const std::vector<HostCheck>& checks) {
  std::printf("%s\n", title);
  std::set<std::string> told;  // one remedy often helps several checks
  for (const HostCheck& check : checks) {
    std::printf("  %s  %-32s %s\n", mark(check.status), check.title.c_str(), check.detail.c_str());
    if (!check.remedy.empty() && told.insert(check.remedy).second) {
      std::printf("           → %s\n", check.remedy.c_str());
    }
  }
  std::printf("\n");
}

void print_table(const Findings& findings) {
  print_checks("host", findings.host);
  print_checks("languages", findings.languages);
  std::printf("hardening, each proved in a real cell\n");
  for (const Proof& proof : findings.proofs) {
    std::printf("  %s  %s %-29s %s\n", proof.holds ? "holds  " : "BROKEN ", proof.id.c_str(), proof.title.c_str(),
                proof.detail.c_str());
  }
  if (!findings.cannot_prove.empty()) {
    std::printf("  BROKEN   no cell could be made: %s\n", findings.cannot_prove.c_str());
  }
  std::printf("\n%s\n", findings.sound() ? "This host can run sealed cells with every limit enforced by the kernel."
                                         : "This host is not ready: see MISSING and BROKEN above.");
}

nlohmann::ordered_json to_json(const std::vector<HostCheck>& checks) {
  auto list = nlohmann::ordered_json::array();
  for (const HostCheck& check : checks) {
    const char* status = check.status == CheckStatus::ok        ? "ok"
                         : check.status == CheckStatus::missing ? "missing"
                                                                : "optional";
    list.push_back({{"id", check.id},
                    {"title", check.title},
                    {"status", status},
                    {"detail", check.detail},
                    {"remedy", check.remedy}});
  }
  return list;
}

void print_json(const Findings& findings) {
  nlohmann::ordered_json root;
  root["sound"] = findings.sound();
  root["host"] = to_json(findings.host);
  root["languages"] = to_json(findings.languages);
  root["hardening"] = nlohmann::ordered_json::array();
  for (const Proof& proof : findings.proofs) {
    root["hardening"].push_back(
        {{"id", proof.id}, {"title", proof.title}, {"holds", proof.holds}, {"detail", proof.detail}});
  }
  root["cannot_prove"] =
      findings.cannot_prove.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(findings.cannot_prove);
  std::printf("%s\n", root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace

int doctor_verb(Arguments arguments) {
  CLI::App app(
      "Checks what this host can enforce, and proves the hardening checklist by running a probe in a real cell for "
      "each point.",
      "glovebox doctor");
  bool json = false;
  app.add_flag("--json", json, "for machines");
  app.footer("exit status: 0 when a sealed run is possible and every proof holds, 1 otherwise\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const Findings findings = examine();
  json ? print_json(findings) : print_table(findings);
  return findings.sound() ? 0 : kExitUnsound;
}

}  // namespace glovebox::cli
