"""Files are written whole or not at all."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from driftcheck.fixes import FileChanged, write_file

MOST = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and signals of POSIX")


def test_content_and_mode(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_bytes(b"old")
    file.chmod(0o754)
    write_file(file, b"old", b"new")
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o754
    assert os.listdir(tmp_path) == ["m.py"]


def test_a_changed_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_bytes(b"other")
    with pytest.raises(FileChanged, match=r"m\.py"):
        write_file(file, b"old", b"new")
    assert file.read_bytes() == b"other"
    with pytest.raises(FileChanged):
        write_file(tmp_path / "gone.py", b"old", b"new")


@MOST
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_bytes(b"old")
    (tmp_path / "m.py").symlink_to("real.py")
    write_file(tmp_path / "m.py", b"old", b"new")
    assert (tmp_path / "m.py").is_symlink()
    assert (tmp_path / "real.py").read_bytes() == b"new"


@MOST
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(PermissionError):
        write_file(file, b"old", b"new")


@MOST
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_at_any_moment_the_file_is_whole(tmp_path: Path, number: int) -> None:
    file = tmp_path / "m.py"
    contents = [bytes([65 + turn]) * 200_000 for turn in range(2)]
    file.write_bytes(contents[0])
    program = (
        "import sys\nfrom pathlib import Path\nfrom driftcheck.fixes.write import write_file\n"
        "file = Path(sys.argv[1])\nboth = [bytes([65]) * 200_000, bytes([66]) * 200_000]\nprint('on', flush=True)\n"
        "turn = 0\nwhile True:\n    write_file(file, both[turn], both[1 - turn])\n    turn = 1 - turn\n"
    )
    for delay in (0.01, 0.03):
        file.write_bytes(contents[0])
        running = subprocess.Popen(
            [sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(delay)
        running.send_signal(number)
        running.wait(30)
        running.stdout.close()
        assert file.read_bytes() in contents
    if number == signal.SIGINT:
        assert os.listdir(tmp_path) == ["m.py"]
