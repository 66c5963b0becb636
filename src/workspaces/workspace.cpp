#include "workspaces/workspace.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/units.h"

namespace glovebox::workspaces {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;

Use use_of(const Tree& tree) {
  Use use;
  for (const auto& [path, file] : tree) {
    use.bytes += path.size() + file->bytes();
    ++use.files;
  }
  return use;
}

// Everything in the directory, as a range of the tree.
std::pair<Tree::const_iterator, Tree::const_iterator> inside(const Tree& tree, std::string_view directory) {
  if (directory.empty()) {
    return {tree.begin(), tree.end()};
  }
  // '0' is the character after '/'.
  return {tree.lower_bound(std::string(directory) + "/"), tree.lower_bound(std::string(directory) + "0")};
}

Status check_place(const Tree& tree, const base::RelPath& path) {
  const auto refuse = [&](const std::string& message) {
    return base::fail(base::make_error(ErrorCode::invalid_request, message).with_field("path"));
  };
  if (const auto [first, last] = inside(tree, path.str()); first != last) {
    return refuse(path.str() + " is a directory");
  }
  for (auto slash = path.str().find('/'); slash != std::string::npos; slash = path.str().find('/', slash + 1)) {
    if (const std::string parent = path.str().substr(0, slash); tree.contains(parent)) {
      return refuse(parent + " is a file and no directory");
    }
  }
  return {};
}

base::Error no_such_file(const base::RelPath& path) {
  return base::make_error(ErrorCode::not_found, "the workspace has no file " + path.str()).with_field("path");
}

base::Error ended() { return base::make_error(ErrorCode::not_found, "there is no such workspace"); }

// The request's own files come first, so that a message about files[0] means the caller's.
Status add_files(contract::RunRequest& request, const Tree& tree) {
  std::set<std::string_view> own;
  for (const contract::InputFile& file : request.files) {
    own.insert(file.path.str());
  }
  std::vector<contract::InputFile> added;
  added.reserve(tree.size());
  for (const auto& [path, file] : tree) {
    if (!own.contains(path)) {
      base::RelPath where = TRY(base::RelPath::parse(path));
      std::string bytes = TRY(file->read_whole());
      added.push_back({std::move(where), std::move(bytes)});
    }
  }
  request.files.insert(request.files.end(), std::make_move_iterator(added.begin()),
                       std::make_move_iterator(added.end()));
  return {};
}

Changes difference(const Tree& before, const Tree& after) {
  Changes changes;
  for (const auto& [path, file] : after) {
    const auto old = before.find(path);
    if (old == before.end() || old->second->sha256() != file->sha256()) {
      changes.written.push_back(path);
    }
  }
  for (const auto& [path, file] : before) {
    if (!after.contains(path)) {
      changes.removed.push_back(path);
    }
  }
  return changes;
}

}  // namespace

Workspace::Workspace(std::shared_ptr<FileShelf> shelf, std::shared_ptr<Allowance> allowance,
                     runner::WorkspaceSettings settings)
    : shelf_(std::move(shelf)),
      allowance_(std::move(allowance)),
      settings_(settings),
      tree_(std::make_shared<const Tree>()) {}

Workspace::~Workspace() { (void)allowance_->exchange(use_of(*tree_), {}); }

std::shared_ptr<const Tree> Workspace::tree() const {
  const std::lock_guard lock(mutex_);
  return tree_;
}

Use Workspace::used() const { return use_of(*tree()); }

Status Workspace::check_bounds(const Use& use) const {
  const auto refuse = [](const std::string& bound) {
    return base::fail(base::make_error(ErrorCode::input_too_large, "the workspace would have more than " + bound)
                          .with_hint("remove files that are no longer needed"));
  };
  if (use.bytes > settings_.bytes) {
    return refuse(base::format_size(settings_.bytes));
  }
  if (use.files > settings_.files) {
    return refuse(std::to_string(settings_.files) + " files");
  }
  return {};
}

Status Workspace::replace(Tree next) {
  const Use after = use_of(next);
  TRY_STATUS(check_bounds(after));
  auto state = std::make_shared<const Tree>(std::move(next));
  const std::lock_guard lock(mutex_);
  if (ended_) {
    return base::fail(ended());
  }
  TRY_STATUS(allowance_->exchange(use_of(*tree_), after));
  tree_.swap(state);
  return {};
}

Status Workspace::write(const base::RelPath& path, std::string_view bytes, WriteMode mode,
                        std::chrono::milliseconds patience) {
  const Turns::Turn turn = TRY(turns_.take(patience, nullptr));
  Tree next = *tree();
  TRY_STATUS(check_place(next, path));
  const auto old = next.find(path.str());
  const bool appends = mode == WriteMode::append && old != next.end();
  // Before anything is written: what cannot be kept must not fill the disk either.
  Use use = use_of(next);
  if (old == next.end()) {
    use.bytes += path.str().size();
    ++use.files;
  } else if (!appends) {
    use.bytes -= old->second->bytes();
  }
  use.bytes += bytes.size();
  TRY_STATUS(check_bounds(use));
  if (appends) {
    std::string whole = TRY(old->second->read_whole());
    whole += bytes;
    next[path.str()] = TRY(shelf_->store(whole));
  } else {
    next[path.str()] = TRY(shelf_->store(bytes));
  }
  return replace(std::move(next));
}

Result<std::string> Workspace::read(const base::RelPath& path, std::uint64_t offset, std::uint64_t max_bytes) const {
  const auto now = tree();
  const auto file = now->find(path.str());
  if (file == now->end()) {
    return base::fail(no_such_file(path));
  }
  return file->second->read(offset, max_bytes);
}

Result<Entry> Workspace::find(const base::RelPath& path) const {
  const auto now = tree();
  const auto file = now->find(path.str());
  if (file == now->end()) {
    return base::fail(no_such_file(path));
  }
  return Entry{path.str(), file->second->bytes(), file->second->sha256()};
}

std::vector<Entry> Workspace::list(std::string_view directory) const {
  const auto now = tree();
  std::vector<Entry> entries;
  for (auto [file, last] = inside(*now, directory); file != last; ++file) {
    entries.push_back({file->first, file->second->bytes(), file->second->sha256()});
  }
  return entries;
}

Result<std::size_t> Workspace::remove(const base::RelPath& path) {
  const Turns::Turn turn = TRY(turns_.take(kTurnPatience, nullptr));
  Tree next = *tree();
  const std::size_t before = next.size();
  const auto [first, last] = inside(next, path.str());
  next.erase(first, last);
  next.erase(path.str());
  const std::size_t removed = before - next.size();
  if (removed == 0) {
    return base::fail(no_such_file(path));
  }
  TRY_STATUS(replace(std::move(next)));
  return removed;
}

Result<WorkspaceRun> Workspace::run(runner::Runner& runner, contract::RunRequest request, runner::RunOptions options,
                                    std::chrono::milliseconds patience) {
  const Turns::Turn turn = TRY(turns_.take(patience, options.cancel));
  if (ended_) {
    return base::fail(ended());
  }
  const std::size_t own_files = request.files.size();
  TRY_STATUS(add_files(request, *tree()));
  request.cache = contract::CacheMode::off;  // an answer from the cache would leave nothing behind
  options.parked = nullptr;                  // nobody else could have a turn until a person has answered
  runner::WorkKeeping work{{settings_.bytes, settings_.files}, std::nullopt};
  options.work = &work;
  WorkspaceRun run;
  run.result = runner.run(request, options);
  if (work.left) {
    run.changes = take_over(std::move(*work.left), std::span(request.files).first(own_files));
  }
  run.request = std::move(request);
  return run;
}

Changes Workspace::take_over(engine::WorkTree left, std::span<const contract::InputFile> own_files) {
  const auto before = tree();
  Changes changes;
  std::string problem = left.incomplete;
  if (problem.empty()) {
    auto next = next_tree(left, own_files, *before);
    if (next) {
      changes = difference(*before, *next);
      if (auto replaced = replace(std::move(*next)); !replaced) {
        problem = base::cause_of(replaced.error());
      }
    } else {
      problem = base::cause_of(next.error());
    }
  }
  if (!problem.empty()) {
    changes = Changes();
    changes.kept_old = "the files of the workspace are as they were before this run: " + problem;
  }
  changes.not_taken = std::move(left.refused);
  return changes;
}

Result<Tree> Workspace::next_tree(engine::WorkTree& left, std::span<const contract::InputFile> own_files,
                                  const Tree& before) {
  Tree next;
  std::map<std::string_view, const std::string*> sent;  // inline files of the request itself
  for (const contract::InputFile& file : own_files) {
    if (const auto* bytes = std::get_if<std::string>(&file.content); bytes != nullptr) {
      sent[file.path.str()] = bytes;
    } else if (const auto hidden = before.find(file.path.str()); hidden != before.end()) {
      next.insert(*hidden);  // a blob was mounted over it
    }
  }
  for (engine::WorkFile& file : left.written) {
    next[file.path] = TRY(shelf_->store(file.content));
    file.content = std::string();
  }
  for (const std::string& path : left.kept) {
    if (const auto own = sent.find(path); own != sent.end()) {
      next[path] = TRY(shelf_->store(*own->second));
    } else {
      next.insert(*before.find(path));
    }
  }
  return next;
}

}  // namespace glovebox::workspaces
