require("fs").writeFileSync("/usr/share/result.txt", "x");
