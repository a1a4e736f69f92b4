// Completes what is typed into a search box, from this portal alone. Without it the box works as well.
"use strict";

// The portal may be below another address: this file is in its folder static.
const portal_root = new URL("..", document.currentScript.src).pathname;
const PAUSE_MS = 120; // about the time between two keys of a quick typist

for (const box of document.querySelectorAll("input[type=search][name=q]")) {
  const offers = document.createElement("datalist");
  offers.id = `offers-${box.id}`;
  box.after(offers);
  box.setAttribute("list", offers.id);
  let waiting = 0;
  let asked = "";

  const offer = async () => {
    asked = box.value;
    const answer = await fetch(`${portal_root}api/suggest?q=${encodeURIComponent(asked)}`).catch(() => null);
    if (!answer || !answer.ok || box.value !== asked) return;
    const { suggestions } = await answer.json();
    offers.replaceChildren(...suggestions.map((words) => new Option(words, words)));
  };

  box.addEventListener("input", () => {
    clearTimeout(waiting);
    if (box.value.trim().length > 1) waiting = setTimeout(offer, PAUSE_MS);
  });
}
