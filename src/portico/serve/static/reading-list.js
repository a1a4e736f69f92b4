// The reading list and saved searches, kept in this browser alone. Without it pages offer no lists.
"use strict";

const root = new URL("..", document.currentScript.src);
// One list for all languages: the one that stands in the address is no part of its name.
const chosen_language = document.documentElement.dataset.chosen;
const KEY = `portico ${chosen_language ? root.pathname.slice(0, -chosen_language.length - 1) : root.pathname}`;
const MOST_CITED = 1000; // papers of one file of references

const read = () => {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY)) || {};
    return { papers: kept.papers || [], searches: kept.searches || [], visited: kept.visited || 0, before: kept.before || 0 };
  } catch {
    return { papers: [], searches: [], visited: 0, before: 0 };
  }
};
const write = (kept) => {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
    return true;
  } catch {
    return false; // a browser that keeps nothing
  }
};
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const say_day = (moment) => new Date(moment).toLocaleDateString(page_language, { day: "numeric", month: "long", year: "numeric" });

// A visit begins after half an hour without a page; what is new is new since the visit before.
const VISIT_MS = 1800e3;
const kept = read();
const now = Date.now();
if (now - kept.visited > VISIT_MS) kept.before = kept.visited;
kept.visited = now;
write(kept);

const show_count = () => {
  const n_kept = read().papers.length;
  for (const link of document.querySelectorAll("[data-reading-list]")) {
    link.dataset.count = n_kept ? String(n_kept) : "";
    link.setAttribute("aria-label", n_kept ? say_count(n_kept, "Reading list, {n} paper", "Reading list, {n} papers") : say("Reading list"));
  }
};
show_count();

const toggle = (button, list, id, value, words) => {
  const show = () => {
    const is_kept = read()[list].some((each) => each.id === id);
    button.textContent = is_kept ? words.kept : words.keep;
    button.setAttribute("aria-pressed", String(is_kept));
  };
  button.addEventListener("click", () => {
    const all = read();
    const others = all[list].filter((each) => each.id !== id);
    all[list] = others.length < all[list].length ? others : [...others, { id, ...value(), at: Date.now() }];
    if (!write(all)) button.title = say("This browser keeps nothing for this site.");
    show();
    show_count();
  });
  show();
  button.classList.remove("waiting");
};

for (const button of document.querySelectorAll("[data-save]")) {
  const describe = () => ({
    title: document.querySelector("main h1").firstChild.textContent.trim(),
    facts: [...document.querySelectorAll(".paper-head .people, .paper-head .published")]
      .map((part) => part.textContent.trim()).join(" · "),
  });
  toggle(button, "papers", button.dataset.save, describe, { keep: say("Save"), kept: say("Saved") });
}

for (const button of document.querySelectorAll("[data-save-search]")) {
  const describe = () => ({ title: button.dataset.name });
  toggle(button, "searches", button.dataset.saveSearch, describe, { keep: say("Save this search"), kept: say("Search is saved") });
}

// How many papers of a feed became visible after a moment; only its first page is looked at.
const count_new = async (feed, since) => {
  const answer = await fetch(new URL(feed.replace(/^\//, ""), root)).catch(() => null);
  if (!answer || !answer.ok) return null;
  const entries = new DOMParser().parseFromString(await answer.text(), "application/xml").querySelectorAll("entry");
  const fresh = [...entries].filter((entry) => Date.parse(entry.querySelector("published").textContent) > since);
  return { n_new: fresh.length, has_more: fresh.length > 0 && fresh.length === entries.length && entries.length >= 50 };
};
const say_new = (found) => found.has_more
  ? say_count(found.n_new, "more than {n} new", "more than {n} new")
  : say_count(found.n_new, "{n} new", "{n} new");

const news = document.querySelector("[data-news]");
if (news && kept.before) {
  count_new("feed", kept.before).then((found) => {
    if (!found || !found.n_new) return;
    const link = make("a", { href: new URL("search?sort=date", root).href, textContent: say_new(found) });
    news.replaceChildren(link, ` ${say("since your last visit on {day}", { day: say_day(kept.before) })}`);
  });
}

const shelf = document.querySelector("#reading-list");
if (shelf) show_shelf();

function show_shelf() {
  const { papers, searches } = read();
  const remove = (list, id) => {
    const all = read();
    all[list] = all[list].filter((each) => each.id !== id);
    write(all);
    show_shelf();
    show_count();
    (shelf.querySelector("button") || shelf.querySelector("a") || document.querySelector("main h1")).focus();
  };
  const take_away = (list, each) => make("button", {
    type: "button", className: "quiet", textContent: say("Remove"), ariaLabel: say("Remove {title}", { title: each.title }),
    onclick: () => remove(list, each.id),
  });
  shelf.querySelector("#no-papers").hidden = papers.length > 0;
  shelf.querySelector("#no-searches").hidden = searches.length > 0;
  shelf.querySelector("#papers").replaceChildren(...[...papers].reverse().map((each) => make("li", {},
    make("a", { className: "brief-title", href: new URL(`paper/${encodeURIComponent(each.id)}`, root).href, textContent: each.title }),
    make("span", { className: "brief-facts" }, make("span", { textContent: each.facts || "" }), take_away("papers", each)))));
  shelf.querySelector("#exports").hidden = papers.length === 0;
  const ids = papers.slice(-MOST_CITED).map((each) => `id=${encodeURIComponent(each.id)}`).join("&");
  for (const link of shelf.querySelectorAll("[data-ending]")) link.href = new URL(`cite.${link.dataset.ending}?${ids}`, root).href;
  const citing = encodeURIComponent(papers.slice(-60).map((each) => `cites:${each.id}`).join(" OR "));
  shelf.querySelector("#citing").href = new URL(`search?q=${citing}&sort=date`, root).href;
  shelf.querySelector("#citing-feed").href = new URL(`feed?q=${citing}`, root).href;
  shelf.querySelector("#searches").replaceChildren(...[...searches].reverse().map((each) => {
    const status = make("span", { textContent: "" });
    const since = Math.max(each.seen || each.at, 0);
    count_new(`feed${each.id}`, since).then((found) => {
      if (found) status.textContent = `${say_new(found)} ${say("since {day}", { day: say_day(since) })}`;
    });
    const open = make("a", { className: "brief-title", href: new URL(`search${each.id}`, root).href, textContent: each.title });
    open.addEventListener("click", () => {
      const all = read();
      for (const other of all.searches) if (other.id === each.id) other.seen = Date.now();
      write(all);
    });
    const feed = make("a", { href: new URL(`feed${each.id}`, root).href, textContent: say("Atom feed") });
    return make("li", {}, open, make("span", { className: "brief-facts" }, status, feed, take_away("searches", each)));
  }));
}
