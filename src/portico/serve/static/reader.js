// Draws a PDF in the page with pdf.js, and on it what the portal read: values, references and citations as links.
// Also draws single values with their surroundings, where a page asks for such a clip.

const CLIP_MARGIN = 0.05; // of the height of a page, around a value
const ZOOMS = [0.6, 0.8, 1, 1.25, 1.6, 2];
const SHARPEST = 2; // dots a pixel: more cost memory that phones do not have

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// The portal may be below another address: this file is in its folder static.
const portal_root = new URL("..", import.meta.url);
const resolve = (path) => new URL(path.replace(/^\//, ""), portal_root).href;

let library = null;
const load_library = async (viewer) => {
  const base = resolve(viewer);
  library ??= import(`${base}pdf.min.mjs`);
  const pdfjs = await library;
  pdfjs.GlobalWorkerOptions.workerSrc = `${base}pdf.worker.min.mjs`;
  return { pdfjs, open: (url) => pdfjs.getDocument({
    url, cMapUrl: base, cMapPacked: true, standardFontDataUrl: base, isEvalSupported: false, enableXfa: false,
    useSystemFonts: false, // they are loaded by address, which the content policy forbids; ours are data
  }).promise };
};

const place_at = (element, [, left, top, right, bottom]) => {
  element.style.left = `${100 * left}%`;
  element.style.top = `${100 * top}%`;
  element.style.width = `${100 * (right - left)}%`;
  element.style.height = `${100 * (bottom - top)}%`;
  return element;
};

const draw_page = async (page, width) => {
  const plain = page.getViewport({ scale: 1 });
  const dots = Math.min(SHARPEST, window.devicePixelRatio || 1);
  const viewport = page.getViewport({ scale: (width * dots) / plain.width });
  const canvas = make("canvas", { width: Math.round(viewport.width), height: Math.round(viewport.height) });
  await page.render({ canvasContext: canvas.getContext("2d"), viewport }).promise;
  return canvas;
};

const reader = document.querySelector("#reader");
if (reader) read(reader).catch((error) => fail(reader, error));
show_clips(document);

function fail(where, error) {
  console.warn(error);
  where.querySelector("[role=status]").textContent = say("The paper could not be drawn. “Open the file” shows it in your browser's own viewer.");
}

async function read(root) {
  const sheet = root.querySelector(".pages-of-pdf");
  const answer = await fetch(resolve(root.dataset.places));
  if (!answer.ok) throw new Error(`places: ${answer.status}`);
  const places = await answer.json();
  const { pdfjs, open } = await load_library(root.dataset.viewer);
  const pdf = await open(resolve(root.dataset.file));
  const first = await pdf.getPage(1);
  let zoom = ZOOMS.indexOf(1);

  const frames = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const size = first.getViewport({ scale: 1 });
    const [width, height] = places.pages[number - 1] || [size.width, size.height];
    const frame = make("div", { className: "pdf-page", id: `page-${number}` });
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", say("Page {n} of {all}", { n: number, all: pdf.numPages }));
    frame.style.aspectRatio = `${width} / ${height}`;
    frames.push(frame);
  }
  sheet.replaceChildren(...frames);
  add_marks(frames, places);
  make_outline(root, frames, places);

  const draw = async (frame) => {
    const number = frames.indexOf(frame) + 1;
    if (frame.dataset.drawn === String(zoom)) return;
    frame.dataset.drawn = String(zoom);
    const page = await pdf.getPage(number);
    const canvas = await draw_page(page, frame.clientWidth);
    const text = make("div", { className: "textLayer" });
    const viewport = page.getViewport({ scale: frame.clientWidth / page.getViewport({ scale: 1 }).width });
    text.style.setProperty("--scale-factor", String(viewport.scale));
    frame.querySelectorAll("canvas, .textLayer").forEach((old) => old.remove());
    frame.prepend(canvas, text);
    await new pdfjs.TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport }).render();
  };
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) draw(entry.target).catch((error) => fail(root, error));
  }, { rootMargin: "600px" });
  frames.forEach((frame) => seen.observe(frame));

  const change_zoom = (step) => {
    zoom = Math.max(0, Math.min(ZOOMS.length - 1, zoom + step));
    sheet.style.setProperty("--zoom", String(ZOOMS[zoom]));
    frames.forEach((frame) => { seen.unobserve(frame); seen.observe(frame); });
  };
  root.querySelector("[data-zoom=in]").addEventListener("click", () => change_zoom(1));
  root.querySelector("[data-zoom=out]").addEventListener("click", () => change_zoom(-1));

  const follow = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    root.querySelectorAll(".pdf-value.chosen").forEach((old) => old.classList.remove("chosen"));
    for (const part of root.querySelectorAll(`[data-value="${CSS.escape(location.hash.slice(1))}"]`)) part.classList.add("chosen");
    target.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", follow);
  follow();
}

function add_marks(frames, places) {
  for (const value of places.values) {
    value.boxes.forEach((box, part) => {
      const mark = place_at(make("div", { className: "pdf-value", title: `${value.name}: ${say("{percent} % sure", { percent: value.percent })}` }), box);
      mark.dataset.value = value.id;
      if (part === 0) mark.id = value.id;
      frames[box[0]]?.append(mark);
    });
  }
  places.references.forEach((reference, place) => {
    for (const [part, box] of reference.boxes.entries()) {
      const link = place_at(make("a", { className: "pdf-reference", href: resolve(reference.url) }), box);
      link.setAttribute("aria-label", say("Reference: {title}", { title: reference.title }));
      if (part === 0) link.id = `reference-${place}`; else link.tabIndex = -1;
      show_card(link, reference);
      frames[box[0]]?.append(link);
    }
  });
  for (const mention of places.mentions) {
    const reference = places.references[mention.reference];
    for (const [part, box] of mention.boxes.entries()) {
      const link = place_at(make("a", { className: "pdf-mention", href: resolve(reference.url) }), box);
      link.setAttribute("aria-label", say("Citation of {title}", { title: reference.title }));
      if (part > 0) link.tabIndex = -1;
      show_card(link, reference);
      frames[box[0]]?.append(link);
    }
  }
}

// One card beside the citation that the pointer or the keyboard is on.
const card = make("div", { className: "cited-card", hidden: true });
card.setAttribute("aria-live", "polite");
document.querySelector("main").append(card);

function show_card(link, reference) {
  const show = () => {
    card.replaceChildren(
      make("p", { className: "paper-title", textContent: reference.title, dir: "auto" }),
      make("p", { className: "byline", textContent: reference.facts }),
      ...(reference.lead ? [make("p", { className: "cited-lead", textContent: reference.lead, dir: "auto" })] : []),
      make("p", { className: "fine", textContent: reference.held ? say("In this portal") : say("Known from citations") }),
    );
    card.hidden = false;
    const box = link.getBoundingClientRect();
    const below = box.bottom + 8 + card.offsetHeight < innerHeight;
    card.style.left = `${Math.max(8, Math.min(box.left, innerWidth - card.offsetWidth - 8))}px`;
    card.style.top = `${below ? box.bottom + 8 : Math.max(8, box.top - card.offsetHeight - 8)}px`;
  };
  const hide = () => { card.hidden = true; };
  link.addEventListener("pointerenter", show);
  link.addEventListener("focus", show);
  link.addEventListener("pointerleave", hide);
  link.addEventListener("blur", hide);
}
addEventListener("scroll", () => { card.hidden = true; }, { passive: true });
addEventListener("keydown", (event) => { if (event.key === "Escape") card.hidden = true; });

function make_outline(root, frames, places) {
  const jump = (id, words, detail) => make("li", {}, make("a", { href: `#${id}`, textContent: words }),
    ...(detail ? [" ", make("span", { className: "count", textContent: detail })] : []));
  const values = places.values.filter((value) => value.first).map((value) => {
    const item = jump(value.id, value.value.length > 60 ? `${value.value.slice(0, 60)}…` : value.value, "");
    item.prepend(make("span", { className: "value-name", textContent: value.name }));
    item.title = say("{percent} % sure", { percent: value.percent });
    item.querySelector("a").dir = "auto";
    return item;
  });
  const references = places.references.map((reference, place) => {
    const cited = places.mentions.filter((mention) => mention.reference === place);
    const item = jump(`reference-${place}`, reference.title, cited.length ? say("cited {n}×", { n: say_number(cited.length) }) : "");
    item.firstChild.dir = "auto";
    if (!reference.boxes.length) item.firstChild.href = resolve(reference.url);
    return item;
  });
  const section = (heading, items, open) => {
    const details = make("details", { open }, make("summary", { textContent: heading }), make("ol", {}, ...items));
    return items.length ? [details] : [];
  };
  root.querySelector(".reading-outline").replaceChildren(
    make("p", { className: "fine", textContent: [say_count(frames.length, "{n} page", "{n} pages"), say_count(places.mentions.length, "{n} citation is a link", "{n} citations are links")].join(", ") }),
    ...section(say("Extracted values"), values, innerWidth > 900),
    ...section(say_count(places.references.length, "{n} reference", "{n} references"), references, innerWidth > 900),
  );
}

// A value with what stands around it: `data-clip` names the field, `data-value` begins as the value does.
export function show_clips(where) {
  const waiting = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      waiting.unobserve(entry.target);
      show_clip(entry.target).catch((error) => { console.warn(error); entry.target.remove(); });
    }
  }, { rootMargin: "400px" });
  where.querySelectorAll("[data-clip]").forEach((clip) => waiting.observe(clip));
}

const asked = new Map();
const ask_once = (key, ask) => {
  if (!asked.has(key)) asked.set(key, ask());
  return asked.get(key);
};

async function show_clip(clip) {
  const { file, places: address, viewer, clip: field, value } = clip.dataset;
  const places = await ask_once(address, () => fetch(resolve(address)).then((answer) => answer.json()));
  const fitting = places.values.filter((each) => each.field === field);
  const found = fitting.find((each) => value && value.startsWith(each.value.replace(/…$/, ""))) || fitting[0];
  if (!found) { clip.remove(); return; }
  const { open } = await load_library(viewer);
  const pdf = await ask_once(file, () => open(resolve(file)));
  const [number] = found.boxes[0];
  const boxes = found.boxes.filter((box) => box[0] === number);
  const page = await pdf.getPage(number + 1);
  const canvas = await draw_page(page, Math.max(clip.clientWidth, 320));
  const top = Math.max(0, Math.min(...boxes.map((box) => box[2])) - CLIP_MARGIN);
  const bottom = Math.min(1, Math.max(...boxes.map((box) => box[4])) + CLIP_MARGIN);
  const frame = make("div", { className: "pdf-page" }, canvas);
  for (const box of boxes) frame.append(place_at(make("div", { className: "pdf-value chosen" }), box));
  frame.style.aspectRatio = `${canvas.width} / ${canvas.height}`;
  clip.replaceChildren(frame);
  const height = frame.clientHeight;
  clip.style.height = `${Math.min((bottom - top) * height, 320)}px`;
  frame.style.marginTop = `${-top * height}px`;
}
