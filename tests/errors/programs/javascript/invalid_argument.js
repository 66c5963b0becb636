require("fs").readFileSync({ path: "x" });
