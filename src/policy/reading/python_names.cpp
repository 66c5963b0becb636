#include <initializer_list>
#include <string_view>

#include "policy/reading/python_modules.h"
#include "policy/reading/python_reader.h"

namespace glovebox::policy {
namespace {

struct PythonName {
  std::string_view name;
  PythonSpecial special;
};

constexpr PythonName kPythonSpecials[] = {
    {"__import__", PythonSpecial::import_top},
    {"importlib.__import__", PythonSpecial::import_top},
    {"importlib._bootstrap.__import__", PythonSpecial::import_top},
    {"_frozen_importlib.__import__", PythonSpecial::import_top},
    {"importlib.import_module", PythonSpecial::import_module},
    {"importlib.util.find_spec", PythonSpecial::import_module},
    {"importlib._bootstrap._gcd_import", PythonSpecial::import_module},
    {"importlib._bootstrap._find_and_load", PythonSpecial::import_module},
    {"_frozen_importlib._gcd_import", PythonSpecial::import_module},
    {"_frozen_importlib._find_and_load", PythonSpecial::import_module},
    {"pkgutil.find_loader", PythonSpecial::import_module},
    {"pkgutil.get_loader", PythonSpecial::import_module},
    {"pkgutil.resolve_name", PythonSpecial::find_object},
    {"pydoc.locate", PythonSpecial::find_object},
    {"pydoc.resolve", PythonSpecial::find_object},
    {"pydoc.safeimport", PythonSpecial::import_module},
    {"runpy.run_module", PythonSpecial::import_module},
    {"unittest.mock._importer", PythonSpecial::find_object},
    {"unittest.mock.patch", PythonSpecial::find_object},
    {"exec", PythonSpecial::run_code},
    {"eval", PythonSpecial::run_code},
    {"compile", PythonSpecial::run_code},
    {"bdb.Bdb.run", PythonSpecial::run_code},
    {"bdb.Bdb.runctx", PythonSpecial::run_code},
    {"bdb.Bdb.runeval", PythonSpecial::run_code},
    {"cProfile.Profile.run", PythonSpecial::run_code},
    {"cProfile.Profile.runctx", PythonSpecial::run_code},
    {"cProfile.run", PythonSpecial::run_code},
    {"cProfile.runctx", PythonSpecial::run_code},
    {"code.InteractiveConsole.push", PythonSpecial::run_code},
    {"code.InteractiveConsole.runsource", PythonSpecial::run_code},
    {"code.InteractiveInterpreter.runsource", PythonSpecial::run_code},
    {"code.compile_command", PythonSpecial::run_code},
    {"codeop.compile_command", PythonSpecial::run_code},
    {"pdb.Pdb.run", PythonSpecial::run_code},
    {"pdb.Pdb.runctx", PythonSpecial::run_code},
    {"pdb.Pdb.runeval", PythonSpecial::run_code},
    {"pdb.run", PythonSpecial::run_code},
    {"pdb.runctx", PythonSpecial::run_code},
    {"pdb.runeval", PythonSpecial::run_code},
    {"profile.Profile.run", PythonSpecial::run_code},
    {"profile.Profile.runctx", PythonSpecial::run_code},
    {"profile.run", PythonSpecial::run_code},
    {"profile.runctx", PythonSpecial::run_code},
    {"trace.Trace.run", PythonSpecial::run_code},
    {"trace.Trace.runctx", PythonSpecial::run_code},
    {"typing.ForwardRef", PythonSpecial::run_code},
    {"timeit.timeit", PythonSpecial::run_statements},
    {"timeit.repeat", PythonSpecial::run_statements},
    {"timeit.Timer", PythonSpecial::run_statements},
    {"breakpoint", PythonSpecial::run_unseen},
    {"code.InteractiveConsole.interact", PythonSpecial::run_unseen},
    {"code.InteractiveConsole.runcode", PythonSpecial::run_unseen},
    {"code.InteractiveInterpreter.runcode", PythonSpecial::run_unseen},
    {"code.interact", PythonSpecial::run_unseen},
    {"ctypes.CDLL", PythonSpecial::run_unseen},
    {"ctypes.LibraryLoader", PythonSpecial::run_unseen},
    {"ctypes.OleDLL", PythonSpecial::run_unseen},
    {"ctypes.PyDLL", PythonSpecial::run_unseen},
    {"ctypes.WinDLL", PythonSpecial::run_unseen},
    {"doctest.DocFileSuite", PythonSpecial::run_unseen},
    {"doctest.DocTestRunner", PythonSpecial::run_unseen},
    {"doctest.DocTestSuite", PythonSpecial::run_unseen},
    {"doctest.debug", PythonSpecial::run_unseen},
    {"doctest.debug_script", PythonSpecial::run_unseen},
    {"doctest.debug_src", PythonSpecial::run_unseen},
    {"doctest.run_docstring_examples", PythonSpecial::run_unseen},
    {"doctest.testfile", PythonSpecial::run_unseen},
    {"doctest.testmod", PythonSpecial::run_unseen},
    {"imp.load_compiled", PythonSpecial::run_unseen},
    {"imp.load_dynamic", PythonSpecial::run_unseen},
    {"imp.load_module", PythonSpecial::run_unseen},
    {"imp.load_source", PythonSpecial::run_unseen},
    {"importlib.machinery.ExtensionFileLoader", PythonSpecial::run_unseen},
    {"importlib.machinery.FileFinder", PythonSpecial::run_unseen},
    {"importlib.machinery.SourceFileLoader", PythonSpecial::run_unseen},
    {"importlib.machinery.SourcelessFileLoader", PythonSpecial::run_unseen},
    {"importlib.util.module_from_spec", PythonSpecial::run_unseen},
    {"importlib.util.spec_from_file_location", PythonSpecial::run_unseen},
    {"logging.config.dictConfig", PythonSpecial::run_unseen},
    {"logging.config.fileConfig", PythonSpecial::run_unseen},
    {"logging.config.listen", PythonSpecial::run_unseen},
    {"pdb.Pdb.set_trace", PythonSpecial::run_unseen},
    {"pdb.pm", PythonSpecial::run_unseen},
    {"pdb.post_mortem", PythonSpecial::run_unseen},
    {"pdb.set_trace", PythonSpecial::run_unseen},
    {"pydoc.importfile", PythonSpecial::run_unseen},
    {"runpy.run_path", PythonSpecial::run_unseen},
    {"site.addpackage", PythonSpecial::run_unseen},
    {"site.addsitedir", PythonSpecial::run_unseen},
    {"typing._eval_type", PythonSpecial::run_unseen},
    {"typing.get_type_hints", PythonSpecial::run_unseen},
    {"zipimport.zipimporter", PythonSpecial::run_unseen},
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
    {"__main__", PythonSpecial::own_module},
    {"sys.modules", PythonSpecial::modules},
    {"builtins", PythonSpecial::builtins},
    {"__builtins__", PythonSpecial::builtins},
    {"enum.bltns", PythonSpecial::builtins},
    {"chr", PythonSpecial::character},
    {"map", PythonSpecial::apply_to_each},
    {"filter", PythonSpecial::apply_to_each},
    {"bool", PythonSpecial::only_looks},
    {"callable", PythonSpecial::only_looks},
    {"dir", PythonSpecial::only_looks},
    {"hasattr", PythonSpecial::only_looks},
    {"help", PythonSpecial::only_looks},
    {"id", PythonSpecial::only_looks},
    {"importlib.reload", PythonSpecial::same_module},
    {"isinstance", PythonSpecial::asks_class},
    {"issubclass", PythonSpecial::asks_class},
    {"len", PythonSpecial::only_looks},
    {"print", PythonSpecial::only_looks},
    {"repr", PythonSpecial::only_looks},
    {"str", PythonSpecial::only_looks},
    {"type", PythonSpecial::type_of},
    {"string.Formatter", PythonSpecial::formatter},
    {"string.Formatter._vformat", PythonSpecial::format_text},
    {"string.Formatter.format", PythonSpecial::format_text},
    {"string.Formatter.vformat", PythonSpecial::format_text},
    {"string.Formatter.get_field", PythonSpecial::format_field},
    {"str.format", PythonSpecial::format_string},
    {"str.format_map", PythonSpecial::format_string},
};

// Methods that load code, whoever has them: a loader is reached from every module.
constexpr std::string_view kLoadingMethods[] = {"LoadLibrary", "_evaluate",   "_gcd_import",    "_find_and_load",
                                                "dlopen",      "exec_module", "load_extension", "load_module"};

// Through these, a function gives away what its variables and defaults hold.
constexpr std::string_view kHoldingMembers[] = {"__defaults__", "__kwdefaults__", "cell_contents"};

// Shadowing one of these hides nothing: the word keeps its meaning for the reader, wherever the program binds it.
constexpr std::string_view kPythonOwnWords[] = {"__builtins__", "__import__", "breakpoint", "compile", "delattr",
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

// Modules that others carry along as members, in any library: shutil.os, random._os.
constexpr std::string_view kInnerModules[] = {"builtins", "ctypes",     "importlib", "inspect", "marshal",
                                              "os",       "pickle",     "posix",     "pty",     "shutil",
                                              "socket",   "subprocess", "sys"};

// Python's own modules carry all kinds of others along. These members are none of them, though they are called so.
constexpr std::string_view kNotInnerModules[] = {"_datetime.datetime", "_datetime.time",
                                                 "_signal.signal",     "_socket.socket",
                                                 "array.array",        "ast.keyword",
                                                 "ast.operator",       "bisect.bisect",
                                                 "calendar.calendar",  "collections.abc",
                                                 "copy.copy",          "copyreg.pickle",
                                                 "crypt.crypt",        "datetime.datetime",
                                                 "datetime.time",      "dis.dis",
                                                 "distutils.cmd",      "distutils.sysconfig",
                                                 "email.parser",       "fcntl.fcntl",
                                                 "fnmatch.fnmatch",    "getopt.getopt",
                                                 "getpass.getpass",    "gettext.gettext",
                                                 "glob.glob",          "html.parser",
                                                 "inspect.trace",      "importlib._abc",
                                                 "importlib.abc",      "locale.gettext",
                                                 "mmap.mmap",          "netrc.netrc",
                                                 "optparse.gettext",   "os.stat",
                                                 "platform.platform",  "posix.stat",
                                                 "pprint.pprint",      "pydoc.html",
                                                 "queue.time",         "random.random",
                                                 "select.select",      "shlex.shlex",
                                                 "shutil.copy",        "signal.signal",
                                                 "socket.socket",      "symtable.symtable",
                                                 "sys.platform",       "syslog.syslog",
                                                 "time.time",          "timeit.timeit",
                                                 "tokenize.tokenize",  "typing.io",
                                                 "typing.re",          "unicodedata.decimal",
                                                 "wsgiref.types",      "zoneinfo._zoneinfo"};

// Of the modules that are known by name, those that are not Python's own: numpy.random is not random.
constexpr std::string_view kForeignModules[] = {
    "PIL",           "cycler", "dateutil",      "joblib",        "kiwisolver",   "matplotlib", "numpy",
    "packaging",     "pandas", "pkg_resources", "pyparsing",     "pytz",         "scipy",      "setuptools",
    "sitecustomize", "six",    "sklearn",       "threadpoolctl", "usercustomize"};

// Packages whose modules carry others along, too: json.decoder.re.
constexpr std::string_view kPackages[] = {"asyncio", "concurrent", "ctypes", "email",   "html",
                                          "http",    "importlib",  "json",   "logging", "re",
                                          "sqlite3", "unittest",   "urllib", "xml",     "zoneinfo"};

void mark(Names& names, std::vector<bool>& words, std::string_view text) {
  const Word word = names.word(text);
  if (word >= words.size()) {
    words.resize(word + 1);
  }
  words[word] = true;
}

}  // namespace

PythonNames::PythonNames() {
  for (const PythonName& each : kPythonSpecials) {
    const NameId name = names.dotted(each.name);
    if (name >= specials.size()) {
      specials.resize(name + 1, PythonSpecial::none);
    }
    specials[name] = each.special;
  }
  for (const std::string_view each : kPythonOwnWords) {
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
  for (const std::string_view each : python_module_names()) {
    mark(names, module_words, each);
    mark(names, library_words, each);
  }
  for (const std::string_view each : kForeignModules) {
    library_words[names.word(each)] = false;
  }
  for (const std::string_view each : kPackages) {
    mark(names, package_words, each);
  }
  for (const std::string_view each : kNotInnerModules) {
    const NameId name = names.dotted(each);
    if (name >= plain_members.size()) {
      plain_members.resize(name + 1);
    }
    plain_members[name] = true;
  }
  for (const std::string_view each : kLoadingMethods) {
    mark(names, loading_words, each);
  }
  for (const std::string_view each : kHoldingMembers) {
    mark(names, holding_words, each);
  }
  for (const std::string_view each : {"__globals__", "f_builtins", "f_globals", "f_locals", "func_globals"}) {
    mark(names, globals_words, each);
  }
  namespace_word = names.word("__dict__");
  call_word = names.word("__call__");
  self_word = names.word("__self__");
  object_word = names.word("obj");
  match_args_word = names.word("__match_args__");
  case_word = names.word("case");
  for (const std::string_view each : {"__instancecheck__", "__subclasscheck__"}) {
    mark(names, asked_words, each);
  }
  for (const std::string_view each : {"__getattr__", "__getattribute__"}) {
    mark(names, answering_words, each);
  }
  for (const std::string_view each : {"AttributeError", "BaseException", "Exception"}) {
    mark(names, failure_words, each);
  }
  builtins_name = names.dotted("builtins");
  compile_name = names.dotted("compile");
  names.remember_for_good();
}

}  // namespace glovebox::policy
