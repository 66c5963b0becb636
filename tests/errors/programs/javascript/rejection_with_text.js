Promise.reject("no data");
