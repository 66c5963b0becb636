const tf = require("tensorflow");
