"""TeX in titles and abstracts as people read it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.text.tex import make_readable


@pytest.mark.parametrize(
    ("written", "read"),
    [
        # letters and accents
        (r"Erd\H{o}s and Erd\H os", "Erdős and Erdős"),
        (r"G{\"o}del, B\"{u}chi, Lev\'{e}, \'Ecole", "Gödel, Büchi, Levé, École"),
        (r"Na\"\i ve Ho\v{r}ej\v s\'{\i}", "Naïve Hořejší"),
        (r"Stra\ss e, \L{}\'od\'z, \O rsted, {\O}re", "Straße, Łódź, Ørsted, Øre"),
        (r"It\'s what we don\'t say", "It's what we don't say"),
        # running text
        (r"\emph{very {\it nice}} \textbf{work}, \it{too}", "very nice work, too"),
        (r"10\% of \$5, A \& B, \#1, a\_b", "10% of $5, A & B, #1, a_b"),
        ("pages 10--20 -- or so---well", "pages 10–20 – or so—well"),
        ("``quoted'' and '' and `` left", "“quoted” and '' and `` left"),
        (r"Theorem~3, Fig.~1, see /~home and ~5", "Theorem 3, Fig. 1, see /~home and ~5"),
        (r"as in \cite{knuth:97}", "as in [knuth:97]"),
        ("{DNA} and {B}ayes", "DNA and Bayes"),
        (r"\alpha n outside, O(n^{11}), T_{ox}", "α n outside, O(n¹¹), T_ox"),
        # formulas
        (r"$\ell_1$-norm", "ℓ₁-norm"),
        (r"$O(n\log n)$ and $\log^2 n$ and $2\log T$", "O(n log n) and log² n and 2 log T"),
        (r"$l(D)\geq \Theta(\sqrt{n})$", "l(D) ≥ Θ(√n)"),
        (r"${\cal A}_2 \in \mathcal{S}_\mathcal{A}$", "A₂ ∈ S_A"),
        (r"$n^{1-\delta}$, $2^{16.5}$, $x_{ij}$, $x_{i+1}$, $R^{-1}$", "n^(1-δ), 2^16.5, x_ij, xᵢ₊₁, R⁻¹"),
        (r"$\tilde{O}(n^{3/2})$ in $\mathbb{R}^d$", "Õ(n^(3/2)) in ℝ^d"),
        (r"$O(\frac{1}{n})$, $x\frac{1}{2}$, $\frac{n\log n}{k}$", "O(1/n), x(1/2), (n log n)/k"),
        (r"$k \in \{1,\ldots,n\}$ or $\left. x \right|_0$", "k ∈ {1,…,n} or x |₀"),
        (r"$x'$, $A^*$, $90^\circ$, $a\not= b$, $m \equiv 1\pmod{k}$", "x′, A*, 90°, a≠ b, m ≡ 1 (mod k)"),
        (r"$$x^2$$ and \(a\leq b\) and \[c\]", "x² and a ≤ b and c"),
        (r"about $\pm$25 ps, $ S $ and $ \mu$", "about ±25 ps, S and μ"),
    ],
)
def test_what_authors_typed_is_read_as_printed(written: str, read: str) -> None:
    assert make_readable(written) == read
    assert make_readable(read) == read, "what is plain stays as it is"


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $6, or US$5 and A$6.",
        "between $5 per day or 10$ a week",
        "an unbalanced $x and no more",
        r"${n \choose k/2}$ and $\sqrt[3]{n}$ need two dimensions",
        r"\bF_q, $\weicnf{n}{p}$ and C:\temp\new are nobody's",
        r"$\frac{\frac{1}{2}}{3}$",
        "S={p1, p2} and {0, 1} are sets",
        "C-- and x-- and --help and ----",
        r"\emph{never closed",
        r"{\it never closed",
        "}{ }} {{",
        r"a \begin{itemize} \item b \end{itemize}",
        "a_b, n^2, snake_case and `code`",
        r"trailing \ ".strip(),
    ],
)
def test_what_is_not_surely_tex_stays(text: str) -> None:
    assert make_readable(text) == text


@given(st.text(alphabet=st.characters(exclude_characters="\\${}`~^_'-")))
def test_a_text_without_signs_stays(text: str) -> None:
    assert make_readable(text) == text


PIECES = [
    "$", "$$", "{", "}", "\\", "^", "_", "``", "''", "--", "~", "x", "é", "2", "(", "'", '"', "&", "[", ".",
    "|", " ", "\n", "\x02", "\x04", "\\'e", r"\H", r"\(", r"\)", r"\[", r"\]", r"\alpha", r"\log", r"\left",
    r"\emph{", r"{\it ", r"\frac", r"\sqrt", r"\mathbb", r"\cite{", r"\unknown", r"\not", r"\hat", r"\pmod",
    r"\le", r"\tilde{", r"\frac{", r"\item",
]  # fmt: skip
TEX = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(TEX)
def test_every_text_is_read_and_none_grows(text: str) -> None:
    said = make_readable(text)
    assert len(said) <= 2 * len(text)
    assert not {"\x02", "\x03", "\x04", "\x05"} & (set(said) - set(text)), "no marks of our own are left"


@given(st.text(alphabet="abc xyz.,", max_size=20), TEX, st.text(alphabet="abc xyz.,", max_size=20))
def test_words_around_tex_are_never_lost(before: str, text: str, behind: str) -> None:
    said = make_readable(f"{before}|{text}|{behind}")
    assert said.startswith(before)
    assert said.endswith(behind)


@pytest.mark.parametrize(
    "piece",
    [
        "$",
        "$x",
        "\\(",
        "\\[x",
        "{",
        "{\\it ",
        "\\emph{",
        "``",
        "\\'",
        "^{",
        "x_{",
        "$\\frac{",
        "~",
        "--",
        "\\a",
    ],
)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    assert make_readable(piece * 30_000)  # with its square it would take minutes
    assert make_readable(f"${piece.replace('$', '') * 30_000}$")
