#include <initializer_list>
#include <string_view>

#include "policy/reading/python_reader.h"

namespace glovebox::policy {
namespace {

struct SpecialName {
  std::string_view name;
  PythonSpecial special;
};

constexpr SpecialName kSpecials[] = {
    {"__import__", PythonSpecial::import_top},
    {"importlib.__import__", PythonSpecial::import_top},
    {"importlib.import_module", PythonSpecial::import_module},
    {"importlib.util.find_spec", PythonSpecial::import_module},
    {"pkgutil.resolve_name", PythonSpecial::import_module},
    {"pkgutil.find_loader", PythonSpecial::import_module},
    {"pkgutil.get_loader", PythonSpecial::import_module},
    {"runpy.run_module", PythonSpecial::import_module},
    {"exec", PythonSpecial::run_code},
    {"eval", PythonSpecial::run_code},
    {"compile", PythonSpecial::run_code},
    {"code.InteractiveInterpreter.runsource", PythonSpecial::run_code},
    {"timeit.timeit", PythonSpecial::run_code},
    {"getattr", PythonSpecial::get_member},
    {"inspect.getattr_static", PythonSpecial::get_member},
    {"object.__getattribute__", PythonSpecial::get_member},
    {"type.__getattribute__", PythonSpecial::get_member},
    {"setattr", PythonSpecial::set_member},
    {"object.__setattr__", PythonSpecial::set_member},
    {"type.__setattr__", PythonSpecial::set_member},
    {"delattr", PythonSpecial::drop_member},
    {"operator.attrgetter", PythonSpecial::member_getter},
    {"operator.methodcaller", PythonSpecial::member_getter},
    {"vars", PythonSpecial::namespace_of},
    {"globals", PythonSpecial::own_namespace},
    {"locals", PythonSpecial::own_namespace},
    {"sys.modules", PythonSpecial::modules},
    {"builtins", PythonSpecial::builtins},
    {"__builtins__", PythonSpecial::builtins},
    {"chr", PythonSpecial::character},
    {"map", PythonSpecial::apply_to_each},
    {"filter", PythonSpecial::apply_to_each},
};

// Shadowing one of these hides nothing: the word keeps its meaning for the reader, wherever the program binds it.
constexpr std::string_view kOwnWords[] = {"__builtins__", "__import__", "breakpoint", "compile", "delattr",
                                          "eval",         "exec",       "getattr",    "globals", "locals",
                                          "open",         "setattr",    "vars"};

constexpr std::string_view kBuiltinWords[] = {"ArithmeticError",
                                              "AssertionError",
                                              "AttributeError",
                                              "BaseException",
                                              "Ellipsis",
                                              "EOFError",
                                              "Exception",
                                              "FileExistsError",
                                              "FileNotFoundError",
                                              "ImportError",
                                              "IndexError",
                                              "IOError",
                                              "KeyError",
                                              "KeyboardInterrupt",
                                              "LookupError",
                                              "MemoryError",
                                              "ModuleNotFoundError",
                                              "NameError",
                                              "NotImplemented",
                                              "NotImplementedError",
                                              "OSError",
                                              "OverflowError",
                                              "PermissionError",
                                              "RecursionError",
                                              "RuntimeError",
                                              "StopIteration",
                                              "SyntaxError",
                                              "SystemExit",
                                              "TimeoutError",
                                              "TypeError",
                                              "UnicodeDecodeError",
                                              "UnicodeError",
                                              "ValueError",
                                              "Warning",
                                              "ZeroDivisionError",
                                              "__debug__",
                                              "__doc__",
                                              "__file__",
                                              "__name__",
                                              "__package__",
                                              "__spec__",
                                              "abs",
                                              "aiter",
                                              "all",
                                              "anext",
                                              "any",
                                              "ascii",
                                              "bin",
                                              "bool",
                                              "bytearray",
                                              "bytes",
                                              "callable",
                                              "chr",
                                              "classmethod",
                                              "complex",
                                              "copyright",
                                              "credits",
                                              "dict",
                                              "dir",
                                              "divmod",
                                              "enumerate",
                                              "exit",
                                              "filter",
                                              "float",
                                              "format",
                                              "frozenset",
                                              "hasattr",
                                              "hash",
                                              "help",
                                              "hex",
                                              "id",
                                              "input",
                                              "int",
                                              "isinstance",
                                              "issubclass",
                                              "iter",
                                              "len",
                                              "license",
                                              "list",
                                              "map",
                                              "max",
                                              "memoryview",
                                              "min",
                                              "next",
                                              "object",
                                              "oct",
                                              "ord",
                                              "pow",
                                              "print",
                                              "property",
                                              "quit",
                                              "range",
                                              "repr",
                                              "reversed",
                                              "round",
                                              "set",
                                              "slice",
                                              "sorted",
                                              "staticmethod",
                                              "str",
                                              "sum",
                                              "super",
                                              "tuple",
                                              "type",
                                              "zip"};

constexpr std::string_view kInnerModules[] = {"builtins", "ctypes", "importlib", "os",         "posix", "pty",
                                              "shutil",   "signal", "socket",    "subprocess", "sys"};

void mark(Names& names, std::vector<bool>& words, std::string_view text) {
  const Word word = names.word(text);
  if (word >= words.size()) {
    words.resize(word + 1);
  }
  words[word] = true;
}

}  // namespace

PythonNames::PythonNames() {
  for (const SpecialName& each : kSpecials) {
    const NameId name = names.dotted(each.name);
    if (name >= specials.size()) {
      specials.resize(name + 1, PythonSpecial::none);
    }
    specials[name] = each.special;
  }
  for (const std::string_view each : kOwnWords) {
    mark(names, own_words, each);
    mark(names, builtin_words, each);
  }
  for (const std::string_view each : kBuiltinWords) {
    mark(names, builtin_words, each);
  }
  for (const std::string_view each : kInnerModules) {
    mark(names, inner_modules, each);
    mark(names, inner_modules, names.keep("_" + std::string(each)));
  }
  for (const std::string_view each : {"__globals__", "f_globals", "f_locals", "func_globals"}) {
    mark(names, globals_words, each);
  }
  namespace_word = names.word("__dict__");
  names.remember_for_good();
}

}  // namespace glovebox::policy
