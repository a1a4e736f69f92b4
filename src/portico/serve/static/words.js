// The texts of scripts in the language of the page. Other scripts ask for them; it comes before all of them.
"use strict";

const page_language = document.documentElement.lang;

const [say, say_count, say_number] = (() => {
  const texts = /* TEXTS */ {};
  const plurals = new Intl.PluralRules(page_language);
  const number = (n) => n.toLocaleString(page_language);
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
  return [
    (text, values = {}) => fill(texts[text] ? texts[text][0] : text, values),
    (n, one, many, values = {}) => fill((texts[one] || [one, many])[plurals.select(n) === "one" ? 0 : 1], { n: number(n), ...values }),
    number,
  ];
})();
