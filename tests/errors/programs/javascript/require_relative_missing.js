const helper = require("./helper");
