#include "policy/reading/name_reader.h"

#include <algorithm>

namespace glovebox::policy {
namespace {

constexpr int kMaxRounds = 5;
constexpr std::size_t kMaxPossibilities = 16;
constexpr std::size_t kMaxLists = 200'000;
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20U;
constexpr NodeId kNodesPerLook = 512;

}  // namespace

NameReader::NameReader(Names& names, FactList& facts, Clock::time_point deadline)
    : names_(names), facts_(facts), deadline_(deadline) {}

void NameReader::read(const Source& source) {
  begin(source);
  const std::size_t facts_before = facts_.size();
  for (int round = 0; round < kMaxRounds; ++round) {
    again_ = false;
    facts_.forget_from(facts_before);
    inner_.clear();
    if (!evaluate_all() || !again_) {
      break;
    }
  }
  report_touched();
}

void NameReader::begin(const Source& source) {
  if (source_.tree != nullptr) {
    leave_source();
  }
  source_ = source;
  const std::size_t count = source.tree->nodes.size();
  values_.assign(count, {});
  touched_.assign(count, 0);
  followed_.assign(count, 0);
  skipped_.assign(count, 0);
  early_.assign(count, kNoNode);
  for (NodeId node = 1; node < count; ++node) {
    mark_targets(node);
  }
}

// Values that point into a tree cannot outlive it.
void NameReader::leave_source() {
  const auto detach = [&](Value& value) {
    if (value.is == Value::Is::literal) {
      auto decoded = text(value);
      value = decoded ? make_text(std::move(*decoded)) : Value();
    } else if (value.is == Value::Is::sequence) {
      value = {};
    }
  };
  for (auto* bindings : {&variables_, &members_}) {
    for (Binding& each : *bindings) {
      detach(each.value);
      each.was_read = false;
    }
  }
  for (std::vector<Value>& list : lists_) {
    std::for_each(list.begin(), list.end(), detach);
  }
}

bool NameReader::evaluate_all() {
  std::fill(touched_.begin(), touched_.end(), 0);
  std::fill(followed_.begin(), followed_.end(), 0);
  begin_round();
  for (NodeId node = 1; node < values_.size(); ++node) {
    if (node % kNodesPerLook == 0 && Clock::now() > deadline_) {
      out_of_time_ = true;
      return false;
    }
    if (skipped_[node] == 0) {
      evaluate(node);
    }
    if (early_[node] != kNoNode) {
      evaluate(early_[node]);
    }
  }
  return true;
}

void NameReader::report_touched() {
  for (NodeId node = 1; node < values_.size(); ++node) {
    if (touched_[node] == 0 || !values_[node].known()) {
      continue;
    }
    if (touched_[node] == kName) {
      add_touched(node, values_[node]);
    }
    if (followed_[node] == 0) {
      report_handed_on(node, values_[node]);
    }
  }
}

namespace {

// An expression whose value is that of one of its parts. (An assignment says itself where its value goes.)
bool passes_on(Kind kind) {
  switch (kind) {
    case Kind::await:
    case Kind::await_expression:
    case Kind::binary_expression:
    case Kind::boolean_operator:
    case Kind::conditional_expression:
    case Kind::parenthesized_expression:
    case Kind::sequence_expression:
    case Kind::ternary_expression:
      return true;
    default:
      return false;
  }
}

}  // namespace

void NameReader::follow(NodeId node) {
  std::vector<NodeId> todo = {node};
  while (!todo.empty()) {
    const NodeId each = todo.back();
    todo.pop_back();
    if (each == kNoNode || followed_[each] != 0) {
      continue;
    }
    followed_[each] = 1;
    // `a || b` has the value of a part, a comparison has none that is known.
    if (passes_on(at(each).kind) && (at(each).kind != Kind::binary_expression || values_[each].known())) {
      each_child(each, [&](NodeId part) { todo.push_back(part); });
    }
  }
}

void NameReader::follow_elements(NodeId sequence) {
  switch (at(sequence).kind) {
    case Kind::array:
    case Kind::expression_list:
    case Kind::list:
    case Kind::set:
    case Kind::tuple:
      each_child(sequence, [&](NodeId each) { follow(each); });
      break;
    default:
      break;
  }
}

Value NameReader::make_list(std::vector<Value> values) {
  if (lists_.size() >= kMaxLists) {
    return {};
  }
  lists_.push_back(std::move(values));
  return {Value::Is::several, static_cast<std::uint32_t>(lists_.size() - 1)};
}

Value NameReader::join(Value left, Value right) {
  if (left == right) {
    return left;
  }
  std::vector<Value> all;
  const auto add = [&](Value each) {
    if (std::find(all.begin(), all.end(), each) != all.end()) {
      return;
    }
    if (all.size() < kMaxPossibilities) {
      all.push_back(each);
    } else {
      all.back() = {};
    }
  };
  each_possible(left, add);
  const std::vector<Value> before = all;
  each_possible(right, add);
  return all == before ? left : make_list(std::move(all));
}

Value NameReader::make_text(std::string text) {
  if (text_bytes_ + text.size() > kMaxTextBytes) {
    return {};
  }
  text_bytes_ += text.size();
  texts_.push_back(std::move(text));
  return {Value::Is::text, static_cast<std::uint32_t>(texts_.size() - 1)};
}

std::optional<std::string> NameReader::text(Value value) {
  switch (value.is) {
    case Value::Is::text:
      return texts_[value.id];
    case Value::Is::literal:
      return decode_literal(value.id);
    default:
      return std::nullopt;
  }
}

bool NameReader::may_be_text(Value value) {
  bool found = false;
  each_possible(value, [&](Value each) {
    found = found || each.is == Value::Is::text || each.is == Value::Is::literal || each.is == Value::Is::sequence;
  });
  return found;
}

Value NameReader::element_of(Value sequence) {
  std::optional<Value> result;
  each_possible(sequence, [&](Value each) {
    if (each.is != Value::Is::sequence) {
      const Value element = each.is == Value::Is::result || each.is == Value::Is::method ? each : Value();
      result = result ? join(*result, element) : element;
      return;
    }
    each_child(each.id, [&](NodeId child) {
      const NodeId inner = at(child).kind == Kind::pair ? this->child(child, Field::value) : child;
      result = result ? join(*result, value(inner)) : value(inner);
    });
  });
  return result.value_or(Value());
}

Value NameReader::nth_of(Value sequence, std::size_t index) {
  if (sequence.is != Value::Is::sequence) {
    return element_of(sequence);
  }
  NodeId child = at(sequence.id).first_child;
  for (; child != kNoNode && index > 0; --index) {
    child = at(child).next;
  }
  return value(child);
}

Value NameReader::join_texts(Value sequence, const std::string& separator) {
  if (sequence.is != Value::Is::sequence) {
    return {};
  }
  std::string joined;
  bool whole = true;
  bool first = true;
  each_child(sequence.id, [&](NodeId each) {
    const auto part = text(value(each));
    whole = whole && part;
    joined += (first ? std::string() : separator) + part.value_or(std::string());
    first = false;
  });
  return whole ? make_text(std::move(joined)) : Value();
}

Value NameReader::member(Value receiver, Word word) {
  std::optional<Value> result;
  const auto add = [&](Value each) { result = result ? join(*result, each) : each; };
  each_possible(receiver, [&](Value each) {
    switch (each.is) {
      case Value::Is::name:
        add(member_of_name(each.id, word));
        return;
      case Value::Is::result:
        add(Value::method(names_.member(each.id, word)));
        return;
      case Value::Is::method:
        add(Value::method(names_.member(names_.parent(each.id), word)));
        return;
      default:
        break;
    }
    Binding& known = binding(members_, word);
    known.was_read = true;
    add(known.filled ? join(known.value, {}) : Value());
    // What a class's body assigns is a variable in its text and a member outside.
    Binding& variable = binding(variables_, word);
    variable.was_read = true;
    if (variable.filled) {
      each_possible(variable.value, [&](Value assigned) {
        if (assigned.is == Value::Is::name) {
          add(assigned);
        }
      });
    }
  });
  return result.value_or(Value());
}

NameReader::Binding& NameReader::binding(std::vector<Binding>& of, Word word) {
  if (word >= of.size()) {
    of.resize(std::max<std::size_t>(word + 1, names_.word_count()));
  }
  return of[word];
}

Value NameReader::look_up(Word word) {
  Binding& known = binding(variables_, word);
  if (!known.bound) {
    return meaning_of_free(word);
  }
  known.was_read = true;
  return is_always_free(word) ? join(meaning_of_free(word), known.value) : known.value;
}

void NameReader::extend(Binding& binding, Value value) {
  const Value before = binding.value;
  binding.value = binding.filled ? join(before, value) : value;
  binding.filled = true;
  if (binding.was_read && !(binding.value == before)) {
    // That it may be something unknown as well matters to those who took it for a constant.
    again_ = again_ || value.known() || may_be_text(before);
  }
}

void NameReader::bind(Word word, Value value) {
  Binding& known = binding(variables_, word);
  known.bound = true;
  extend(known, value);
}

void NameReader::bind_member(Word word, Value value) {
  each_possible(value, [&](Value each) {
    if (each.is == Value::Is::name) {
      extend(binding(members_, word), each);
    }
  });
}

void NameReader::add_fact(FactKind kind, NodeId node, std::string name, std::string detail) {
  facts_.add(kind, source_.inside.value_or(Span{at(node).start, at(node).end}), std::move(name), std::move(detail));
}

void NameReader::add_touched(NodeId node, Value value) {
  each_possible(value, [&](Value each) {
    if (each.is == Value::Is::name) {
      add_fact(FactKind::attribute, node, each.id);
    }
  });
}

void NameReader::add_inner(std::string text, NodeId node, std::string run_by) {
  if (inner_.size() < kMaxInnerPrograms) {
    inner_.push_back({std::move(text), source_.inside.value_or(Span{at(node).start, at(node).end}), std::move(run_by)});
    return;
  }
  add_fact(FactKind::dynamic, node, std::move(run_by), "more programs in strings than are read");
}

}  // namespace glovebox::policy
