#include <string_view>

#include "policy/reading/javascript_reader.h"

namespace glovebox::policy {
namespace {

struct JavascriptName {
  std::string_view name;
  JavascriptSpecial special;
};

constexpr JavascriptName kJavaScriptSpecials[] = {
    {"require", JavascriptSpecial::import_module},
    {"import", JavascriptSpecial::import_module},
    {"module.require", JavascriptSpecial::import_module},
    {"module._load", JavascriptSpecial::import_module},
    {"module.Module._load", JavascriptSpecial::import_module},
    {"module.constructor._load", JavascriptSpecial::import_module},
    {"module.parent.require", JavascriptSpecial::import_module},
    {"require.main.require", JavascriptSpecial::import_module},
    {"process.mainModule.require", JavascriptSpecial::import_module},
    {"process.mainModule.constructor._load", JavascriptSpecial::import_module},
    {"process.getBuiltinModule", JavascriptSpecial::import_module},
    {"module.createRequire", JavascriptSpecial::make_importer},
    {"module.createRequireFromPath", JavascriptSpecial::make_importer},
    {"module.Module.createRequire", JavascriptSpecial::make_importer},
    {"eval", JavascriptSpecial::run_code},
    {"vm.runInThisContext", JavascriptSpecial::run_code},
    {"vm.runInNewContext", JavascriptSpecial::run_code},
    {"vm.runInContext", JavascriptSpecial::run_code},
    {"vm.compileFunction", JavascriptSpecial::run_code},
    {"vm.Script", JavascriptSpecial::run_code},
    {"Function", JavascriptSpecial::make_function},
    {"Function.constructor", JavascriptSpecial::make_function},
    {"setTimeout", JavascriptSpecial::run_later},
    {"setInterval", JavascriptSpecial::run_later},
    {"setImmediate", JavascriptSpecial::run_later},
    {"Reflect.get", JavascriptSpecial::get_member},
    {"Object.getOwnPropertyDescriptor", JavascriptSpecial::get_member},
    {"Reflect.getOwnPropertyDescriptor", JavascriptSpecial::get_member},
    {"Reflect.apply", JavascriptSpecial::apply_function},
    {"Reflect.construct", JavascriptSpecial::apply_function},
    {"String.fromCharCode", JavascriptSpecial::characters},
    {"String.fromCodePoint", JavascriptSpecial::characters},
    {"globalThis", JavascriptSpecial::global_object},
    {"global", JavascriptSpecial::global_object},
    {"window", JavascriptSpecial::global_object},
    {"process.env", JavascriptSpecial::plain_data},
    {"process.argv", JavascriptSpecial::plain_data},
    {"arguments", JavascriptSpecial::plain_data},
    {"Object.getPrototypeOf", JavascriptSpecial::prototype_of},
    {"Reflect.getPrototypeOf", JavascriptSpecial::prototype_of},
};

constexpr std::string_view kJavaScriptOwnWords[] = {"Function",   "Reflect", "eval",    "global",
                                                    "globalThis", "module",  "process", "require"};

}  // namespace

JavascriptNames::JavascriptNames() {
  for (const JavascriptName& each : kJavaScriptSpecials) {
    const NameId name = names.dotted(each.name);
    if (name >= specials.size()) {
      specials.resize(name + 1, JavascriptSpecial::none);
    }
    specials[name] = each.special;
  }
  for (const std::string_view each : kJavaScriptOwnWords) {
    const Word word = names.word(each);
    if (word >= own_words.size()) {
      own_words.resize(word + 1);
    }
    own_words[word] = true;
  }
  constructor_word = names.word("constructor");
  function_name = names.dotted("Function");
  process_name = names.dotted("process");
  module_name = names.dotted("module");
  arguments_word = names.word("arguments");
  value_word = names.word("value");
  proto_word = names.word("__proto__");
  console_name = names.dotted("console");
  for (const std::string_view each : {"caller", "prepareStackTrace", "__lookupGetter__"}) {
    const Word word = names.word(each);
    if (word >= stack_words.size()) {
      stack_words.resize(word + 1);
    }
    stack_words[word] = true;
  }
  for (const std::string_view each : {"require", "_load", "getBuiltinModule", "binding", "_linkedBinding", "dlopen"}) {
    const Word word = names.word(each);
    if (word >= importing_words.size()) {
      importing_words.resize(word + 1);
    }
    importing_words[word] = true;
  }
  names.remember_for_good();
}

}  // namespace glovebox::policy
