"""One setting is changed, and everything else stays as the builder wrote it."""

import pytest

from portico.config.editing import change_setting
from portico.errors import ConfigError

CHANGED = 'policy = "paths"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", f"\n[spider]\n{CHANGED}\n"),
        ('[portal]\ntitle = "x"\n', f'[portal]\ntitle = "x"\n\n[spider]\n{CHANGED}\n'),
        ("[spider]\nmax_pages = 3 # few\n", f"[spider]\n{CHANGED}\nmax_pages = 3 # few\n"),
        ('[spider]\n# policy = "x"\npolicy="learned" # ours\n', f'[spider]\n# policy = "x"\n{CHANGED}\n'),
        ("[spider]\npolicy = '''learned'''\n[fetch]\n", f"[spider]\n{CHANGED}\n[fetch]\n"),
        (f"[spider]\n{CHANGED}", f"[spider]\n{CHANGED}\n"),
    ],
)
def test_one_setting_is_changed(text: str, expected: str) -> None:
    assert change_setting(text, "spider", "policy", "paths") == expected


@pytest.mark.parametrize(
    "text",
    [
        'spider = { policy = "learned" }\n',
        '[spider]\npolicy = """\nlearned"""\n',
        'spider.policy = "learned"\n',
    ],
)
def test_what_we_cannot_change_is_left_alone(text: str) -> None:
    with pytest.raises(ConfigError, match='write policy = "paths" under'):
        change_setting(text, "spider", "policy", "paths")
