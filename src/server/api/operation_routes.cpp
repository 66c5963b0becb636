// For those who operate the service: is it alive, what does it do, stop it.
#include <fmt/format.h>
#include <sys/statvfs.h>

#include "contract/json_writer.h"
#include "records/record_json.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/bodies.h"
#include "server/api/embedded.h"
#include "server/api/names.h"

namespace glovebox::server {
namespace {

std::string_view embedded(std::string_view path) {
  for (const base::EmbeddedFile& file : embedded_contract_files()) {
    if (file.path == path) {
      return file.text;
    }
  }
  return "";
}

void write_check(contract::JsonWriter& json, std::string_view name, bool ok, std::string_view detail) {
  json.key(name);
  json.begin_object();
  json.boolean("ok", ok);
  json.string("detail", detail);
  json.end_object();
}

// Room for a few records. A disk without it takes work that it cannot write down.
std::string disk_trouble(const std::string& directory) {
  constexpr std::uint64_t kLeastFreeBytes = 16U << 20U;
  struct statvfs disk {};
  if (::statvfs(directory.c_str(), &disk) != 0) {
    return "the data directory cannot be looked at";
  }
  const std::uint64_t free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  return free_bytes < kLeastFreeBytes ? fmt::format("{} bytes are free below {}", free_bytes, directory) : "";
}

}  // namespace

void Api::get_health(const CallPtr& call) {
  call->respond(
      json_answer(200, fmt::format(R"({{"status":"ok","version":{}}})", contract::quote_json(observers_.version))));
}

void Api::get_readiness(const CallPtr& call) {
  chore(call, [this, call] {
    const auto anchor = ledger().store().audit_anchor();
    const std::string engine = engine_check_.trouble();
    const auto stopped = ledger().governor().stopped();
    const bool draining = ledger().governor().draining();
    const bool open = !stopped && !draining;
    const std::string disk = disk_trouble(ledger().directory());
    const bool ready = anchor && engine.empty() && disk.empty() && open;
    contract::JsonWriter json;
    json.begin_object();
    json.string("status", ready ? "ok" : "unavailable");
    json.key("checks");
    json.begin_object();
    write_check(json, "engine", engine.empty(), engine);
    write_check(json, "store", anchor.has_value(), anchor ? "" : anchor.error().message);
    write_check(json, "disk", disk.empty(), disk);
    write_check(json, "admission", open, stopped ? "stopped: " + stopped->reason : draining ? "draining" : "");
    json.end_object();
    json.end_object();
    http::Response response = json_answer(ready ? 200 : 503, json.take(contract::JsonStyle::compact));
    if (response.status == 503) {
      response.headers.set("Retry-After", "5");
    }
    call->respond(std::move(response));
  });
}

void Api::get_metrics(const CallPtr& call) {
  chore(call, [this, call] {
    const auto format = telemetry::choose_format(call->request().headers.get("Accept"));
    http::Response response;
    response.headers.set("Content-Type", std::string(telemetry::content_type(format)));
    response.body = observers_.registry.render(format);
    call->respond(std::move(response));
  });
}

void Api::get_openapi(const CallPtr& call) {
  call->respond(json_answer(200, std::string(embedded("contract/openapi.json"))));
}

void Api::get_tools(const CallPtr& call) {
  static constexpr std::string_view kFormats[] = {"openai_chat", "openai_responses", "anthropic", "ollama"};
  const std::string* wanted = call->request().query_value("format");
  std::string all;
  for (const std::string_view format : kFormats) {
    const std::string_view tools = embedded(fmt::format("contract/tools/{}.json", format));
    if (wanted != nullptr && *wanted == format) {
      return call->respond(json_answer(200, std::string(tools)));
    }
    all += fmt::format("{}\"{}\":{}", all.empty() ? "{" : ",", format, tools);
  }
  call->respond(wanted == nullptr
                    ? json_answer(200, all + "}")
                    : bad_request("format", "a format is openai_chat, openai_responses, anthropic or ollama"));
}

void Api::stop_service(const CallPtr& call) {
  if (auto refused = refuse_other_than_json(call->request()); refused) {
    return call->respond(std::move(*refused));
  }
  auto reason = parse_reason(call->request().body);
  if (!reason) {
    return call->respond(problem(reason.error()));
  }
  chore(call, [this, call, reason = std::move(*reason)] {
    auto stopped = ledger().governor().stop({reason, call->identity.actor, runner::unix_ms()});
    live_.cancel_all();
    const std::size_t killed = runner_.cancel_all();
    desk_.end_all(WaitEnd::stopped);
    observers_.log.log(telemetry::LogLevel::warn, "the service was stopped",
                       {{"by", call->identity.actor}, {"reason", reason}, {"killed", std::uint64_t{killed}}});
    if (!stopped) {
      stopped.error().message = "the service is stopped, but that could not be recorded, so it ends with a restart: " +
                                stopped.error().message;
    }
    call->respond(stopped ? json_answer(200, records::to_json(ledger().governor().stopped()))
                          : problem(stopped.error()));
  });
}

void Api::resume_service(const CallPtr& call) {
  if (auto refused = refuse_other_than_json(call->request()); refused) {
    return call->respond(std::move(*refused));
  }
  auto reason = parse_reason(call->request().body);
  if (!reason) {
    return call->respond(problem(reason.error()));
  }
  chore(call, [this, call, reason = std::move(*reason)] {
    const auto resumed = ledger().governor().resume(call->identity.actor, reason, runner::unix_ms());
    observers_.log.log(telemetry::LogLevel::warn, "the service goes on",
                       {{"by", call->identity.actor}, {"reason", reason}});
    call->respond(resumed ? json_answer(200, records::to_json(ledger().governor().stopped()))
                          : problem(resumed.error()));
  });
}

void Api::get_service_state(const CallPtr& call) {
  call->respond(json_answer(200, records::to_json(ledger().governor().stopped())));
}

}  // namespace glovebox::server
