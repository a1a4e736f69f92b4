// Searches a portal that is plain files: loads the lists of the typed words, and the papers they name.
"use strict";

const MOST_SHOWN = 50;
const wordsOf = (text) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
const load = async (name) => {
  const answer = await fetch(`data/${name}`);
  return answer.ok ? answer.json() : null;
};
const shard = (word) =>
  `words-${[...word].slice(0, 2).map((letter) => letter.codePointAt(0).toString(16)).join("-")}.json`;

// Which papers have this word (or one that begins so), with its weight in each.
const papersWith = async (word, begins) => {
  const known = (await load(shard(word))) || {};
  const found = new Map();
  for (const each of begins ? Object.keys(known).filter((key) => key.startsWith(word)) : [word]) {
    const list = Object.hasOwn(known, each) ? known[each] : []; // every object has a "constructor"
    for (let i = 0; i < list.length; i += 2) found.set(list[i], (found.get(list[i]) || 0) + list[i + 1]);
  }
  return found;
};

// What was typed: words to find, beginnings of words, words that must not be there, and spans of years.
const understood = (query) => {
  const years = [];
  const unwanted = [];
  const wanted = query
    .replace(/(^|\s)year:(\d{4})?(\.\.)?(\d{4})?(?=\s|$)/giu, (all, before, low, dots, high) => {
      years.push([Number(low || 0), Number(high || (dots ? 9999 : low) || 9999)]);
      return " ";
    })
    .replace(/(^|\s)-(?:[a-z_]+:)?("[^"]*"|[^\s"]+)/giu, (all, before, words) => {
      unwanted.push(...wordsOf(words));
      return " ";
    })
    .replace(/(^|\s)\+?[a-z_]+:(?=["\p{L}\p{N}])/giu, " ");
  const begun = new Set([...wanted.matchAll(/([\p{L}\p{N}]+)\*/gu)].map((match) => wordsOf(match[1])[0]));
  return { words: [...new Set(wordsOf(wanted))], begun, unwanted, years };
};

// The year of a paper is kept as a word of its own, which nobody types: year1999.
const papersOf = async (low, high) => {
  const known = (await load(shard("year"))) || {};
  const found = new Map();
  for (const [word, list] of Object.entries(known)) {
    const year = Number((/^year(\d{4})$/u.exec(word) || [])[1]);
    for (let i = 0; year >= low && year <= high && i < list.length; i += 2) found.set(list[i], 0);
  }
  return found;
};

const rank = async ({ words, begun, unwanted, years }, nPapers) => {
  const lists = await Promise.all(words.map((word) => papersWith(word, begun.has(word))));
  const spans = await Promise.all(years.map(([low, high]) => papersOf(low, high)));
  const barred = await Promise.all(unwanted.map((word) => papersWith(word, false)));
  const fits = (paper) => spans.every((span) => span.has(paper)) && !barred.some((list) => list.has(paper));
  const ranked = (every) => {
    const scores = new Map(words.length ? [] : spans[0]);
    const counts = new Map();
    for (const list of lists) {
      const rarity = Math.log(1 + nPapers / (1 + list.size));
      for (const [paper, weight] of list) {
        scores.set(paper, (scores.get(paper) || 0) + weight * rarity);
        counts.set(paper, (counts.get(paper) || 0) + 1);
      }
    }
    return [...scores].filter(([paper]) => fits(paper) && (!every || (counts.get(paper) || 0) === lists.length))
      .sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  };
  const all = ranked(true);
  return all.length ? { found: all, every: true } : { found: ranked(false), every: false };
};

const element = (tag, className, text) => {
  const made = document.createElement(tag);
  made.className = className;
  made.dir = "auto";
  made.textContent = text;
  return made;
};

// The text with the words that were looked for marked, letters and digits compared as the lists are.
const marked = (made, text, { words, begun }) => {
  made.textContent = "";
  for (const piece of text.split(/([\p{L}\p{N}\p{M}]+)/gu)) {
    const [word] = wordsOf(piece);
    const isFound = word && (words.includes(word) || [...begun].some((start) => word.startsWith(start)));
    made.append(isFound ? Object.assign(document.createElement("mark"), { textContent: piece }) : piece);
  }
  return made;
};

// Things of other domains than papers are kept as what their page is called, their heading, and facts.
const thing = ([id, title, facts]) => {
  const made = document.createElement("article");
  made.className = "paper thing";
  const heading = element("h2", "paper-title", "");
  const link = element("a", "", title);
  link.href = `item/${encodeURIComponent(id)}.html`;
  heading.append(link);
  made.append(heading, element("p", "byline", facts.join(" · ")));
  return made;
};

const card = ([id, title, venue, year, lead, authors, nMore, nCitations], asked) => {
  const made = document.createElement("article");
  made.className = "paper";
  const heading = element("h2", "paper-title", "");
  const link = element("a", "", title);
  link.href = `paper/${encodeURIComponent(id)}.html`;
  heading.append(link);
  const names = authors.join(", ") + (nMore ? say_count(nMore, " and {n} more", " and {n} more") : "");
  const cited = nCitations ? say("cited {n}×", { n: say_number(nCitations) }) : "";
  const facts = [names, venue, year, cited].filter(Boolean).join(" · ");
  made.append(heading, element("p", "byline", facts), marked(element("p", "snippet", ""), lead, asked));
  return made;
};

// Nouns of other domains are the builder's words, and stay as they are.
const say_found = (n, nouns) => nouns
  ? `${say_number(n)} ${nouns[n === 1 ? 0 : 1]}`
  : say_count(n, "{n} paper", "{n} papers");

const search = async () => {
  const query = (new URLSearchParams(location.search).get("q") || "").trim();
  const results = document.getElementById("results");
  const heading = document.getElementById("found");
  for (const box of document.querySelectorAll("input[name=q]")) box.value = query;
  if (!query) return;
  heading.textContent = say("Searching…");
  const { papers, in_file: inFile, nouns, things = false } = await load("index.json");
  const asked = understood(query);
  const { found, every } = await rank(asked, papers);
  const shown = found.slice(0, MOST_SHOWN).map(([paper]) => paper);
  const files = [...new Set(shown.map((paper) => Math.floor(paper / inFile)))];
  const loaded = new Map(await Promise.all(files.map(async (file) => [file, await load(`papers-${file}.json`)])));
  heading.textContent = say_found(found.length, nouns);
  results.replaceChildren(...shown.map((paper) => (things ? thing : card)(loaded.get(Math.floor(paper / inFile))[paper % inFile], asked)));
  if (!found.length) results.append(element("p", "note", say("Nothing found. Look at the spelling, or use fewer words.")));
  else if (!every) results.prepend(element("p", "note", say("Nothing has all of these words; these have some of them.")));
};

search();
