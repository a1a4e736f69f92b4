// A map of papers by year that grows by clicking. Without it the same papers are a list.

const root = document.querySelector(".explorer");
const portal_root = new URL("..", import.meta.url);
const resolve = (path) => new URL(path.replace(/^\//, ""), portal_root).href;
const canvas = root.querySelector(".canvas");
const told = root.querySelector(".chosen");
const SVG = "http://www.w3.org/2000/svg";
const LANE = 34; // between two rows of dots with their names below
const LETTER = 6.4; // widest a letter of a name is, in units of the picture
const MARGIN = 30;
const MOST = 150; // papers on one map; more cannot be told apart
const COLORS = 8;
const KINDS = { seminal: say("seminal"), survey: say("survey") };

const draw = (name, attributes, ...children) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

const nodes = new Map();
const edges = new Map();
const grown = new Set();
let main_path = new Set();
let chosen = null;
const topics = [];

const ask = async (address) => {
  const answer = await fetch(resolve(address));
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
};

const add = (told_now) => {
  for (const node of told_now.nodes) {
    if (nodes.has(node.id) || nodes.size >= MOST) continue;
    nodes.set(node.id, node);
    if (node.topic && !topics.includes(node.topic)) topics.push(node.topic);
  }
  for (const [one, other] of told_now.edges) {
    if (nodes.has(one) && nodes.has(other)) edges.set(`${one} ${other}`, [one, other]);
  }
};

const color_of = (topic) => (topics.includes(topic) ? topics.indexOf(topic) % COLORS : "none");
const radius_of = (node) => Math.min(13, 4 + 2.2 * Math.log1p(node.citations));

// Each paper gets a place by its year and the first row in which neither its dot nor its name meets another.
const lay_out = (width) => {
  const dated = [...nodes.values()].filter((node) => node.year);
  const years = dated.map((node) => node.year);
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const room = width - 2 * MARGIN;
  const x_of = (year) => MARGIN + (last > first ? ((year - first) / (last - first)) * room : room / 2);
  const ends = []; // where the last name of each row ends
  const order = [...nodes.values()].sort((a, b) => (a.year || last) - (b.year || last) || b.citations - a.citations);
  for (const node of order) {
    const half = Math.max(radius_of(node), (node.who.length * LETTER) / 2) + 5;
    node.x = Math.max(half, Math.min(width - half, x_of(node.year || last)));
    let row = ends.findIndex((end) => end <= node.x - half);
    if (row < 0) row = ends.length;
    ends[row] = node.x + half;
    node.row = row;
  }
  // Rows fill from the middle: what was placed first stands there.
  const n_rows = Math.max(1, ends.length);
  const middle = Math.floor(n_rows / 2);
  for (const node of order) {
    const off = Math.ceil(node.row / 2) * (node.row % 2 ? -1 : 1);
    node.y = 24 + LANE * Math.max(0, Math.min(n_rows - 1, middle + off));
  }
  return { height: 24 + LANE * n_rows + 26, first, last, x_of };
};

const render = (focus = null) => {
  const width = Math.max(640, canvas.clientWidth);
  const { height, first, last, x_of } = lay_out(width);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": [say_count(nodes.size, "{n} paper", "{n} papers"), say_count(edges.size, "{n} citation", "{n} citations")].join(", ") });
  const step = Math.max(1, Math.ceil((last - first) / 10));
  for (let year = first; year <= last; year += step) {
    const x = x_of(year);
    svg.append(draw("line", { class: "year", x1: x, x2: x, y1: 8, y2: height - 22 }));
    const label = draw("text", { class: "year", x, y: height - 6, "text-anchor": "middle" });
    label.textContent = String(year);
    svg.append(label);
  }
  for (const [one, other] of edges.values()) {
    const [from, to] = [nodes.get(other), nodes.get(one)];
    const on_path = main_path.has(one) && main_path.has(other);
    const bend = (to.x - from.x) / 2;
    svg.append(draw("path", { class: on_path ? "edge main" : "edge", "data-ends": `${one} ${other}`, d: `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}` }));
  }
  for (const node of nodes.values()) {
    const group = draw("g", { class: `dot color-${color_of(node.topic)}${node.held ? "" : " cited-only"}${grown.has(node.id) ? " grown" : ""}`, tabindex: "-1", role: "button", "data-id": node.id, "aria-label": [node.title, node.who, say_count(node.citations, "cited {n} time", "cited {n} times")].join(", ") });
    const title = draw("title", {});
    title.textContent = node.title;
    const name = draw("text", { x: node.x, y: node.y + radius_of(node) + 12, "text-anchor": "middle" });
    name.textContent = node.who;
    group.append(title, draw("circle", { cx: node.x, cy: node.y, r: radius_of(node) }), name);
    group.addEventListener("click", () => grow(node.id));
    group.addEventListener("focus", () => choose(node.id));
    group.addEventListener("pointerenter", () => show_edges(node.id));
    group.addEventListener("pointerleave", () => show_edges(chosen));
    svg.append(group);
  }
  canvas.replaceChildren(svg);
  root.querySelector(".legend").replaceChildren(...topics.slice(0, COLORS).map((topic, place) => make("li", { className: `color-${place}`, textContent: topic })));
  const start = focus || chosen || nodes.keys().next().value;
  const element = find(start);
  element?.setAttribute("tabindex", "0");
  if (focus) element?.focus();
  choose(chosen && nodes.has(chosen) ? chosen : start);
  // Narrow screens show a part of the map: that around the chosen paper.
  if (nodes.has(chosen)) canvas.scrollLeft = nodes.get(chosen).x - canvas.clientWidth / 2;
};

const find = (id) => canvas.querySelector(`[data-id="${CSS.escape(id)}"]`);
const show_edges = (id) => {
  for (const edge of canvas.querySelectorAll(".edge")) edge.classList.toggle("lit", edge.dataset.ends.split(" ").includes(id));
};
const choose = (id) => {
  if (!nodes.has(id)) return;
  chosen = id;
  for (const dot of canvas.querySelectorAll(".dot")) {
    dot.classList.toggle("current", dot.dataset.id === id);
    dot.setAttribute("tabindex", dot.dataset.id === id ? "0" : "-1");
  }
  show_edges(id);
  const node = nodes.get(id);
  told.replaceChildren(
    make("a", { className: "brief-title", href: resolve(node.url), textContent: node.title, dir: "auto" }),
    make("span", { className: "brief-facts" }, make("span", { textContent: node.who }),
      make("span", { textContent: say("cited {n}×", { n: say_number(node.citations) }) }),
      ...(node.topic ? [make("span", { textContent: node.topic })] : []),
      ...(node.kind ? [make("span", { textContent: KINDS[node.kind] || node.kind })] : [])),
  );
};

const grow = async (id) => {
  choose(id);
  if (grown.has(id)) return;
  grown.add(id);
  try {
    add(await ask(`/map.json?paper=${encodeURIComponent(id)}`));
  } catch (error) {
    console.warn(error);
    grown.delete(id);
    return;
  }
  render(id);
  list();
};

// The same papers for those who do not see the picture.
const list = () => {
  const shown = [...nodes.values()].sort((a, b) => (a.year || 9999) - (b.year || 9999) || a.who.localeCompare(b.who));
  root.querySelector(".listed").replaceChildren(...shown.map((node) => {
    const button = make("button", { type: "button", className: "quiet", textContent: say("Add papers around it"), ariaLabel: say("Add papers around {title}", { title: node.title }), hidden: grown.has(node.id) });
    button.addEventListener("click", () => grow(node.id));
    return make("li", {}, make("a", { className: "brief-title", href: resolve(node.url), textContent: node.title, dir: "auto" }),
      make("span", { className: "brief-facts" }, make("span", { textContent: node.who }), make("span", { textContent: say("cited {n}×", { n: say_number(node.citations) }) }), button));
  }));
};

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
canvas.addEventListener("keydown", (event) => {
  const here = nodes.get(chosen);
  if (!here) return;
  if (event.key === "Enter" || event.key === " ") grow(chosen);
  else if (event.key.toLowerCase() === "o") location.assign(resolve(here.url));
  else if (DIRECTIONS[event.key]) {
    const [right, down] = DIRECTIONS[event.key];
    const cost = (node) => {
      const [along, across] = right ? [(node.x - here.x) * right, node.y - here.y] : [(node.y - here.y) * down, node.x - here.x];
      return along > 1 ? along + 2 * Math.abs(across) : Infinity;
    };
    const best = [...nodes.values()].filter((node) => node !== here).sort((a, b) => cost(a) - cost(b))[0];
    if (best && cost(best) < Infinity) find(best.id).focus();
  } else return;
  event.preventDefault();
});

const start = async () => {
  nodes.clear(); edges.clear(); grown.clear(); topics.length = 0; chosen = null;
  const told_first = await ask(root.dataset.map);
  if (!told_first.nodes.length) {
    root.querySelector(".picture").remove();
    return;
  }
  add(told_first);
  main_path = new Set(told_first.main_path);
  if (root.dataset.map.includes("?")) grown.add(told_first.nodes[0].id);
  root.querySelector(".picture").hidden = false;
  root.querySelector("details").open = root.clientWidth < 640; // on a phone the list is easier to use
  render();
  list();
};
root.querySelector("[data-reset]").addEventListener("click", start);
let resizing = 0;
addEventListener("resize", () => { clearTimeout(resizing); resizing = setTimeout(() => { if (nodes.size) render(); }, 200); });
start();
