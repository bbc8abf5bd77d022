"""200 small tests that touch nothing, of four kinds."""

import json
import re

import pytest


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


@pytest.fixture
def squares():
    return [Square(side) for side in range(100)]


@pytest.mark.parametrize("number", range(50))
def test_text(number):
    words = ["alpha", "beta", "gamma"] * 8000
    counted = {}
    for word in words[:300]:
        counted[word] = counted.get(word, 0) + 1
    assert sorted(counted) == ["alpha", "beta", "gamma"]
    assert re.sub("beta", "b", "-".join(words)).count("b") == 8000


@pytest.mark.parametrize("number", range(50))
def test_numbers(number):
    values = [n * n % 97 for n in range(40000)]
    assert max(values) < 97
    assert sum(values) == sum(sorted(values))


@pytest.mark.parametrize("number", range(50))
def test_json(number):
    document = {"names": ["a", "b"] * 100, "numbers": list(range(12000)), "nested": {"x": number}}
    assert json.loads(json.dumps(document)) == document


class TestShapes:
    @pytest.mark.parametrize("number", range(50))
    def test_area(self, squares, number):
        sides = [square.side % 7 for square in squares * 250]
        assert sides.count(3) == sum(side == 3 for side in sides[:100]) * 250
        assert sum(square.area() for square in squares) == 328350
