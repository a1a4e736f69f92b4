"use strict";
// What is selected on the page fills in the form: characters counted as the page's document counts them.
const lines = document.getElementById("lines");
const form = document.getElementById("marking");
if (lines && form) {
  const place = (node, offset) => {
    const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    const line = element && element.closest("[data-start]");
    if (!line || !lines.contains(line)) return null;
    const before = document.createRange();
    before.setStart(line, 0);
    before.setEnd(node, offset);
    return Number(line.dataset.start) + Array.from(before.toString()).length;
  };
  const take = () => {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return;
    const range = selection.getRangeAt(0);
    const start = place(range.startContainer, range.startOffset);
    const end = place(range.endContainer, range.endOffset);
    if (start === null || end === null || start >= end) return;
    form.elements.start.value = start;
    form.elements.end.value = end;
    form.elements.words.value = range.toString().replace(/\s+/g, " ").trim();
    form.elements.line.value = "";
  };
  document.addEventListener("selectionchange", take);
  take();  // a quick hand selects before the page is ready
  // Typed by hand, the words are looked for in the line instead.
  for (const name of ["words", "line"]) {
    form.elements[name].addEventListener("input", () => {
      form.elements.start.value = form.elements.end.value = "";
    });
  }
}
