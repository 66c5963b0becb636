// The runs that somebody may cancel: those that wait for a worker or for a person, and those that run.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "contract/run_request.h"
#include "engine/supervise/cancel_token.h"
#include "records/run_record.h"
#include "runner/caller.h"

namespace glovebox::server {

class LiveRuns {
 public:
  using Token = std::shared_ptr<const engine::CancelToken>;

  using Request = std::shared_ptr<const contract::RunRequest>;

  [[nodiscard]] Token add(const std::string& run_id, const runner::Caller& caller, Request request,
                          std::int64_t now_ms) {
    auto token = std::make_shared<const engine::CancelToken>();
    add(run_id, caller, std::move(request), now_ms, token);
    return token;
  }
  // A run that somebody else can cancel too, by a token of theirs.
  void add(const std::string& run_id, const runner::Caller& caller, Request request, std::int64_t now_ms, Token token) {
    const std::lock_guard lock(mutex_);
    runs_[run_id] = {caller, std::move(token), std::move(request), now_ms, ""};
  }
  // What will be its record, for a run that is not yet written down.
  [[nodiscard]] std::optional<records::RunRecord> find(const std::string& run_id, const std::string& tenant) {
    const std::lock_guard lock(mutex_);
    const auto found = runs_.find(run_id);
    if (found == runs_.end() || found->second.caller.tenant != tenant) {
      return std::nullopt;
    }
    const Run& run = found->second;
    records::RunRecord record;
    record.summary.run_id = run_id;
    record.summary.tenant = tenant;
    record.summary.key_id = run.caller.key_id;
    record.summary.task_id = run.caller.task_id;
    record.summary.language = run.request->language;
    record.summary.created_ms = run.created_ms;
    record.request = *run.request;
    return record;
  }
  // The run waits for this approval; empty: not any more.
  void waits_for(const std::string& run_id, std::string approval_id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = runs_.find(run_id); found != runs_.end()) {
      found->second.approval_id = std::move(approval_id);
    }
  }
  // Empty: it does not wait for one.
  [[nodiscard]] std::string approval_of(const std::string& run_id) {
    const std::lock_guard lock(mutex_);
    const auto found = runs_.find(run_id);
    return found == runs_.end() ? "" : found->second.approval_id;
  }
  void remove(const std::string& run_id) {
    const std::lock_guard lock(mutex_);
    runs_.erase(run_id);
  }
  // False: no such run of this tenant.
  bool cancel(const std::string& run_id, const std::string& tenant) {
    const std::lock_guard lock(mutex_);
    const auto found = runs_.find(run_id);
    if (found == runs_.end() || found->second.caller.tenant != tenant) {
      return false;
    }
    found->second.token->cancel();
    return true;
  }
  std::size_t cancel_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& [run_id, run] : runs_) {
      run.token->cancel();
    }
    return runs_.size();
  }

 private:
  struct Run {
    runner::Caller caller;
    Token token;
    Request request;
    std::int64_t created_ms = 0;
    std::string approval_id;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, Run> runs_;
};

}  // namespace glovebox::server
