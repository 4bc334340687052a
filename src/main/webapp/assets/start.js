for (const here of document.querySelectorAll(".here")) here.textContent = new URL(".", location.href).href;
const state = document.getElementById("state");
fetch("/health/ready").then(answer => answer.json()).then(health => {
  state.className = health.status === "UP" ? "up" : "down";
  state.textContent = health.status === "UP" ? "This server is ready." : "This server is not ready.";
}).catch(() => {});
