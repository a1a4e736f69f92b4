"""Normalizes British and American spelling, and irregular plurals, for comparison."""

import re

# Plurals in scholarly use that no English stemmer reduces to the singular.
_PLURALS = """
matrices matrix  vertices vertex  indices index  appendices appendix  vortices vortex  simplices simplex
criteria criterion  phenomena phenomenon  automata automaton  polyhedra polyhedron  corpora corpus
genera genus  schemata schema  lemmata lemma  formulae formula  larvae larva  vertebrae vertebra
antennae antenna  algae alga  women woman  men man  children child  mice mouse  feet foot  teeth tooth
leaves leaf  lives life  wolves wolf  halves half  spectra spectrum  minima minimum  maxima maximum
optima optimum  extrema extremum  quanta quantum  momenta momentum  equilibria equilibrium  bacteria bacterium
strata stratum  nuclei nucleus  stimuli stimulus  radii radius  foci focus  loci locus  fungi fungus
axes axis  crises crisis  diagnoses diagnosis  symbioses symbiosis
"""
_SINGULARS = dict(re.findall(r"(\w+) (\w+)", _PLURALS))

# British on the left. Words that match an ending although both spell them alike ("noise", "rise") are changed
# everywhere, so that nothing is taken for another word.
_OUR = (
    "arm|behavi|cand|clam|col|endeav|fav|ferv|flav|glam|harb|hon|hum|lab|misbehavi|neighb|od|parl|ranc|rig|rum|"
    "sav|savi|splend|tum|val|vap|vig"
)
_RULES = (
    (r"(?<=[a-z]{3})is(e|ed|es|er|ers|ing|ation|ations|able)$", r"iz\1"),
    (r"(?<=[a-z]{2})lys(is|es|e|ed|er|ers|ing)$", "lyze"),
    (r"theses$", "thesis"),
    (rf"^({_OUR})our", r"\1or"),
    (r"(cent|met|lit|fib|theat|calib|spect|lust|sab)re(s|d)?$", r"\1er\2"),
    (r"logue(s|d)?$", r"log\1"),
    (r"ogrammes?$", "ogram"),
    (r"^(def|off|lic|pret)ence", r"\1ense"),
    (r"(?<=h)aem|(?<=[a-z])aem(?=i)", "em"),
    (r"paed", "ped"),
    (r"anaesth", "anesth"),
    (r"gynaec|^faec", lambda match: match[0].replace("ae", "e")),
    (r"^oe(?=s|d)|^ae(?=t)", "e"),
    (r"foet", "fet"),
    (r"rrhoe", "rrhe"),
    (r"noeuv", "neuv"),
    (r"^(arch|pal)aeo", r"\1eo"),
    (r"sulph", "sulf"),
    (r"^mould", "mold"),
    (r"^grey", "gray"),
    (r"^aluminium", "aluminum"),
    (r"^(judg|acknowledg)ement", r"\1ment"),
    (r"^ageing$", "aging"),
    (r"^artefact", "artifact"),
    (r"^sceptic", "skeptic"),
)
_COMPILED = [(re.compile(pattern, re.M), replacement) for pattern, replacement in _RULES]


def write_alike(words: list[str]) -> list[str]:
    """Keys for comparing these words: lower case, no accents, American spelling, irregular plurals in the
    singular. A key need not be a word.
    """
    text = "\n".join([_SINGULARS.get(word, word) for word in words])
    for pattern, replacement in _COMPILED:
        text = pattern.sub(replacement, text)
    return text.split("\n")
