// Puts a button above everything that is there to be copied. Without it the text can be selected.
"use strict";

for (const source of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    let done = "Copied";
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Pages that were not fetched securely may not write: select it, and the keyboard copies.
      getSelection().selectAllChildren(source);
      done = "Press Ctrl+C";
    }
    button.textContent = done;
    button.setAttribute("aria-live", "polite");
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  source.closest("section").querySelector(".formats").append(button);
}
