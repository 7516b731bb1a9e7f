"""What a tree shows and reads of what is on disk or in memory."""

import os
from pathlib import Path

import pytest
from sources.making import write

from driftcheck.sources import (
    DirectoryFiles,
    ListedFiles,
    MemoryFiles,
    MountedFiles,
    SourceError,
    Tree,
    open_tree,
)


def tree(files: object, **values: object) -> Tree:
    return Tree(spec="x", files=files, packages=("a",), **values)  # type: ignore[arg-type]


def test_memory() -> None:
    files = tree(MemoryFiles({"a/__init__.py": b"1", "a/b/c.py": b"2", "d.py": b""}))
    assert files.listdir("") == {"a/", "d.py"}
    assert files.listdir("a") == {"__init__.py", "b/"}
    assert files.is_dir("a/b") and not files.is_dir("d.py") and files.is_file("a/b/c.py")
    assert files.python_files == ("a/__init__.py", "a/b/c.py", "d.py")
    assert files.locate("d.py") is None
    with pytest.raises(FileNotFoundError):
        files.read("a/b")


def test_an_overlay_covers_and_adds(tmp_path: Path) -> None:
    write(tmp_path, {"a/__init__.py": "old", "a/b.py": "b"})
    below = tree(DirectoryFiles([tmp_path]), immutable=True)
    above = below.overlay({"a/__init__.py": b"new", "a/c/d.py": b"d"})
    assert above.read("a/__init__.py") == b"new" and above.read("a/b.py") == b"b"
    assert above.listdir("a") == {"__init__.py", "b.py", "c/"}
    assert above.python_files == ("a/__init__.py", "a/b.py", "a/c/d.py")
    assert above.locate("a/b.py") == tmp_path / "a/b.py"
    assert not above.immutable and below.read("a/__init__.py") == b"old"


def test_only_top_level_names_that_were_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {"a/x.py": "", "b/y.py": "", "c.py": "", "a-b/z.py": "", "a/__pycache__/x.py": ""})
    files = DirectoryFiles([tmp_path], ["a", "c"])
    assert files.paths() == ["a/x.py", "c.py"]
    for hidden in ("b/y.py", "a-b/z.py", "a/__pycache__/x.py", "../a/x.py", "a/../b/y.py"):
        with pytest.raises(FileNotFoundError):
            files.read(hidden)


def test_links_out_are_neither_listed_nor_read(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.py": "secret", "deep/x.py": ""})
    root = write(tmp_path / "root", {"a/__init__.py": "", "a/real.py": "real"})
    (root / "a/secret.py").symlink_to(outside / "secret.py")
    (root / "a/out").symlink_to(outside)
    (root / "out").symlink_to(outside)
    (root / "a/inside.py").symlink_to(root / "a/real.py")
    (root / "a/broken.py").symlink_to(root / "nowhere.py")
    (root / "a/self.py").symlink_to("self.py")
    files = DirectoryFiles([root])
    assert files.paths() == ["a/__init__.py", "a/inside.py", "a/real.py"]
    for path in ("a/secret.py", "a/out/secret.py", "a/out/deep/x.py", "out/secret.py"):
        with pytest.raises(FileNotFoundError):
            files.read(path)


def test_link_loops_end(tmp_path: Path) -> None:
    root = write(tmp_path, {"a/__init__.py": "", "a/b/__init__.py": ""})
    (root / "a/b/up").symlink_to(root / "a")
    (root / "a/here").symlink_to(".")
    assert DirectoryFiles([root]).paths() == ["a/__init__.py", "a/b/__init__.py"]


def test_two_directories_that_link_to_each_other_end(tmp_path: Path) -> None:
    root = write(tmp_path, {"a/__init__.py": "", "b/__init__.py": ""})
    (root / "a/to_b").symlink_to(root / "b")
    (root / "b/to_a").symlink_to(root / "a")
    assert len(list(DirectoryFiles([root]).paths())) < 10


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    root = write(tmp_path, {"a/__init__.py": ""})
    os.mkfifo(root / "a/pipe.py")
    assert DirectoryFiles([root]).paths() == ["a/__init__.py"]


def test_the_first_root_wins(tmp_path: Path) -> None:
    write(tmp_path, {"one/a/x.py": "1", "two/a/x.py": "2", "two/a/y.py": "2"})
    files = DirectoryFiles([tmp_path / "one", tmp_path / "two"])
    assert files.read("a/x.py") == b"1" and files.read("a/y.py") == b"2"
    assert files.listdir("a") == {"x.py", "y.py"}


def test_mounts_give_places_other_names(tmp_path: Path) -> None:
    write(tmp_path, {"lib/__init__.py": "lib", "lib/x.py": "", "one.py": "1", "deep/z.py": "z"})
    mounts = {"pkg": tmp_path / "lib", "one.py": tmp_path / "one.py", "ns/inner": tmp_path / "deep"}
    files = MountedFiles(tmp_path, mounts)
    assert files.paths() == ["ns/inner/z.py", "one.py", "pkg/__init__.py", "pkg/x.py"]
    assert files.listdir("") == {"ns/", "one.py", "pkg/"} and files.listdir("ns") == {"inner/"}
    assert files.read("ns/inner/z.py") == b"z" and files.locate("pkg/x.py") == tmp_path / "lib/x.py"
    with pytest.raises(FileNotFoundError):
        files.read("lib/x.py")


def test_listed_files_notice_what_changed(tmp_path: Path) -> None:
    write(tmp_path, {"a/x.py": "12", "a/y.py": "", "a/hidden.py": ""})
    gone: list[int] = []
    files = ListedFiles(tmp_path, {"a/x.py": 2, "a/y.py": None}, "run again", gone=lambda: gone.append(1))
    assert files.read("a/x.py") == b"12" and files.listdir("a") == {"x.py", "y.py"}
    with pytest.raises(FileNotFoundError):
        files.read("a/hidden.py")
    (tmp_path / "a/x.py").write_text("123")
    (tmp_path / "a/y.py").unlink()
    for path in ("a/x.py", "a/y.py"):
        with pytest.raises(SourceError, match="run again"):
            files.read(path)
    assert gone == [1, 1]


def test_part_of_a_tree(tmp_path: Path) -> None:
    write(tmp_path, {"a/__init__.py": "", "a/b/__init__.py": "", "a/b/c.py": "", "a/bc.py": ""})
    part = open_tree(str(tmp_path / "a/b"), role="consumer")
    assert part.packages == ("a",) and part.root == str(tmp_path)
    assert part.python_files == ("a/b/__init__.py", "a/b/c.py")
    assert part.read("a/bc.py") == b""
    one = open_tree(str(tmp_path / "a/bc.py"), role="consumer")
    assert one.python_files == ("a/bc.py",) and one.is_file("a/b/c.py")


def test_a_script_stands_alone(tmp_path: Path) -> None:
    write(tmp_path, {"run.py": "1", "other.py": "2", "run/x.py": ""})
    script = open_tree(str(tmp_path / "run.py"), role="consumer")
    assert script.python_files == ("run.py",) and script.packages == ("run",)
    assert not script.is_file("other.py")


def test_nothing_to_read(tmp_path: Path) -> None:
    write(tmp_path, {"empty/notes.txt": "", "project/pyproject.toml": "", "project/a.txt": ""})
    for name in ("empty", "project"):
        with pytest.raises(SourceError, match="no Python") as caught:
            open_tree(str(tmp_path / name), role="consumer")
        assert caught.value.exit_status == 3
