"""Of which field of research a paper is, by what was read of it: for sets whose truth names the field."""

from collections.abc import Sequence

from portico.classify.classifier import FIELD_THRESHOLDS
from portico.classify.fields import FieldModel
from portico.pipeline.topics.topic_texts import make_topic_text
from portico.types.record import Record

# Sets of papers tell fewer fields apart than the model does.
_BROADER = {
    "agriculture": "biology",
    "arts": "humanities",
    "business": "economics",
    "history": "humanities",
    "law": "social_sciences",
    "linguistics": "humanities",
    "literature": "humanities",
    "philosophy": "humanities",
    "religion": "humanities",
}
_KIN = (
    {"biology", "ecology"}, {"biology", "medicine"}, {"medicine", "psychology"}, {"chemistry", "biology"},
    {"physics", "astronomy"}, {"computer_science", "engineering"}, {"social_sciences", "education"},
    {"humanities", "psychology"}, {"economics", "mathematics"},
)  # fmt: skip
PLACED = 0.3  # less likely fields are not said: a paper without any word has .25
SURE = 0.9


def score_paper_fields(
    papers: Sequence[tuple[str, tuple[Record, ...]]], model: FieldModel
) -> dict[str, float | int | None]:
    """How often the field (the first of each pair) is found: of all papers, of those where one is said.

    Of those said with nine in ten or more, too; of all, if fields that are hardly told apart are as good; and
    by the likeliest field alone, which is where the tree of all sciences shows a paper.
    """
    said = [
        (truth, *_likeliest(chances, model), _name_shown(chances, model))
        for (truth, _), chances in zip(
            papers,
            model.chances([make_topic_text("", records) for _, records in papers]).tolist(),
            strict=True,
        )
    ]
    rights = [truth == name for truth, name, chance, _ in said if chance >= PLACED]
    sure = [truth == name for truth, name, chance, _ in said if chance >= SURE]
    kin = [truth == name or {truth, name} in _KIN for truth, name, chance, _ in said if chance >= PLACED]
    shown = [truth == name for truth, _, _, name in said if name]
    return {
        "recall": sum(rights) / len(said),
        "precision": sum(rights) / len(rights) if rights else None,
        "recall_of_kin": sum(kin) / len(said),
        "recall_as_shown": sum(shown) / len(said),
        "precision_as_shown": sum(shown) / len(shown) if shown else None,
        "n_sure": len(sure),
        "precision_of_sure": sum(sure) / len(sure) if sure else None,
    }


def _name_shown(chances: Sequence[float], model: FieldModel) -> str:
    """The likeliest field of the model, in the words of the sets; "" where it would not be shown."""
    best = max(range(len(chances)), key=chances.__getitem__)
    field = model.fields[best]
    is_shown = chances[best] >= FIELD_THRESHOLDS.inner
    return _BROADER.get(field, field.replace(" ", "_")) if is_shown else ""


def _likeliest(chances: Sequence[float], model: FieldModel) -> tuple[str, float]:
    """The likeliest field, in the words of the sets; "" for a paper of which nothing is known."""
    sums: dict[str, float] = {}
    for field, chance in zip(model.fields, chances, strict=True):
        name = _BROADER.get(field, field.replace(" ", "_"))
        sums[name] = sums.get(name, 0.0) + chance
    best = max(sums, key=sums.__getitem__)
    return best, sums[best]
