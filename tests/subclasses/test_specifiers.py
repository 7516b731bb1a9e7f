"""Whether two ranges leave a version that meets both."""

import pytest
from packaging.specifiers import SpecifierSet

from driftcheck.checks.specifiers import exclude_each_other

APART = [
    ("<=4.57.6,>=4.56.1", ">=5.5.3"),
    ("==1.2.3", "==1.2.4"),
    ("<2", ">=2"),
    ("~=2.1", ">=3"),
    ("==1.*", ">=2"),
    ("<2,>1", "!=1.*,<2,>=1"),
]
TOGETHER = [
    ("", ">=2"),
    ("<2", ">=1.9.9"),
    ("<2", ">1.99"),
    ("==1.2.3", ">=1.2"),
    ("~=2.1", "<3"),
    ("!=2.0", ">=2"),
    (">=1", ">=5"),
    ("<=2.10.0,>=2.9.0", "==2.9.1"),
    (">0.7.1,<0.7.3", "==0.7.2"),
]


@pytest.mark.parametrize(("ours", "theirs"), APART)
def test_apart(ours, theirs):
    assert exclude_each_other(SpecifierSet(ours), SpecifierSet(theirs))
    assert exclude_each_other(SpecifierSet(theirs), SpecifierSet(ours))


@pytest.mark.parametrize(("ours", "theirs"), TOGETHER)
def test_together(ours, theirs):
    assert not exclude_each_other(SpecifierSet(ours), SpecifierSet(theirs))
    assert not exclude_each_other(SpecifierSet(theirs), SpecifierSet(ours))
