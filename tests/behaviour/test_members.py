"""What reading a member of an object gives."""

from behaviour.making import cls, world

from driftcheck.infer.attributes import instance_lookup
from driftcheck.infer.values import UNKNOWN, ClassValue, External, Instance

SOURCE = """\
class Crane:
    @property
    def speed(self) -> int:
        return 1

    @speed.setter
    def speed(self, speed) -> None:
        self._speed = speed

    @speed.deleter
    def speed(self) -> None:
        del self._speed

    @property
    def limit(self) -> int:
        return 1


class Tower(Crane):
    @Crane.limit.setter
    def limit(self, limit) -> None:
        self._limit = limit
"""


def read(owner: str, name: str):
    of = world({"gantry/__init__.py": SOURCE})
    receiver = Instance(ClassValue(cls(of, owner)), True)
    return instance_lookup(of, cls(of, owner), name, receiver).value


def test_a_property_with_a_setter_is_what_its_getter_gives():
    assert read("Crane", "speed") == Instance(External("builtins.int"))


def test_a_setter_alone_is_no_method_and_gives_nothing_of_its_own():
    assert read("Tower", "limit") is UNKNOWN
