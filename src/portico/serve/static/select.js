"use strict";
// What is selected on the page fills in the form: characters counted as the page's document counts them. Marks
// are sent without leaving the page: what comes back takes the place of the panel and of the lines.
const place = (lines, node, offset) => {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  const line = element && element.closest("[data-start]");
  if (!line || !lines.contains(line)) return null;
  const before = document.createRange();
  before.setStart(line, 0);
  before.setEnd(node, offset);
  return Number(line.dataset.start) + Array.from(before.toString()).length;
};
const take = () => {
  const lines = document.getElementById("lines");
  const form = document.getElementById("marking");
  const selection = document.getSelection();
  if (!lines || !form || !selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const start = place(lines, range.startContainer, range.startOffset);
  const end = place(lines, range.endContainer, range.endOffset);
  if (start === null || end === null || start >= end) return;
  form.elements.start.value = start;
  form.elements.end.value = end;
  form.elements.words.value = range.toString().replace(/\s+/g, " ").trim();
  form.elements.line.value = "";
};
document.addEventListener("selectionchange", take);
take();  // a quick hand selects before the page is ready
// Typed by hand, the words are looked for in the line instead.
document.addEventListener("input", event => {
  const form = document.getElementById("marking");
  if (!form || !["words", "line"].includes(event.target.name) || event.target.form !== form) return;
  form.elements.start.value = form.elements.end.value = "";
});
const address = page => page.querySelector(".address .fine")?.textContent;
const show = html => {
  const came = new DOMParser().parseFromString(html, "text/html");
  if (address(came) !== address(document)) return false;
  for (const id of ["panel", "lines"]) {
    const here = document.getElementById(id), there = came.getElementById(id);
    if (!here || !there) return false;
    here.replaceWith(document.adoptNode(there));
  }
  return true;
};
document.addEventListener("submit", async event => {
  const form = event.target;
  if (form.method !== "post" || !document.getElementById("lines")) return;
  event.preventDefault();
  const said = new FormData(form, event.submitter);
  document.body.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, {method: "POST", body: new URLSearchParams(said)});
    if (show(await answer.text())) return;
    if (answer.redirected) location.assign(answer.url);  // the mark that was taken back stood on another page
    else location.reload();
  } catch {
    form.submit();  // the server is gone, or answers nothing we can show: let the browser say so
  } finally {
    document.body.removeAttribute("aria-busy");
  }
});
