"""Installed distributions: found by reading an environment, in every form installers leave behind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sources.making import write

from driftcheck.sources import SourceError, Tree, open_tree

METADATA = "Metadata-Version: 2.1\nName: Lift_It\nVersion: 1.4\nRequires-Dist: vast==2\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The site-packages directory of an environment that has a layout and no working interpreter."""
    write(tmp_path / "env", {"pyvenv.cfg": "home = /nowhere\n", "bin/python": "#!/bin/false\n"})
    (tmp_path / "env/bin/python").chmod(0o755)
    place = tmp_path / "env/lib/python3.12/site-packages"
    place.mkdir(parents=True)
    return place


def opened(site: Path, spec: str = "lift-it") -> Tree:
    return open_tree(spec, role="provider", python=site.parents[2] / "bin/python")


def install(
    site: Path, files: dict[str, str], info: dict[str, str] | None = None, record: bool = True
) -> None:
    own = {
        f"lift_it-1.4.dist-info/{name}": text for name, text in {"METADATA": METADATA, **(info or {})}.items()
    }
    write(site, {**files, **own})
    if record:
        lines = "".join(f"{path},,\n" for path in (*files, *own))
        write(site, {"lift_it-1.4.dist-info/RECORD": lines + "../../../bin/lift,,\n"})


def test_a_wheel_install(site: Path) -> None:
    install(
        site,
        {"lift/__init__.py": "", "lift/x.py": "x", "lift/_C.so": "", "single.py": ""},
        {"entry_points.txt": "[console_scripts]\nlift = lift:main\n"},
    )
    write(site, {"other/__init__.py": "", "lift_stray.py": ""})
    tree = opened(site, "Lift.It")
    assert (tree.name, tree.version, tree.packages) == ("lift-it", "1.4", ("lift", "single"))
    assert tree.python_files == ("lift/__init__.py", "lift/x.py", "single.py")
    assert tree.is_file("lift/_C.so") and tree.requires == ("vast==2",) and not tree.immutable
    assert tree.entry_points == {"console_scripts": {"lift": "lift:main"}}
    assert tree.root == str(site) and tree.locate("lift/x.py") == site / "lift/x.py"


def test_without_a_record(site: Path) -> None:
    install(site, {"lift/__init__.py": ""}, {"top_level.txt": "lift\n_gone\n"}, record=False)
    assert opened(site).packages == ("lift",)


def test_a_namespace_is_shared(site: Path) -> None:
    install(site, {"corp/lift/__init__.py": "", "corp/lift/x.py": ""})
    write(site, {"corp/other/__init__.py": ""})
    tree = opened(site)
    assert tree.packages == ("corp",)
    assert tree.python_files == ("corp/lift/__init__.py", "corp/lift/x.py")


def test_a_record_that_lies(site: Path) -> None:
    install(site, {"lift/__init__.py": ""})
    record = (
        "lift/__init__.py,,\n../../outside.py,,\n/etc/passwd.py,,\nlift/gone.py,,\ngone/__init__.py,,\n\0,,\n"
    )
    write(site, {"lift_it-1.4.dist-info/RECORD": record})
    tree = opened(site)
    assert tree.packages == ("lift",) and tree.python_files == ("lift/__init__.py",)


def test_files_linked_to_a_store(site: Path, tmp_path: Path) -> None:
    """Installers may link an environment's files to their cache."""
    store = write(tmp_path / "store", {"init.py": "stored", "whole/__init__.py": "whole"})
    (site / "lift").mkdir()
    (site / "lift/__init__.py").symlink_to(store / "init.py")
    (site / "whole").symlink_to(store / "whole")
    install(site, {}, {"RECORD": "lift/__init__.py,,\nwhole/__init__.py,,\n"}, record=False)
    tree = opened(site)
    assert tree.read("lift/__init__.py") == b"stored" and tree.read("whole/__init__.py") == b"whole"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    files = {
        "pyproject.toml": '[project]\nname = "lift-it"\n',
        "src/lift/__init__.py": "",
        "src/lift/x.py": "x",
    }
    return write(tmp_path / "checkout", files)


def editable(site: Path, files: dict[str, str], checkout: Path | None = None, tops: str = "") -> Tree:
    info = {"top_level.txt": tops} if tops else {}
    if checkout is not None:
        info["direct_url.json"] = json.dumps({"url": checkout.as_uri(), "dir_info": {"editable": True}})
    install(site, files, info)
    return opened(site)


def test_editable_by_path_line(site: Path, checkout: Path) -> None:
    write(checkout, {"src/other/__init__.py": ""})
    tree = editable(site, {"__editable__.lift_it-1.4.pth": f"# c\n{checkout}/src\n"}, tops="lift\n")
    assert tree.packages == ("lift",) and tree.read("lift/x.py") == b"x" and tree.version == "1.4"
    assert tree.locate("lift/x.py") == checkout / "src/lift/x.py"


def test_editable_by_path_line_without_names(site: Path, checkout: Path) -> None:
    assert editable(site, {"_lift_it.pth": f"{checkout}/src\n"}, checkout).packages == ("lift",)


def test_editable_by_setuptools_finder(site: Path, checkout: Path) -> None:
    finder = (
        "import sys, os\nopen('/nowhere/at/all', 'w')\n"
        f"MAPPING: dict[str, str] = {{'lift': {str(checkout / 'src/lift')!r}, 'gone': '/nowhere'}}\n"
        "NAMESPACES: dict[str, list[str]] = {}\ndef install(): ...\n"
    )
    hooks = {
        "__editable___lift_it_1_4_finder.py": finder,
        "__editable__.lift_it-1.4.pth": "import __editable___lift_it_1_4_finder; "
        "__editable___lift_it_1_4_finder.install()",
    }
    tree = editable(site, hooks)
    assert tree.packages == ("lift",) and tree.python_files == ("lift/__init__.py", "lift/x.py")


def test_editable_by_redirector(site: Path, checkout: Path) -> None:
    """What hatch and others write with the editables library."""
    finder = (
        "from editables.redirector import RedirectingFinder as F\nF.install()\n"
        f"F.map_module('lift', {str(checkout / 'src/lift/__init__.py')!r})\n"
    )
    hooks = {"_editable_impl_lift_it.py": finder, "_lift_it.pth": "import _editable_impl_lift_it"}
    assert editable(site, hooks).python_files == ("lift/__init__.py", "lift/x.py")


def test_editable_by_known_source_files(site: Path, checkout: Path) -> None:
    """What scikit-build-core writes."""
    source = checkout / "src/lift"
    finder = (
        f"install({{'lift': {str(source / '__init__.py')!r}, 'lift.x': {str(source / 'x.py')!r}}}, {{}})\n"
    )
    hooks = {"_lift_it_editable.py": finder, "_lift_it_editable.pth": "import _lift_it_editable\n"}
    assert editable(site, hooks).python_files == ("lift/__init__.py", "lift/x.py")


def test_editable_by_something_else_falls_back_on_the_checkout(site: Path, checkout: Path) -> None:
    hooks = {"_lift_it_editable_loader.py": "install({'lift'}, '/build')", "lift.pth": "import nothing_known"}
    tree = editable(site, hooks, checkout)
    assert tree.packages == ("lift",) and tree.root == str(checkout / "src")


def test_an_egg_link(site: Path, checkout: Path) -> None:
    write(site, {"lift-it.egg-link": f"{checkout}\n."})
    assert opened(site).packages == ("lift",)


def test_a_path_line_brings_its_distributions(site: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    install(elsewhere, {"lift/__init__.py": ""})
    write(site, {"extra.pth": f"{elsewhere}\nimport os; raise SystemExit\n/nowhere\n"})
    assert opened(site).root == str(elsewhere)


def test_egg_info(site: Path) -> None:
    info = {"PKG-INFO": METADATA.replace("Requires-Dist: vast==2\n", ""), "top_level.txt": "lift\n"}
    info["requires.txt"] = "dep\n\n[gpu:python_version<'4']\nvast==2\n"
    write(site, {f"lift_it-1.4-py3.12.egg-info/{name}": text for name, text in info.items()})
    write(site, {"lift/__init__.py": ""})
    tree = opened(site)
    assert (tree.version, tree.packages) == ("1.4", ("lift",))
    assert tree.requires == ("dep", "vast==2; extra == \"gpu\" and python_version<'4'")


def test_not_installed(site: Path) -> None:
    with pytest.raises(SourceError, match="name a release") as caught:
        opened(site, "missing")
    assert caught.value.exit_status == 3 and "missing==VERSION" in str(caught.value)


def test_metadata_without_files(site: Path) -> None:
    install(site, {}, {"top_level.txt": "lift\n"})
    with pytest.raises(SourceError, match="reinstall"):
        opened(site)


def test_a_checkout_that_is_gone(site: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not there"):
        editable(site, {"x.pth": "/nowhere\n"}, tmp_path / "gone")


@pytest.mark.parametrize("python", ["/nowhere/bin/python", "/bin/false"])
def test_no_interpreter(python: str) -> None:
    with pytest.raises(SourceError, match="--python"):
        open_tree("lift", role="provider", python=Path(python))


def test_the_running_environment() -> None:
    tree = open_tree("packaging", role="provider")
    assert tree.packages == ("packaging",) and tree.is_file("packaging/version.py")
    assert open_tree("PyYAML", role="provider").packages[-1] == "yaml"


def test_an_interpreter_without_pyvenv_cfg_is_asked() -> None:
    tree = open_tree("pip", role="provider", python=Path(sys.base_prefix) / "bin/python3")
    assert "pip" in tree.packages


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["setuptools.build_meta", "hatchling.build"])
def test_a_real_environment(tmp_path: Path, checkout: Path, backend: str) -> None:
    """pip installs a checkout in place, by its own backend; nothing of it is run afterwards."""
    build = f"[build-system]\nrequires = [{backend.split('.')[0]!r}]\nbuild-backend = {backend!r}\n"
    hatch = '[tool.hatch.build.targets.wheel]\npackages = ["src/lift"]\n'
    text = '[project]\nname = "lift-it"\nversion = "1.4"\n'
    write(checkout, {"pyproject.toml": build + text + (hatch if backend.startswith("hatch") else "")})
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "v"], check=True)
    python = tmp_path / "v/bin/python"
    command = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "-e", checkout]
    subprocess.run(command, check=True)
    tree = open_tree("lift-it", role="consumer", python=python)
    assert tree.packages == ("lift",) and tree.locate("lift/x.py") == checkout / "src/lift/x.py"
    assert tree.version == "1.4"
