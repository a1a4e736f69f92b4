"use strict";
// A preview that is under way is looked at again, so that nobody has to ask.
const under_way = document.querySelector("[data-again]");
if (under_way) setTimeout(() => location.reload(), Number(under_way.dataset.again));
