// Goes through doubts by keyboard, and sends each word on them without leaving the page.
"use strict";

const keys = document.querySelector(".keys");
if (keys) keys.hidden = false;
const left = document.querySelector("#left");
let current = null;

const list_doubts = () => [...document.querySelectorAll(".doubtful")];
const choose = (doubt, focus = true) => {
  current?.classList.remove("current");
  current = doubt;
  if (!doubt) return;
  doubt.classList.add("current");
  if (!focus) return;
  doubt.focus({ preventScroll: true });
  doubt.scrollIntoView({ block: "nearest" });
};
const count = () => { if (left) left.textContent = `${list_doubts().length} on this page.`; };
choose(list_doubts()[0], false);
count();

const step = (by) => {
  const all = list_doubts();
  const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(current) + by))];
  if (next) choose(next);
};

const settle = async (form, button) => {
  const doubt = form.closest(".doubtful");
  const sent = new FormData(form, button);
  doubt.setAttribute("aria-busy", "true");
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(sent) }).catch(() => null);
  if (!answer || !answer.ok) {
    form.submit(); // the page that comes says what is wrong
    return;
  }
  const all = list_doubts();
  const next = all[all.indexOf(doubt) + 1] || all[all.indexOf(doubt) - 1];
  doubt.remove();
  choose(next || null);
  count();
};

document.addEventListener("submit", (event) => {
  if (!event.target.closest(".doubtful")) return;
  event.preventDefault();
  settle(event.target, event.submitter);
});
document.addEventListener("focusin", (event) => {
  const doubt = event.target.closest(".doubtful");
  if (doubt && doubt !== current) choose(doubt, false);
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("textarea")) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form.requestSubmit();
    if (event.key === "Escape") choose(current);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
  const key = event.key.toLowerCase();
  if (key === "n" || key === "j") step(1);
  else if (key === "p" || key === "k") step(-1);
  else if (current && ["r", "w", "e"].includes(key)) {
    const target = current.querySelector(`[data-key=${key}]`);
    if (!target) return;
    if (target.matches("details")) {
      target.open = true;
      target.querySelector("textarea").focus();
    } else target.click();
  } else return;
  event.preventDefault();
});
