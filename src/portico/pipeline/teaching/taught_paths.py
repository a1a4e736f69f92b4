"""From a lesson to a model of paths: its examples with the pages they went by, and what they teach."""

from portico.crawl.paths.learning import PathModel, PathOptions, learn_paths
from portico.errors import FetchError
from portico.pipeline.teaching.page_viewer import ViewPage
from portico.types.lesson import Lesson, Stop
from portico.types.path import Ending, Path, Step

# A builder teaches on two or three sites. Of the observations that are met on one of them alone, which a
# model of many sites does without, they cannot spare any: `portico lab teaching` shows both.
TAUGHT = PathOptions(widespread=False)


def learn_from_lesson(lesson: Lesson, look: ViewPage) -> PathModel:
    """A model of all examples; ConfigError where none of them leads to a goal."""
    return learn_paths(read_taught_paths(lesson, look), TAUGHT)


def read_taught_paths(lesson: Lesson, look: ViewPage) -> list[Path]:
    """The examples of a lesson with their pages; one with a page that cannot be had any more is left out."""
    paths = []
    for stop in lesson.examples:
        try:
            steps = tuple(_step(each, look) for each in lesson.way(stop.id))
        except FetchError:
            continue
        paths.append(Path(steps, stop.ending or Ending.DEAD_END))
    return paths


def _step(stop: Stop, look: ViewPage) -> Step:
    return Step(look(stop.url).view, stop.link, stop.milestone)
