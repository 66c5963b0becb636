#include "server/mcp/mcp_endpoint.h"

#include <limits>
#include <utility>

#include "mcp/batch.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/names.h"
#include "server/mcp/header_rules.h"
#include "server/mcp/http_channel.h"
#include "server/mcp/http_host.h"

namespace glovebox::server {
namespace {

constexpr std::size_t kParsedInPlaceBytes = 64U << 10U;
constexpr const char* kSessionHeader = "Mcp-Session-Id";

http::Response error_answer(int status, std::string_view id, const mcp::ProtocolError& error) {
  return json_answer(status, mcp::error_message(id, error));
}

// 405 for what only sessions have.
http::Response no_session_here() {
  http::Response response = problem(Problem(405, "method_not_allowed", "This path does not take that method.",
                                            "GET and DELETE belong to a session: send its Mcp-Session-Id"));
  response.headers.set("Allow", "POST");
  return response;
}

http::Response accepted() {
  http::Response response;
  response.status = 202;
  return response;
}

bool is_foreign(const CallPtr& call) {
  if (is_same_origin(call->request().headers)) {
    return false;
  }
  call->respond(problem(Problem(403, "forbidden", "A page of another site may not call this.",
                                "the Origin header names another place than this service")));
  return true;
}

}  // namespace

void McpEndpoint::post(const CallPtr& call) {
  if (is_foreign(call)) {
    return;
  }
  if (auto refused = refuse_other_than_json(call->request()); refused) {
    return call->respond(std::move(*refused));
  }
  const http::Headers& headers = call->request().headers;
  if (!accepts(headers, "application/json") && !accepts(headers, "text/event-stream")) {
    return call->respond(problem(Problem(406, "not_acceptable", "The client takes none of our answers.",
                                         "accept application/json and text/event-stream")));
  }
  if (call->request().body.size() <= kParsedInPlaceBytes) {
    return message(call);
  }
  api_.chore(call, [this, call] { message(call); });
}

void McpEndpoint::message(const CallPtr& call) {
  if (mcp::looks_like_batch(call->request().body) && call->request().headers.contains(kSessionHeader)) {
    const McpSessionPtr session = session_of(call);
    if (session == nullptr || mcp::takes_batches(*session->session)) {
      return batch(call, session);
    }
  }
  auto parsed = mcp::parse_message(call->request().body);
  call->request().body = {};
  if (!parsed) {
    return call->respond(error_answer(400, parsed.error().id, parsed.error().error));
  }
  if (parsed->kind == mcp::Message::Kind::request) {
    return request(call, std::move(*parsed));
  }
  // Notifications and replies mean something to a session only; the stateless era has none to send.
  if (call->request().headers.contains(kSessionHeader)) {
    const McpSessionPtr session = session_of(call);
    if (session == nullptr) {
      return;
    }
    sandbox_->server().receive(std::move(*parsed), {session->session, nullptr, nullptr, nullptr});
  }
  call->respond(accepted());
}

void McpEndpoint::request(const CallPtr& call, mcp::Message message) {
  const http::Headers& headers = call->request().headers;
  if (era_of(headers, message) == mcp::Era::stateless) {
    if (const auto wrong = check_stateless_headers(headers, message); wrong) {
      return call->respond(error_answer(400, message.id, *wrong));
    }
    return receive(call, nullptr, std::move(message), mcp::Era::stateless);
  }
  if (message.method == "initialize" && !headers.contains(kSessionHeader)) {
    McpSessionPtr session = sessions_.add(call->identity, McpSessions::Clock::now());
    if (session == nullptr) {
      return call->respond(
          problem(base::make_error(base::ErrorCode::overloaded, "there are too many sessions").with_retry_after(60)));
    }
    return receive(call, std::move(session), std::move(message), mcp::Era::handshake);
  }
  if (!headers.contains(kSessionHeader)) {
    return call->respond(error_answer(
        400, message.id,
        {mcp::kInvalidRequest, "begin with initialize and send its Mcp-Session-Id, or name a revision per request"}));
  }
  if (McpSessionPtr session = session_of(call); session != nullptr) {
    receive(call, std::move(session), std::move(message), mcp::Era::handshake);
  }
}

void McpEndpoint::batch(const CallPtr& call, const McpSessionPtr& session) {
  if (session == nullptr) {
    return;  // told already
  }
  const std::string text = std::move(call->request().body);
  mcp::Origin origin;
  origin.session = session->session;
  origin.channel = std::make_shared<HttpChannel>(call, session, false, "null");
  origin.host = std::make_shared<HttpHost>(api_, call, "");
  if (!mcp::receive_batch(sandbox_->server(), text, origin)) {
    call->respond(accepted());
  }
}

McpSessionPtr McpEndpoint::session_of(const CallPtr& call) {
  const std::string id(call->request().headers.get(kSessionHeader));
  McpSessionPtr session = sessions_.find(id, call->identity, McpSessions::Clock::now());
  if (session == nullptr) {
    call->respond(error_answer(404, "null", {mcp::kInvalidRequest, "there is no such session"}));
  }
  return session;
}

void McpEndpoint::receive(const CallPtr& call, McpSessionPtr session, mcp::Message message, mcp::Era era) {
  const std::string task(call->request().headers.get("Glovebox-Task"));
  if (!task.empty() && !is_task_id(task)) {
    return call->respond(
        bad_request("Glovebox-Task", "a task's name is letters, digits and ._:/- after a letter or digit"));
  }
  mcp::Origin origin;
  origin.session = session != nullptr ? session->session : nullptr;
  origin.channel =
      std::make_shared<HttpChannel>(call, session, session != nullptr && message.method == "initialize", message.id);
  origin.host = std::make_shared<HttpHost>(api_, call, task);
  const auto token = std::make_shared<const engine::CancelToken>();
  origin.cancel = token;
  if (era == mcp::Era::stateless) {
    call->exchange().on_disconnect([token] { token->cancel(); });
  }
  sandbox_->server().receive(std::move(message), std::move(origin), era);
}

void McpEndpoint::get(const CallPtr& call) {
  const http::Headers& headers = call->request().headers;
  if (is_foreign(call)) {
    return;
  }
  if (!headers.contains(kSessionHeader)) {
    return call->respond(no_session_here());
  }
  if (!accepts(headers, "text/event-stream")) {
    return call->respond(
        problem(Problem(406, "not_acceptable", "The client takes none of our answers.", "accept text/event-stream")));
  }
  const McpSessionPtr session = session_of(call);
  if (session == nullptr) {
    return;
  }
  if (!headers.contains("Last-Event-ID")) {
    // News of before were for whoever listened then.
    return session->news()->attach(call, {}, std::numeric_limits<std::uint64_t>::max());
  }
  const auto last = parse_event_id(headers.get("Last-Event-ID"));
  const EventStreamPtr stream = last ? session->find_stream(last->stream) : nullptr;
  if (stream == nullptr) {
    return call->respond(bad_request("Last-Event-ID", "there is no such event any more"));
  }
  stream->attach(call, {}, last->sequence);
}

void McpEndpoint::remove(const CallPtr& call) {
  if (is_foreign(call)) {
    return;
  }
  if (!call->request().headers.contains(kSessionHeader)) {
    return call->respond(no_session_here());
  }
  const std::string id(call->request().headers.get(kSessionHeader));
  if (!sessions_.remove(id, call->identity)) {
    return call->respond(error_answer(404, "null", {mcp::kInvalidRequest, "there is no such session"}));
  }
  http::Response gone;
  gone.status = 204;
  call->respond(std::move(gone));
}

void McpEndpoint::close() {
  drain();
  sessions_.close_all();
  sandbox_->stop();
}

void McpEndpoint::drain() {
  sandbox_->server().listeners().end_all();
  sessions_.end_news();
}

}  // namespace glovebox::server
