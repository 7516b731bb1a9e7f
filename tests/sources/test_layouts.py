"""Which packages a project makes importable, and what it says of itself, for each build backend."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sources.making import write

from driftcheck.sources import Tree, open_tree
from driftcheck.sources.facts import _poetry_constraint, version_literal
from driftcheck.sources.metadata import parse_requirements_txt, with_marker


def project(root: Path, files: dict[str, str], **options: bool) -> Tree:
    return open_tree(str(write(root, files)), role="consumer", **options)


NAMED = '[project]\nname = "Gantry_Crane"\nversion = "1.2"\n'

LAYOUTS = {
    "src": ({"src/gantry_crane/__init__.py": "", "src/other/__init__.py": ""}, NAMED, "gantry_crane other"),
    "flat": ({"gantry_crane/__init__.py": "", "docs/conf.py": "", "setup.py": ""}, NAMED, "gantry_crane"),
    "flat, another name": ({"lift/__init__.py": "", "tests/t.py": "", "conftest.py": ""}, NAMED, "lift"),
    "one module": ({"gantry_crane.py": "", "setup.py": "", "tests/t.py": ""}, NAMED, "gantry_crane"),
    "hatch takes its name only": (
        {"gantry_crane/__init__.py": "", "helpers/__init__.py": ""},
        NAMED + '[build-system]\nbuild-backend = "hatchling.build"\n',
        "gantry_crane",
    ),
    "hatch packages": (
        {"code/lift/__init__.py": "", "gantry_crane/__init__.py": ""},
        NAMED + '[tool.hatch.build.targets.wheel]\npackages = ["code/lift"]\n',
        "lift",
    ),
    "hatch sources": (
        {"code/lift/__init__.py": ""},
        NAMED + '[tool.hatch.build.targets.wheel]\nonly-include = ["code/lift"]\nsources = ["code"]\n',
        "lift",
    ),
    "poetry": (
        {"lib/lift/__init__.py": "", "one.py": ""},
        '[tool.poetry]\nname = "x"\nversion = "1"\n'
        'packages = [{include = "lift", from = "lib"}, {include = "one.py"}]\n',
        "lift one",
    ),
    "poetry by name": ({"x/__init__.py": ""}, '[tool.poetry]\nname = "x"\nversion = "1"\n', "x"),
    "flit": ({"src/lift/__init__.py": ""}, NAMED + '[tool.flit.module]\nname = "lift"\n', "lift"),
    "uv": (
        {"code/lift/__init__.py": ""},
        NAMED + '[tool.uv.build-backend]\nmodule-name = "lift"\nmodule-root = "code"\n',
        "lift",
    ),
    "maturin": (
        {"python/lift/__init__.py": "", "src/lib.rs": ""},
        NAMED + '[tool.maturin]\npython-source = "python"\nmodule-name = "lift._core"\n',
        "lift",
    ),
    "scikit-build": (
        {"python/lift/__init__.py": ""},
        NAMED + '[tool.scikit-build]\nwheel.packages = ["python/lift"]\n',
        "lift",
    ),
    "setuptools list": (
        {"lift/__init__.py": "", "lift/sub/__init__.py": "", "more.py": "", "not/__init__.py": ""},
        NAMED + '[tool.setuptools]\npackages = ["lift", "lift.sub"]\npy-modules = ["more"]\n',
        "lift more",
    ),
    "setuptools package-dir": (
        {"code/__init__.py": "", "code/x.py": ""},
        NAMED + '[tool.setuptools]\npackages = ["lift"]\npackage-dir = {lift = "code"}\n',
        "lift",
    ),
    "setuptools find": (
        {"lift/__init__.py": "", "liftoff/__init__.py": "", "crane/__init__.py": ""},
        NAMED + '[tool.setuptools.packages.find]\ninclude = ["lift*"]\nexclude = ["liftoff*"]\n',
        "lift",
    ),
    "setuptools find where": (
        {"code/lift/__init__.py": "", "code/ns/inner/x.py": "", "crane/__init__.py": ""},
        NAMED + '[tool.setuptools.packages.find]\nwhere = ["code"]\n',
        "lift ns",
    ),
    "namespace": (
        {"src/corp/lift/__init__.py": "", "src/corp/lift/x.py": ""},
        NAMED + '[tool.setuptools.packages.find]\nwhere = ["src"]\ninclude = ["corp.*"]\n',
        "corp",
    ),
    "a place outside": (
        {"gantry_crane/__init__.py": ""},
        NAMED + '[tool.setuptools]\npackages = ["lift"]\npackage-dir = {lift = "../.."}\n',
        "gantry_crane",
    ),
    "wrong types everywhere": (
        {"gantry_crane/__init__.py": ""},
        "[tool]\nsetuptools = 1\npoetry = []\nhatch = {build = 'x'}\n[project]\nname = 5\ndependencies = {}\n",
        "gantry_crane",
    ),
    "not TOML": ({"gantry_crane/__init__.py": ""}, "[[[", "gantry_crane"),
    "only scripts": ({"scripts/a.py": "", "tests/t.py": ""}, "[tool.ruff]\n", "scripts tests"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(tmp_path: Path, name: str) -> None:
    files, pyproject, packages = LAYOUTS[name]
    tree = project(tmp_path, {**files, "pyproject.toml": pyproject})
    assert tree.packages == tuple(packages.split())
    assert tree.python_files
    for path in tree.python_files:
        assert path.split("/")[0].split(".")[0] in tree.packages
        place = tree.locate(path)
        assert place is not None and place.read_bytes() == tree.read(path)


def test_setup_cfg(tmp_path: Path) -> None:
    cfg = (
        "[metadata]\nname = lift\nversion = 3.1\n[options]\npackages = find:\npackage_dir =\n    = code\n"
        "py_modules = one\ninstall_requires =\n    dep>=1,<2\n    other\n[options.packages.find]\nwhere = code\n"
        "[options.extras_require]\ngpu =\n    vast==2\n"
        "[options.entry_points]\nconsole_scripts =\n    lift = lift.cli:main\n"
    )
    tree = project(
        tmp_path, {"setup.cfg": cfg, "code/lift/__init__.py": "", "code/one.py": "", "x/__init__.py": ""}
    )
    assert (tree.name, tree.version, tree.packages) == ("lift", "3.1", ("lift", "one"))
    assert tree.requires == ("dep>=1,<2", "other", 'vast==2; extra == "gpu"')
    assert tree.entry_points == {"console_scripts": {"lift": "lift.cli:main"}}
    assert tree.root == str(tmp_path / "code")


def test_setup_py_is_read_and_never_run(tmp_path: Path) -> None:
    setup = (
        "import pathlib, setuptools\n"
        f"pathlib.Path({str(tmp_path / 'ran')!r}).write_text('ran')\n"
        "NAME = 'lift'\nREQUIRES = ['dep>=1'] + ['other']\n"
        "setuptools.setup(name=NAME, version='2.0', packages=setuptools.find_packages('code', exclude=['no']),\n"
        "    package_dir={'': 'code'}, install_requires=REQUIRES, extras_require={'a': ['b==1']},\n"
        "    entry_points={'console_scripts': ['lift=lift:main']}, long_description=open('x').read())\n"
    )
    files = {"setup.py": setup, "code/lift/__init__.py": "", "code/no/__init__.py": "", "code/data/x.py": ""}
    tree = project(tmp_path, files)
    assert (tree.name, tree.version, tree.packages) == ("lift", "2.0", ("lift",))
    assert tree.requires == ("dep>=1", "other", 'b==1; extra == "a"')
    assert tree.entry_points == {"console_scripts": {"lift": "lift:main"}}
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "text", ["def (", "\0", "(" * 5000, "x = 1\n", "setup(**unknown)", "setup(name=name())"]
)
def test_a_setup_py_that_says_nothing(tmp_path: Path, text: str) -> None:
    told: list[str] = []
    write(tmp_path, {"setup.py": text, "lift/__init__.py": ""})
    tree = open_tree(str(tmp_path), role="consumer", progress=told.append)
    assert tree.packages == ("lift",) and tree.name is None
    assert all("\n" not in line for line in told)


def test_pyproject_facts(tmp_path: Path) -> None:
    pyproject = (
        NAMED
        + 'dependencies = ["dep>=1", "vast; python_version < \'4\'"]\n'
        + "[project.optional-dependencies]\nGPU_x = [\"vast==1; sys_platform == 'linux'\"]\n"
        + '[project.scripts]\nlift = "gantry_crane:main"\n[project.entry-points."plug.ins"]\na = "b:c"\n'
    )
    tree = project(tmp_path, {"pyproject.toml": pyproject, "gantry_crane/__init__.py": ""})
    assert (tree.name, tree.version, tree.immutable) == ("gantry-crane", "1.2", False)
    assert tree.requires == (
        "dep>=1",
        "vast; python_version < '4'",
        "vast==1; sys_platform == 'linux' and extra == \"gpu-x\"",
    )
    assert tree.entry_points == {"console_scripts": {"lift": "gantry_crane:main"}, "plug.ins": {"a": "b:c"}}


def test_dynamic_facts(tmp_path: Path) -> None:
    pyproject = (
        '[project]\nname = "lift"\ndynamic = ["version", "dependencies"]\n'
        '[tool.setuptools.dynamic]\ndependencies = {file = ["req/main.txt", "../outside.txt"]}\n'
    )
    files = {
        "p/pyproject.toml": pyproject,
        "p/req/main.txt": "# c\ndep>=1  # why\n-r other.txt\nvast @ https://x/y.whl\n",
        "outside.txt": "evil",
        "p/lift/__init__.py": "raise SystemExit",
        "p/lift/_version.py": "__version__ = version = '0.16.0'\n",
    }
    tree = open_tree(str(write(tmp_path, files) / "p"), role="provider")
    assert tree.version == "0.16.0"
    assert tree.requires == ("dep>=1", "vast @ https://x/y.whl")


def test_an_sdist_directory_has_the_last_word_on_its_version(tmp_path: Path) -> None:
    info = "Name: lift\nVersion: 1.5\nRequires-Dist: dep\n"
    files = {"PKG-INFO": info, "lift/__init__.py": "__version__ = '9'", "pyproject.toml": ""}
    tree = project(tmp_path, files)
    assert (tree.name, tree.version, tree.requires) == ("lift", "1.5", ("dep",))


def test_tests_and_examples_on_request(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "lift"\n',
        "src/lift/__init__.py": "",
        "tests/test_x.py": "",
        "examples/deep/e.py": "",
        "data/table.csv": "",
    }
    assert project(tmp_path, files).packages == ("lift",)
    tree = project(tmp_path, files, include_tests=True)
    assert tree.packages == ("examples", "lift", "tests")
    assert tree.python_files == ("examples/deep/e.py", "lift/__init__.py", "tests/test_x.py")


def test_a_plain_directory_of_sources(tmp_path: Path) -> None:
    """`check src/`: what lies there, with the facts of the project around it."""
    files = {
        "pyproject.toml": '[project]\nname = "lift"\ndependencies = ["vast==2"]\n',
        "src/lift/__init__.py": "",
    }
    write(tmp_path, files)
    tree = open_tree(str(tmp_path / "src"), role="consumer")
    assert (tree.name, tree.packages, tree.requires) == ("lift", ("lift",), ("vast==2",))
    assert tree.root == str(tmp_path / "src")


def test_environments_and_links_out_are_no_packages(tmp_path: Path) -> None:
    write(
        tmp_path, {"p/lift/__init__.py": "", "p/myenv/pyvenv.cfg": "", "p/myenv/x.py": "", "other/x.py": ""}
    )
    (tmp_path / "p/out").symlink_to(tmp_path / "other")
    assert open_tree(str(tmp_path / "p"), role="consumer").packages == ("lift",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("^1.2.3", ">=1.2.3,<2"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^0.0.3", ">=0.0.3,<0.0.4"),
        ("~1.2.3", ">=1.2.3,<1.3"),
        ("~1", ">=1,<2"),
        ("~=1.4", "~=1.4"),
        ("1.2.*", "==1.2.*"),
        ("1.2", "==1.2"),
        (">=1", ">=1"),
        ("*", ""),
    ],
)
def test_poetry_constraints(text: str, expected: str) -> None:
    assert _poetry_constraint(text) == expected


def test_poetry_dependencies(tmp_path: Path) -> None:
    pyproject = (
        '[tool.poetry]\nname = "lift"\nversion = "1"\n[tool.poetry.dependencies]\npython = "^3.11"\n'
        'dep = "^1.2"\nvast = {version = "2.0", optional = true}\ngit = {git = "x"}\n'
        '[tool.poetry.extras]\ngpu = ["vast"]\n[tool.poetry.scripts]\nlift = "lift:main"\n'
    )
    tree = project(tmp_path, {"pyproject.toml": pyproject, "lift/__init__.py": ""})
    assert tree.requires == ("dep>=1.2,<2", 'vast==2.0; extra == "gpu"', "git")
    assert tree.entry_points == {"console_scripts": {"lift": "lift:main"}}


def test_version_literals() -> None:
    assert version_literal("__version__ = version = '1.2'\n") == "1.2"
    assert version_literal("__version__: str = '1.2'\n") == "1.2"
    assert version_literal("__version__ = compute()\n") is None
    assert version_literal("__version__ = 'no version'\n") is None
    assert version_literal("__version__ = '1'\ndef (") is None


def test_requirement_lines() -> None:
    assert parse_requirements_txt("a\\\n>=1\nb --hash=sha256:1\n--index-url x\nhttps://x/y\n") == (
        "a >=1",
        "b",
    )
    assert (
        with_marker("a; b == 'c' or d == 'e'", "extra == 'x'") == "a; (b == 'c' or d == 'e') and extra == 'x'"
    )


@given(st.dictionaries(st.sampled_from(["pyproject.toml", "setup.cfg", "setup.py", "PKG-INFO"]), st.text()))
def test_any_configuration_is_read_without_a_crash(files: dict[str, str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as root:
        place = Path(root)
        for name, text in {**files, "lift/__init__.py": ""}.items():
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text(text, "utf-8")
        assert "lift" in open_tree(root, role="consumer").packages
