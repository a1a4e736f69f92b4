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
    const list = known[each] || [];
    for (let i = 0; i < list.length; i += 2) found.set(list[i], (found.get(list[i]) || 0) + list[i + 1]);
  }
  return found;
};

const rank = async (query, nPapers) => {
  const typed = query.replace(/(^|\s)[a-z_]+:(?=["\p{L}\p{N}])/giu, " ");
  const words = [...new Set(wordsOf(typed))];
  const begun = new Set([...typed.matchAll(/([\p{L}\p{N}]+)\*/gu)].map((match) => wordsOf(match[1])[0]));
  const lists = await Promise.all(words.map((word) => papersWith(word, begun.has(word))));
  const ranked = (every) => {
    const scores = new Map();
    const counts = new Map();
    for (const list of lists) {
      const rarity = Math.log(1 + nPapers / (1 + list.size));
      for (const [paper, weight] of list) {
        scores.set(paper, (scores.get(paper) || 0) + weight * rarity);
        counts.set(paper, (counts.get(paper) || 0) + 1);
      }
    }
    return [...scores].filter(([paper]) => !every || counts.get(paper) === lists.length)
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

const card = ([id, title, venue, year, lead, authors, nMore, nCitations]) => {
  const made = document.createElement("article");
  made.className = "paper";
  const heading = element("h2", "paper-title", "");
  const link = element("a", "", title);
  link.href = `paper/${encodeURIComponent(id)}.html`;
  heading.append(link);
  const names = authors.join(", ") + (nMore ? ` and ${nMore} more` : "");
  const cited = nCitations ? `cited ${nCitations}×` : "";
  const facts = [names, venue, year, cited].filter(Boolean).join(" · ");
  made.append(heading, element("p", "byline", facts), element("p", "snippet", lead));
  return made;
};

const search = async () => {
  const query = (new URLSearchParams(location.search).get("q") || "").trim();
  const results = document.getElementById("results");
  const heading = document.getElementById("found");
  for (const box of document.querySelectorAll("input[name=q]")) box.value = query;
  if (!query) return;
  heading.textContent = "Searching…";
  const { papers, in_file: inFile, nouns = ["paper", "papers"], things = false } = await load("index.json");
  const { found, every } = await rank(query, papers);
  const shown = found.slice(0, MOST_SHOWN).map(([paper]) => paper);
  const files = [...new Set(shown.map((paper) => Math.floor(paper / inFile)))];
  const loaded = new Map(await Promise.all(files.map(async (file) => [file, await load(`papers-${file}.json`)])));
  heading.textContent = `${found.length.toLocaleString("en")} ${nouns[found.length === 1 ? 0 : 1]}`;
  results.replaceChildren(...shown.map((paper) => (things ? thing : card)(loaded.get(Math.floor(paper / inFile))[paper % inFile])));
  if (!found.length) results.append(element("p", "note", "Nothing found. Look at the spelling, or use fewer words."));
  else if (!every) results.prepend(element("p", "note", `No ${nouns[0]} has all of these words; these have some of them.`));
};

search();
