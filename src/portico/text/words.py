"""Words of a text in the one form in which texts are compared: lower case, plural endings off."""

import re
from functools import lru_cache

# Letters and digits of any script; "c++" and "c#" are words too.
_WORD = re.compile(r"[^\W_]+(?:\+\+|#)?")

# English words that say nothing about the subject of a paper; "paper" is one of them.
_STOP_LIST = """
a about above after again against all also although always among an and another any are as at be because
become been before being below between both but by can cannot could did do does doing done down during
each either et etc even ever every few for from further given gives had has have having he hence her
here him his how however if in indeed into is it its itself just less like made make makes making many
may might more most much must neither no nor not now of off often on once one only onto or other others
our out over own paper papers per perhaps quite rather same several shall she should show shown shows
since so some such than that the their them then there therefore these they this those through thus to
too toward towards two under until up upon us use used useful uses using various very via was we well
were what when where whether which while who whom whose why will with within without would yet you your
"""
STOP_WORDS = frozenset(_STOP_LIST.split())


def words(text: str) -> list[str]:
    """Every word that is no stop word, in order, with its plural ending taken off."""
    return [stem for word in _WORD.findall(text.casefold()) if (stem := _stem(word))]


def singular(word: str) -> str:
    """The word without an English plural ending: "queries" and "query" become one word."""
    if len(word) < 4 or word[-1] != "s" or word[-2] in "sui":
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=200_000)  # twice the words that 45,000 abstracts use; a text's words mostly recur
def _stem(word: str) -> str:
    return "" if word in STOP_WORDS else singular(word)
