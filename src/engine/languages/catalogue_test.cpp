#include "engine/languages/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/temporary_directory.h"
#include "engine/languages/embedded.h"
#include "engine/languages/language_command.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Catalogue : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) {
    fs::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
  }
  [[nodiscard]] LanguageCatalogue catalogue() const { return LanguageCatalogue({directory_.string()}); }

  base::TemporaryDirectory temporary_{"languages"};
  const fs::path directory_ = temporary_.path();
};

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr std::string_view kPerl = R"(id = "perl"
name = "Perl"
aliases = ["pl"]
extensions = [".pl"]
file_name = "main.pl"
command = ["/usr/bin/perl", "{program}"]

[[support]]
from = "perl/start.pm"
to = "support/start.pm"

[errors]
format = "generic"

[[errors.patterns]]
match = '^(?P<message>.*) at (?P<file>\S+) line (?P<line>\d+)\.$'
code = "runtime_error"
type = "die"
)";

TEST_F(Catalogue, BuiltInLanguagesAreFoundByIdAndAlias) {
  EXPECT_THAT(LanguageCatalogue({}).ids(), ElementsAre("bash", "javascript", "python"));
  for (const auto& [name, id] : {std::pair{"python", "python"},
                                 {"py", "python"},
                                 {"python3", "python"},
                                 {"js", "javascript"},
                                 {"node", "javascript"},
                                 {"sh", "bash"},
                                 {"shell", "bash"}}) {
    const auto profile = catalogue().find(name);
    ASSERT_TRUE(profile.has_value()) << name;
    EXPECT_EQ(profile->id, id);
    for (const SupportFile& file : profile->support) {
      EXPECT_FALSE(file.content.empty()) << file.from;
    }
  }
}

TEST_F(Catalogue, AnUnknownLanguageNamesThoseThereAre) {
  for (const char* name : {"cobol", "", "Python", "../python", "py\"", "\x1b[2J"}) {
    const auto profile = catalogue().find(name);
    ASSERT_FALSE(profile.has_value()) << name;
    EXPECT_EQ(profile.error().code, base::ErrorCode::unsupported);
    EXPECT_THAT(profile.error().message, HasSubstr("known: bash, javascript, python"));
    EXPECT_THAT(profile.error().message, testing::Not(HasSubstr("\x1b")));
  }
}

TEST_F(Catalogue, EmbeddedFilesAreTheFilesOfTheSourceTree) {
  std::size_t profiles = 0;
  for (const base::EmbeddedFile& file : embedded_language_files()) {
    if (file.path.ends_with(".pyc") || file.path.ends_with(".so")) {  // compiled when Glovebox is built
      EXPECT_FALSE(file.text.empty());
      continue;
    }
    EXPECT_EQ(file.text, read(fs::path(GLOVEBOX_SOURCE_DIR) / file.path)) << file.path;
    if (file.path.ends_with(".toml")) {
      const auto profile = parse_language_profile(file.text, file.path, PatternCheck::compile);
      EXPECT_TRUE(profile.has_value()) << profile.error().message;
    }
    profiles += file.path.ends_with(".toml") ? 1 : 0;
  }
  std::size_t on_disk = 0;
  for (const auto& entry : fs::directory_iterator(GLOVEBOX_SOURCE_DIR "/profiles/languages")) {
    on_disk += entry.path().extension() == ".toml" ? 1 : 0;
  }
  EXPECT_EQ(profiles, on_disk);
}

TEST_F(Catalogue, EveryAliasAndExtensionOfABuiltInProfileLeadsToIt) {
  const LanguageCatalogue built_in({});
  for (const std::string& id : built_in.ids()) {
    const auto profile = built_in.find(id);
    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    EXPECT_FALSE(profile->aliases.empty());
    for (const std::string& alias : profile->aliases) {
      const auto same = built_in.find(alias);
      ASSERT_TRUE(same.has_value()) << alias;
      EXPECT_EQ(*same, *profile);
    }
    for (const std::string& extension : profile->extensions) {
      EXPECT_EQ(built_in.language_of_file("/a.b/x" + extension), id);
    }
  }
}

TEST_F(Catalogue, ADirectoryAddsALanguageWithOneFile) {
  write("perl.toml", kPerl);
  write("perl/start.pm", "1;\n");
  EXPECT_THAT(catalogue().ids(), ElementsAre("bash", "javascript", "perl", "python"));
  for (const char* name : {"perl", "pl"}) {
    const auto profile = catalogue().find(name);
    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    EXPECT_EQ(profile->name, "Perl");
    EXPECT_THAT(profile->support, ElementsAre(SupportFile{"perl/start.pm", "support/start.pm", "1;\n"}));
    const auto command = command_line(*profile, ProgramForm::script, 1, {"a"});
    ASSERT_TRUE(command.has_value());
    EXPECT_THAT(*command, ElementsAre("/usr/bin/perl", "/glovebox/main.pl", "a"));
  }
  EXPECT_EQ(catalogue().language_of_file("x.pl"), "perl");
  EXPECT_EQ(catalogue().language_of_file("x.py"), "python");
}

TEST_F(Catalogue, ADirectoryOverridesABuiltInLanguageAlsoForItsAliases) {
  write("bash.toml",
        "id = \"bash\"\nname = \"Dash\"\nfile_name = \"main.sh\"\ncommand = [\"/usr/bin/dash\", \"{program}\"]\n");
  for (const char* name : {"bash", "sh"}) {
    const auto profile = catalogue().find(name);
    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    EXPECT_EQ(profile->name, "Dash");
  }
}

TEST_F(Catalogue, LaterDirectoriesWin) {
  write("a/x.toml", "id = \"x\"\nname = \"first\"\nfile_name = \"m\"\ncommand = [\"/x\"]\n");
  write("b/x.toml", "id = \"x\"\nname = \"second\"\nfile_name = \"m\"\ncommand = [\"/x\"]\n");
  const auto profile = LanguageCatalogue({(directory_ / "a").string(), (directory_ / "b").string()}).find("x");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->name, "second");
}

TEST_F(Catalogue, ABrokenOverrideIsAnErrorAndNeverTheBuiltInProfile) {
  write("python.toml", "id = \"python\"\nnonsense = 1\n");
  const auto profile = catalogue().find("python");
  ASSERT_FALSE(profile.has_value());
  EXPECT_THAT(profile.error().message, HasSubstr("python.toml:2:1: unknown key 'nonsense'"));
  EXPECT_FALSE(catalogue().find("py").has_value());
  EXPECT_TRUE(catalogue().find("js").has_value());
}

TEST_F(Catalogue, AProfileBelongsInTheFileOfItsId) {
  write("ruby.toml", kPerl);
  const auto profile = catalogue().find("ruby");
  ASSERT_FALSE(profile.has_value());
  EXPECT_THAT(profile.error().message, HasSubstr("has to be perl.toml"));
}

TEST_F(Catalogue, ASupportFileThatIsNowhereIsAnError) {
  write("perl.toml", kPerl);
  const auto profile = catalogue().find("perl");
  ASSERT_FALSE(profile.has_value());
  EXPECT_THAT(profile.error().message, HasSubstr("no support file perl/start.pm"));
}

TEST_F(Catalogue, FilesOfNoLanguageHaveNone) {
  for (const char* path : {"", "x", ".py", "a.py/x", "x.txt", "x.", "x.\"", "x.py\""}) {
    EXPECT_FALSE(catalogue().language_of_file(path).has_value()) << path;
  }
}

}  // namespace
}  // namespace glovebox::engine
