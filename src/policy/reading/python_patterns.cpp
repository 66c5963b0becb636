// Match statements: a pattern takes members, compares, and asks classes.
#include "policy/reading/python_reader.h"

namespace glovebox::policy {

// `case object(system=f)` takes a member of what is matched.
void PythonReader::evaluate_match(NodeId node) {
  const NodeId subject = child(node, Field::subject);
  const Value matched = value(subject);
  if (subject == kNoNode || at(subject).next == kNoNode || !matched.known()) {
    return;
  }
  bool asked = false;
  const bool dangerous = is_dangerous(matched);
  std::vector<NodeId> todo = {node};
  while (!todo.empty()) {
    const NodeId each = todo.back();
    todo.pop_back();
    if (at(each).kind == Kind::case_pattern) {
      bind_pattern(each, matched);
      asked = asked || (dangerous && is_asked_by_pattern(each));
    } else if (each == node || at(each).kind == Kind::block || at(each).kind == Kind::case_clause) {
      each_child(each, [&](NodeId part) { todo.push_back(part); });
    }
  }
  if (!asked) {
    follow_kept(subject);
  }
}

// Whether somebody else sees what is matched: a value that it is compared with, a class of the program's own, or those
// who get what a mapping holds.
bool PythonReader::is_asked_by_pattern(NodeId pattern) {
  std::vector<NodeId> todo = {pattern};
  while (!todo.empty()) {
    const NodeId each = todo.back();
    todo.pop_back();
    const NodeId first = at(each).first_child;
    switch (at(each).kind) {
      case Kind::class_pattern:
        if (first == kNoNode || !is_known_class(value_of_dotted(first))) {
          return true;
        }
        for (NodeId part = at(first).next; part != kNoNode; part = at(part).next) {
          todo.push_back(part);
        }
        break;
      case Kind::dotted_name:
        if (first != kNoNode && at(first).next != kNoNode) {
          return true;
        }
        break;
      default:
        if (text_of(each).starts_with('{')) {
          return true;
        }
        each_child(each, [&](NodeId part) { todo.push_back(part); });
        break;
    }
  }
  return false;
}

// What `x.name` gives, by whatever way it is taken.
Value PythonReader::take_member(NodeId node, Value object, std::string_view name) {
  const Word word = names_.word(name);
  report_look_alikes(node, name);
  report_inner_module(node, object, word);
  report_whole_namespace(node, object, name);
  if (is_marked(known_.holding_words, word)) {
    add_dynamic(node, names_.member(Names::kUnknown, word), "what a function holds is taken out of it");
  }
  const Value taken = member(object, word);
  bool from_unknown = false;
  each_possible(object, [&](Value each) { from_unknown = from_unknown || each.is != Value::Is::name; });
  return from_unknown && is_revealing(name) ? join(taken, Value::name(names_.member(Names::kUnknown, word))) : taken;
}

Value PythonReader::taken_by_pattern(NodeId name, Value object) {
  const Value taken = take_member(name, object, text_of(name));
  add_touched(name, taken);
  return taken;
}

Value PythonReader::value_of_dotted(NodeId dotted) {
  Value result;
  each_child(dotted, [&](NodeId each) {
    result = each == at(dotted).first_child ? look_up(word_of(each)) : take_member(dotted, result, text_of(each));
  });
  return result;
}

// `case Point(x, y)`: which members these are is up to the class.
void PythonReader::evaluate_class_pattern(NodeId pattern) {
  const NodeId name = at(pattern).first_child;
  if (name == kNoNode || at(name).kind != Kind::dotted_name) {
    return;
  }
  const Value asked = value_of_dotted(name);
  if (const NodeId first = at(name).first_child; first != kNoNode && at(first).next != kNoNode) {
    add_touched(name, asked);
  }
  bool by_place = false;
  each_child(pattern, [&](NodeId each) {
    const NodeId inner = at(each).kind == Kind::case_pattern ? at(each).first_child : each;
    by_place = by_place || (each != name && (inner == kNoNode || at(inner).kind != Kind::keyword_pattern));
  });
  bool made = false;
  each_possible(asked, [&](Value each) {
    made = made || (each.is == Value::Is::result && special(each.id) == PythonSpecial::type_of);
  });
  if (by_place && (made || (answers_for_members_ && has_metaclass_ && !is_known_class(asked)))) {
    add_fact(FactKind::dynamic, name, std::string(text_of(name)), "which members it takes is computed");
  }
}

// A class of classes, known by what it derives from.
void PythonReader::find_metaclass(NodeId definition) {
  const NodeId bases = child(definition, Field::superclasses);
  if (has_metaclass_ || bases == kNoNode) {
    return;
  }
  each_child(bases, [&](NodeId each) {
    each_possible(value(each), [&](Value base) {
      const std::string_view last = base.has_name() ? names_.text(names_.last(base.id)) : std::string_view();
      has_metaclass_ =
          has_metaclass_ || last == "type" || last == "__class__" || last.ends_with("Meta") || last.ends_with("Type");
    });
  });
  if (has_metaclass_) {
    ask_again();
  }
}

// `case sys.maxsize`: what is matched may have a method of its own that it is compared by.
void PythonReader::evaluate_value_pattern(NodeId dotted) {
  const Value compared = value_of_dotted(dotted);
  add_touched(dotted, compared);
  report_handed_on(dotted, compared);
}

// Members of a class by which it decides what patterns and isinstance make of it.
void PythonReader::report_class_member(NodeId node, Word word, Value held) {
  if (is_marked(known_.asked_words, word)) {
    add_fact(FactKind::dynamic, node, std::string(names_.text(word)),
             "what is of its kind is computed, and handed to it");
  }
  if (word != known_.match_args_word) {
    return;
  }
  each_possible(held, [&](Value each) {
    bool told = each.is == Value::Is::sequence;
    if (told) {
      each_child(each.id, [&](NodeId part) {
        const auto name = text(value(part));
        told = told && name;
        if (name) {
          add_touched(part, take_member(part, {}, names_.keep(*name)));
        }
      });
    }
    if (!told) {
      add_fact(FactKind::dynamic, node, std::string(names_.text(word)), "the names of the members are computed");
    }
  });
}

}  // namespace glovebox::policy
