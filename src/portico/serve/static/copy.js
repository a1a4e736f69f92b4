// Adds a button to everything that is there to be copied. Without it the text can be selected.
"use strict";

for (const source of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  const heading = source.closest("section").querySelector("h2");
  button.type = "button";
  button.className = "copy";
  button.textContent = say("Copy");
  button.setAttribute("aria-label", say("Copy {what}", { what: heading.textContent }));
  button.addEventListener("click", async () => {
    let done = say("Copied");
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Pages that were not fetched securely may not write: select it, and the keyboard copies.
      getSelection().selectAllChildren(source);
      done = say("Press Ctrl+C");
    }
    button.textContent = done;
    button.setAttribute("aria-live", "polite");
    setTimeout(() => { button.textContent = say("Copy"); }, 2000);
  });
  heading.after(button);
}

// A click elsewhere, or Escape, closes the panel.
const panel = document.querySelector("details.cite");
const close = () => { if (panel) panel.open = false; };
document.addEventListener("click", (event) => { if (panel && !panel.contains(event.target)) close(); });
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !panel || !panel.open) return;
  close();
  panel.querySelector("summary").focus();
});
