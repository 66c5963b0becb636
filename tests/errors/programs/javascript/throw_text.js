throw "something went wrong";
