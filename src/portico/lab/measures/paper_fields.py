"""Measures the predicted field of research of papers whose true field is known."""

from collections.abc import Sequence

from portico.classify.classifier import FIELD_THRESHOLDS
from portico.classify.fields import FieldModel
from portico.pipeline.topics.topic_texts import make_topic_text
from portico.types.record import Record

# Sets of papers distinguish fewer fields than the model does.
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
SURE = 0.9


def score_paper_fields(
    papers: Sequence[tuple[str, tuple[Record, ...]]], model: FieldModel
) -> dict[str, float | int | None]:
    """Recall and precision of predicted fields; each pair is a true field and the records of a paper.

    The predicted field is the one under which the tree of all sciences shows a paper. Precision is also given
    for predictions with a probability of .9 or more, and recall also with similar fields counted as right.
    """
    texts = [make_topic_text("", records) for _, records in papers]
    told = [
        (truth, *_find_field(chances, model))
        for (truth, _), chances in zip(papers, model.chances(texts).tolist(), strict=True)
    ]
    rights = [truth == name for truth, name, _ in told if name]
    kin = [truth == name or {truth, name} in _KIN for truth, name, _ in told if name]
    sure = [truth == name for truth, name, chance in told if chance >= SURE]
    return {
        "recall": sum(rights) / len(told),
        "precision": sum(rights) / len(rights) if rights else None,
        "recall_of_kin": sum(kin) / len(told),
        "n_sure": len(sure),
        "precision_of_sure": sum(sure) / len(sure) if sure else None,
    }


def _find_field(chances: Sequence[float], model: FieldModel) -> tuple[str, float]:
    """The most likely field, by its name in the sets, and its probability; "" if it would not be shown."""
    best = max(range(len(chances)), key=chances.__getitem__)
    field = model.fields[best]
    is_shown = chances[best] >= FIELD_THRESHOLDS.inner
    return _BROADER.get(field, field.replace(" ", "_")) if is_shown else "", chances[best]
