const path = require("pathh");
