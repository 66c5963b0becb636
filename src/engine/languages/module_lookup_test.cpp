#include "engine/languages/module_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "engine/languages/catalogue.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class Lookup : public testing::Test {
 protected:
  Lookup() {
    for (const char* path :
         {"usr/lib/python3/dist-packages/pandas/core/frame.py", "usr/lib/python3/dist-packages/numpy/__init__.py",
          "usr/lib/python3/dist-packages/sklearn/__init__.py",
          "usr/lib/python3/dist-packages/numpy-1.24.2.dist-info/METADATA",
          "usr/lib/python3/dist-packages/_cffi_backend.cpython-311-x86_64-linux-gnu.so",
          "usr/lib/python3.11/json/__init__.py", "usr/lib/python3.11/statistics.py",
          "usr/lib/python3.11/lib-dynload/_bz2.cpython-311-x86_64-linux-gnu.so", "usr/share/nodejs/lodash/fp.js",
          "usr/share/nodejs/@babel/core/index.js", "usr/bin/python3", "usr/bin/sort"}) {
      fs::create_directories((root_ / path).parent_path());
      std::ofstream(root_ / path).put('\n');
    }
  }

  [[nodiscard]] ModuleFinding find(std::string_view language, std::string_view module) const {
    const auto profile = LanguageCatalogue({}).find(language);
    EXPECT_TRUE(profile.has_value());
    return ModuleLookup(root_.string()).look_up(*profile, module);
  }

  base::TemporaryDirectory temporary_{"image"};
  const fs::path root_ = temporary_.path();
};

TEST_F(Lookup, ModulesOfEveryKindAreFound) {
  for (const char* module :
       {"pandas", "pandas.core", "pandas.core.frame", "json", "statistics", "_bz2", "_cffi_backend", "sys"}) {
    EXPECT_TRUE(find("python", module).in_image) << module;
  }
  for (const char* module : {"lodash", "lodash/fp", "@babel/core", "fs"}) {
    EXPECT_TRUE(find("javascript", module).in_image) << module;
  }
  EXPECT_TRUE(find("bash", "sort").in_image);
  EXPECT_TRUE(find("bash", "cd").in_image);
}

TEST_F(Lookup, SlipsOfThePenLeadToTheModule) {
  EXPECT_THAT(find("python", "pandsa").similar, ElementsAre("pandas"));
  EXPECT_THAT(find("python", "Numpy").similar, ElementsAre("numpy"));
  EXPECT_THAT(find("python", "pandas.croe").similar, ElementsAre("pandas.core"));
  EXPECT_THAT(find("javascript", "lodahs").similar, ElementsAre("lodash"));
  EXPECT_THAT(find("bash", "pyhton3").similar, ElementsAre("python3"));
  EXPECT_THAT(find("python", "entirelyelse").similar, IsEmpty());
  EXPECT_THAT(find("python", "qq").similar, IsEmpty());
}

TEST_F(Lookup, OtherNamesOfAModuleAreKnown) {
  const ModuleFinding learn = find("python", "scikit_learn");
  EXPECT_FALSE(learn.in_image);
  EXPECT_EQ(learn.import_as, "sklearn");
  EXPECT_EQ(describe(learn, "module", "scikit_learn"),
            "the image has no module 'scikit_learn'; here it is called 'sklearn'");
  const ModuleFinding vision = find("python", "cv2");
  EXPECT_EQ(vision.installed_as, "opencv-python");
  EXPECT_EQ(find("python", "pillow").import_as, "") << "PIL is not in this image";
}

TEST_F(Lookup, TheSentenceSaysWhatIsThere) {
  EXPECT_EQ(describe(find("python", "pandsa"), "module", "pandsa"),
            "the image has no module 'pandsa'; similar modules it has: pandas");
  EXPECT_EQ(describe(find("python", "json"), "module", "json"),
            "the image has the module 'json', but loading it failed");
}

TEST_F(Lookup, AMissingPartOfAPackageIsToldFromAMissingPackage) {
  EXPECT_TRUE(find("python", "pandas.nothing").parent_in_image);
  EXPECT_FALSE(find("python", "nothing.pandas").parent_in_image);
}

TEST_F(Lookup, HostileNamesFindNothing) {
  for (const std::string& name :
       {std::string(), std::string(5'000, 'a'), std::string("../../etc"), std::string("a\0b", 3), std::string("......"),
        std::string("/"), std::string("\xff\xfe")}) {
    const ModuleFinding finding = find("python", name);
    EXPECT_FALSE(finding.in_image);
    EXPECT_FALSE(find("javascript", name).in_image);
  }
}

TEST_F(Lookup, ALargeDirectoryIsReadOnlySoFar) {
  const fs::path crowd = root_ / "usr/local/lib/python3.11/dist-packages";
  fs::create_directories(crowd);
  for (int index = 0; index < 25'000; ++index) {
    std::ofstream(crowd / ("module" + std::to_string(index) + ".py"));
  }
  EXPECT_LE(find("python", "module1x").similar.size(), 3U);
}

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("numpy", "numpy", 2), 0U);
  EXPECT_EQ(edit_distance("numpy", "nunpy", 2), 1U);
  EXPECT_EQ(edit_distance("numpy", "nupmy", 2), 1U) << "neighbours swapped are one slip";
  EXPECT_EQ(edit_distance("numpy", "numy", 2), 1U);
  EXPECT_EQ(edit_distance("numpy", "mumpyy", 2), 2U);
  EXPECT_EQ(edit_distance("numpy", "pandas", 2), 3U) << "above the limit";
  EXPECT_EQ(edit_distance("", "ab", 2), 2U);
}

}  // namespace
}  // namespace glovebox::engine
