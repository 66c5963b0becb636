#include <fmt/format.h>

#include "contract/request_rules.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/blob_sink.h"

namespace glovebox::server {
namespace {

std::string blob_json(const std::string& sha256, std::uint64_t bytes) {
  return fmt::format(R"({{"sha256":"{}","bytes":{}}})", sha256, bytes);
}

http::Response bad_name() { return bad_request("sha256", "a blob's name is 64 lower-case hexadecimal digits"); }

}  // namespace

void Api::put_blob(const CallPtr& call) {
  const std::string& sha256 = call->parameters.front();
  if (!contract::is_sha256_hex(sha256)) {
    return call->respond(bad_name());
  }
  auto sink = std::dynamic_pointer_cast<BlobSink>(call->request().sink);
  if (sink == nullptr) {  // a body without a byte has no sink
    auto opened = BlobSink::open(runner_.blobs(call->identity.tenant), sha256, ledger().settings().serve.blob_bytes);
    if (!opened) {
      return call->respond(problem(opened.error()));
    }
    sink = std::move(*opened);
  }
  chore(call, [call, sink, sha256] {
    const std::uint64_t bytes = sink->bytes();
    if (auto stored = sink->commit(); !stored) {
      const bool differs = stored.error().code == base::ErrorCode::invalid_request;
      return call->respond(
          differs ? problem(Problem(422, "hash_mismatch", "The bytes have another SHA-256 than their name.",
                                    stored.error().message))
                  : problem(stored.error()));
    }
    call->respond(json_answer(sink->was_known() ? 200 : 201, blob_json(sha256, bytes)));
  });
}

void Api::get_blob(const CallPtr& call) {
  const std::string& sha256 = call->parameters.front();
  if (!contract::is_sha256_hex(sha256)) {
    return call->respond(bad_name());
  }
  chore(call, [this, call, sha256] {
    auto blob = runner_.blobs(call->identity.tenant).open(sha256);
    if (!blob) {
      return call->respond(blob.error().code == base::ErrorCode::blob_missing ? not_found("there is no blob " + sha256)
                                                                              : problem(blob.error()));
    }
    http::Response response;
    response.headers = {{"Content-Type", "application/octet-stream"},
                        {"ETag", "\"" + sha256 + "\""},
                        {"Content-Disposition", "attachment"},
                        {"X-Content-Type-Options", "nosniff"}};
    response.file = http::FileBody{std::move(blob->fd), 0, blob->bytes};
    call->respond(std::move(response));
  });
}

}  // namespace glovebox::server
