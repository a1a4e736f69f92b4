// Completes what is typed into a search box and offers pages it may mean. Without it the box works as well.
"use strict";

// The portal may be below another address: this file is in its folder static.
const portal_root = new URL("..", document.currentScript.src);
const PAUSE_MS = 120; // about the time between two keys of a quick typist
const KINDS = { paper: say("paper"), author: say("author"), topic: say("topic") };
const MOST_WORDS = 5; // completions beside pages

for (const box of document.querySelectorAll("input[type=search][name=q]")) offer_completions(box);

function offer_completions(box) {
  const list = document.createElement("ul");
  list.id = `offers-${box.id}`;
  list.className = "offers";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", say("Suggestions"));
  box.form.append(list);
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", list.id]]) box.setAttribute(name, value);
  let waiting = 0;
  let chosen = -1;

  const close = () => {
    list.hidden = true;
    chosen = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const follow = (option) => {
    if (option.dataset.url) location.assign(new URL(option.dataset.url.replace(/^\//, ""), portal_root));
    else {
      box.value = option.dataset.words;
      box.form.requestSubmit();
    }
  };
  const make_option = (words, kind, url) => {
    const option = document.createElement("li");
    option.id = `${list.id}-${list.children.length}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    const text = document.createElement("span");
    text.textContent = words;
    text.dir = "auto";
    option.append(text);
    if (kind) {
      const what = document.createElement("span");
      what.className = "kind";
      what.textContent = KINDS[kind] || kind;
      option.append(what);
      option.dataset.url = url;
    } else option.dataset.words = words;
    option.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // the box keeps the focus
      follow(option);
    });
    list.append(option);
  };
  const choose = (place) => {
    const options = list.children;
    if (chosen >= 0) options[chosen].setAttribute("aria-selected", "false");
    chosen = (place + options.length + 1) % (options.length + 1);
    if (chosen === options.length) chosen = -1;
    if (chosen < 0) {
      box.removeAttribute("aria-activedescendant");
      return;
    }
    options[chosen].setAttribute("aria-selected", "true");
    options[chosen].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", options[chosen].id);
  };
  const offer = async () => {
    const asked = box.value;
    const answer = await fetch(new URL(`api/suggest?q=${encodeURIComponent(asked)}`, portal_root)).catch(() => null);
    if (!answer || !answer.ok || box.value !== asked || document.activeElement !== box) return;
    const { suggestions, pages } = await answer.json();
    list.replaceChildren();
    chosen = -1;
    for (const words of suggestions.slice(0, pages.length ? MOST_WORDS : undefined)) make_option(words);
    for (const page of pages) make_option(page.text, page.kind, page.url);
    list.hidden = list.children.length === 0;
    box.setAttribute("aria-expanded", String(!list.hidden));
  };

  box.addEventListener("input", () => {
    clearTimeout(waiting);
    if (box.value.trim().length > 1) waiting = setTimeout(offer, PAUSE_MS);
    else close();
  });
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? list.children.length - 1 : chosen - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && chosen >= 0) follow(list.children[chosen]);
    else return;
    event.preventDefault();
  });
}
