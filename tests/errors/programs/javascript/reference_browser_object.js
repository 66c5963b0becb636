document.querySelector("#app");
