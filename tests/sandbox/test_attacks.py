"""What student code may try, and that it gains nothing by it.

Attempts through Python are refused at every level. Attempts through the C library walk around
level 0, which is why that level is called practice; from level 1 on the kernel refuses them.
"""

from __future__ import annotations

import os
import signal
import socket
import textwrap
import time
from pathlib import Path

import pytest

from grader.errors import SandboxError
from grader.sandbox import conversation
from grader.sandbox.client import Limits, Sandbox

from .conftest import LEVELS, call

WALLED = [level for level in LEVELS if level >= 1]

PREAMBLE = """
import ctypes, os, pathlib, signal, socket, subprocess, sys, time
import numpy as np

libc = ctypes.CDLL(None, use_errno=True)

def c(name, *arguments):
    "Call the C library, or a system call by number; raise OSError as Python would."
    if isinstance(name, int):
        result = libc.syscall(ctypes.c_long(name), *arguments)
    else:
        result = getattr(libc, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result

def attempt(*arguments):
    try:
        return ["done", act(*arguments)]
    except OSError as error:
        return ["refused", type(error).__name__]

"""


@pytest.fixture(params=WALLED, ids=lambda level: f"level{level}")
def walled(request, sandboxes):
    return sandboxes.at(request.param)


@pytest.fixture
def course(tmp_path):
    """A course with a hidden folder, as the driver sees it."""
    hidden = tmp_path / "course" / "hidden"
    hidden.mkdir(parents=True)
    (hidden / "test_numpy.py").write_text("expected = 42")
    (tmp_path / "course" / "README").write_text("lesson")
    return tmp_path / "course"


@pytest.fixture
def attempt(run):
    """Try one thing in a worker: ``attempt(sandbox, body, *arguments)`` -> done or refused."""

    def try_it(sandbox, body, *arguments, **more):
        text = PREAMBLE + f"def act(*a):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
        answer = call(run(sandbox, text, **more), "attempt", *arguments)
        assert answer.status == "ok", answer
        return answer.value

    return try_it


def refused(outcome):
    return outcome[0] == "refused"


READS = {
    "open": "return open(a[0]).read()",
    "os.open": "return os.read(os.open(a[0], os.O_RDONLY), 100)",
    "pathlib": "return pathlib.Path(a[0]).read_bytes()",
    "numpy": "return np.fromfile(a[0], np.uint8)",
    "bytes path": "return open(os.fsencode(a[0])).read()",
    "round about": "return open(os.getcwd() + '/../../..' + a[0]).read()",
    "from the root": "os.chdir('/'); return open(a[0].lstrip('/')).read()",
}


@pytest.mark.parametrize("body", READS.values(), ids=READS)
def test_hidden_files_are_not_read(sandbox, attempt, course, body):
    assert refused(attempt(sandbox, body, str(course / "hidden" / "test_numpy.py")))


@pytest.mark.parametrize(
    "body", ["return os.listdir(a[0])", "return [e.name for e in os.scandir(a[0])]"]
)
def test_hidden_folders_are_not_listed(sandbox, attempt, course, body):
    assert refused(attempt(sandbox, body, str(course / "hidden")))


@pytest.mark.parametrize("kind", ["symlink", "link"])
def test_a_link_in_the_scratch_folder_does_not_lead_out(sandbox, attempt, course, kind):
    body = f"os.{kind}(a[0], 'way_out'); return open('way_out').read()"
    assert refused(attempt(sandbox, body, str(course / "hidden" / "test_numpy.py")))


def test_a_link_that_the_submission_brings_along_does_not_lead_out(sandbox, attempt, course, write):
    write("x", "").with_name("way_out").symlink_to(course / "hidden" / "test_numpy.py")
    path = str(write("x", "").with_name("way_out"))
    assert refused(attempt(sandbox, "return open(a[0]).read()", path))


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/etc/hostname", "/root", "/home", "/tmp", "/proc", "/var/log"]
)
def test_the_rest_of_the_machine_is_shut(sandbox, attempt, path):
    assert Path(path).exists()
    body = "return os.listdir(a[0]) if os.path.isdir(a[0]) else open(a[0]).read()"
    assert refused(attempt(sandbox, body, path)) or (path == "/proc" and sandbox.level == 2)


@pytest.mark.parametrize(
    "name", ["environ", "mem", "maps", "cmdline", "status", "cwd/pyproject.toml"]
)
@pytest.mark.parametrize("who", ["driver", "zygote"])
def test_the_driver_and_the_zygote_cannot_be_looked_into(sandbox, attempt, name, who):
    sandbox.start_early("numpy")
    pid = os.getpid() if who == "driver" else sandbox._nurseries["numpy"]._process.pid
    assert refused(attempt(sandbox, "return open(a[0], 'rb').read(10)", f"/proc/{pid}/{name}"))


def test_the_drivers_environment_and_descriptors_do_not_reach_a_worker(run, monkeypatch, course):
    monkeypatch.setenv("GRADING_TOKEN", "secret")
    descriptor = os.open(course / "hidden" / "test_numpy.py", os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    text = """
        import os
        def f():
            found = []
            for fd in range(1024):
                try:
                    os.fstat(fd)
                except OSError:
                    continue
                found.append(fd)
            return [dict(os.environ), found]
    """
    try:
        for level in LEVELS:
            with Sandbox(level) as own:
                environment, descriptors = call(run(own, text), "f").value
                assert "GRADING_TOKEN" not in environment
                assert not any("secret" in value for value in environment.values())
                assert descriptors == [0, 1, 2, 3, 4]
    finally:
        os.close(descriptor)


WRITES = {
    "open": "open(a[0] + '/new', 'w').close()",
    "append": "open(a[0] + '/README', 'a').close()",
    "update": "open(a[0] + '/README', 'r+').close()",
    "mkdir": "os.mkdir(a[0] + '/new')",
    "remove": "os.remove(a[0] + '/README')",
    "rename out": "open('x', 'w').close(); os.rename('x', a[0] + '/new')",
    "rename in": "os.rename(a[0] + '/README', 'x')",
    "symlink": "os.symlink('/etc', a[0] + '/new')",
    "truncate": "os.truncate(a[0] + '/README', 0)",
    "numpy": "np.save(a[0] + '/new', np.ones(3))",
    "removing the course": "os.rmdir(a[0] + '/hidden')",
}


@pytest.mark.parametrize("body", WRITES.values(), ids=WRITES)
def test_nothing_is_written_outside_the_scratch_folder(sandbox, attempt, course, body):
    assert refused(attempt(sandbox, body, str(course)))
    assert sorted(path.name for path in course.iterdir()) == ["README", "hidden"]
    assert (course / "README").read_text() == "lesson"


def test_a_stage_cannot_change_itself(sandbox, attempt):
    assert refused(attempt(sandbox, "open(__file__, 'a').close()"))


def test_modes_times_and_attributes_of_files_outside_stay(walled, attempt, course):
    readme = course / "README"
    before = readme.stat()
    body = """
        c("chmod", a[0].encode(), 0)
        c("chown", a[0].encode(), 12345, 12345)
        c("utimes", a[0].encode(), None)
        return c("setxattr", a[0].encode(), b"user.x", b"y", 1, 0)
    """
    attempt(walled, body, str(readme))
    after = readme.stat()
    assert (after.st_mode, after.st_uid, after.st_mtime) == (
        before.st_mode,
        before.st_uid,
        before.st_mtime,
    )
    assert os.listxattr(readme) == []


@pytest.fixture
def listeners():
    """What a driver's machine might have open: TCP, UDP, an abstract unix socket."""
    abstract = f"\0evidence-{os.getpid()}"
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as unix,
    ):
        udp.bind(("127.0.0.1", 0))
        unix.bind(abstract)
        unix.listen()
        for listener in (tcp, udp, unix):
            listener.setblocking(False)
        yield tcp, udp, unix


NETWORK = {
    "tcp": "socket.create_connection(('127.0.0.1', a[0]), 1)",
    "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', a[1]))",
    "abstract unix": "socket.socket(socket.AF_UNIX).connect('\\0' + a[2])",
    "names": "socket.getaddrinfo('localhost', 80)",
    "listening": "socket.create_server(('127.0.0.1', 0))",
    "netlink": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
    "C library": "return c('socket', 2, 1, 0)",
    "C library, unix": "return c('socket', 1, 1, 0)",
}


@pytest.mark.parametrize("way", NETWORK)
def test_nobody_is_reached_over_a_socket(sandbox, attempt, listeners, way):
    if way.startswith("C library") and sandbox.level == 0:
        pytest.skip("level 0 is practice: the C library is not confined")
    tcp, udp, unix = listeners
    name = unix.getsockname()[1:].decode()
    outcome = attempt(sandbox, NETWORK[way], tcp.getsockname()[1], udp.getsockname()[1], name)
    assert refused(outcome)
    with pytest.raises(BlockingIOError):
        tcp.accept()
    with pytest.raises(BlockingIOError):
        udp.recv(10)
    with pytest.raises(BlockingIOError):
        unix.accept()


@pytest.mark.parametrize("who", ["driver", "parent", "group", "everyone", "first"])
@pytest.mark.parametrize("way", ["os", "C library"])
def test_no_other_process_is_signalled(sandbox, attempt, who, way):
    if way == "C library" and sandbox.level == 0:
        pytest.skip("level 0 is practice: the C library is not confined")
    victims = {"driver": os.getpid(), "parent": "parent", "group": 0, "everyone": -1, "first": 1}
    kill = "os.kill(pid, 9)" if way == "os" else "c('kill', pid, 9)"
    body = f"pid = os.getppid() if a[0] == 'parent' else a[0]\n{kill}\nreturn pid"
    assert refused(attempt(sandbox, body, victims[who]))


def test_a_worker_may_signal_itself(sandbox, run):
    text = """
        import os, signal
        def f():
            seen = []
            signal.signal(signal.SIGUSR1, lambda *_: seen.append("got it"))
            os.kill(os.getpid(), signal.SIGUSR1)
            signal.raise_signal(signal.SIGUSR1)
            return seen
    """
    assert call(run(sandbox, text), "f").value == ["got it", "got it"]


PROCESSES = {
    "fork": "os.fork()",
    "forkpty": "os.forkpty()",
    "system": "os.system('true')",
    "posix_spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "subprocess": "subprocess.run(['/bin/true'])",
    "exec": "os.execv('/bin/true', ['true'])",
}
PROCESSES_IN_C = {
    "fork": "pid = c('fork')\nif pid == 0: os._exit(0)",
    "vfork by number": "c(58)",
    "clone by number": "pid = c(56, 17, 0, 0, 0, 0)\nif pid == 0: os._exit(0)",
    "clone3 by number": "c(435, bytes(64), 64)",
    "execve": "c('execve', b'/bin/true', None, None)",
    "unshare": "c('unshare', 0x10000000)",
}


@pytest.mark.parametrize("body", PROCESSES.values(), ids=PROCESSES)
def test_no_process_is_started(sandbox, attempt, body):
    assert refused(attempt(sandbox, body))


@pytest.mark.parametrize("body", PROCESSES_IN_C.values(), ids=PROCESSES_IN_C)
def test_no_process_is_started_through_the_c_library(walled, attempt, body):
    if "c(" in body and "c('" not in body and os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of x86_64")
    assert refused(attempt(walled, body))


CALLS = {
    "ptrace": "c('ptrace', 16, os.getppid(), 0, 0)",
    "process_vm_readv": "c('process_vm_readv', 1, None, 0, None, 0, 0)",
    "pidfd_getfd": "c(438, 0, 0, 0)",
    "mount": "c('mount', b'none', b'/mnt', b'tmpfs', 0, None)",
    "umount": "c('umount2', b'/proc', 0)",
    "bpf": "c(321, 0, bytes(64), 64)",
    "io_uring": "c(425, 1, bytes(120))",
    "keyctl": "c(250, 0, 0)",
    "perf": "c(298, bytes(128), 0, -1, -1, 0)",
    "userfaultfd": "c(323, 0)",
    "memfd": "c('memfd_create', b'x', 0)",
    "shared memory segment": "c('shmget', 0, 4096, 0o1600)",
    "limits": "c('prlimit', 0, 2, bytes([255] * 16), None)",
    "chroot": "c('chroot', b'/tmp')",
    "a new filter": "c('setns', 0, 0)",
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
@pytest.mark.parametrize("body", CALLS.values(), ids=CALLS)
def test_dangerous_system_calls_fail(walled, attempt, body):
    assert refused(attempt(walled, body + "\nreturn 'it worked'"))


def test_files_are_shut_for_the_c_library_too(walled, attempt, course):
    for path, flags in ((course / "hidden" / "test_numpy.py", 0), (course / "new", 0o101)):
        assert refused(attempt(walled, f"c('open', a[0].encode(), {flags}, 0o600)", str(path)))


def test_a_limit_cannot_be_raised(sandbox, attempt):
    body = """
        import resource
        resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY,) * 2)
    """
    assert refused(attempt(sandbox, body))


def test_a_worker_has_no_capability(walled, attempt):
    status = attempt(walled, "return open('/proc/self/status').read()")[1]
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    names = ["CapInh", "CapPrm", "CapEff", "CapAmb"]
    if os.getuid() == 0 or walled.level == 2:  # others may not shrink the bounding set
        names.append("CapBnd")
    assert {int(fields[name], 16) for name in names} == {0}
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"


@pytest.mark.skipif(2 not in LEVELS, reason="this machine has no level 2")
def test_in_its_namespaces_a_worker_sees_nobody_and_no_network(sandboxes, run):
    text = """
        import os
        def f():
            own = open("/proc/self/status").read()
            return [os.getpid(), os.getppid(), os.listdir("/proc/self/task")]
    """
    pid, parent, tasks = call(run(sandboxes.at(2), text), "f").value
    assert (pid, parent, tasks) == (2, 0, ["2"])


DAEMON = """
    import os, signal, sys, time
    def f(through_c):
        fork = os.fork
        if through_c:
            import ctypes
            fork = ctypes.CDLL(None).fork
        if fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            if fork() == 0:
                os.closerange(0, 256)
                time.sleep(60)
            os._exit(0)
        time.sleep(0.2)
        return "left a daemon"
"""


def test_a_daemon_is_dead_after_its_worker(sandbox, run):
    with run(sandbox, DAEMON, limits=Limits(processes=4)) as worker:
        assert call(worker, "f", False).value == "left a daemon"
    # The watch in conftest.py fails this test if the daemon lives.


def test_a_daemon_that_walks_around_level_0_is_swept_up(sandboxes, run):
    with run(sandboxes.at(0), DAEMON) as worker:
        answer = call(worker, "f", True)
        assert answer.stop in ("", "stopped: started more processes than the check allows")


def test_daemons_that_hide_from_their_worker_are_counted(sandbox, run):
    text = """
        import os, time
        def f():
            for _ in range(3):
                middle = os.fork()
                if middle == 0:
                    os.setsid()
                    if os.fork() == 0:
                        time.sleep(60)
                    os._exit(0)
                os.waitpid(middle, 0)
            time.sleep(20)
    """
    answer = call(run(sandbox, text, limits=Limits(processes=3)), "f")
    assert answer.stop == "stopped: started more processes than the check allows"


def test_a_fork_bomb_ends_with_its_worker(sandbox, run):
    text = """
        import os
        def f():
            while True:
                try:
                    os.fork()
                except OSError:
                    pass
    """
    answer = call(run(sandbox, text, limits=Limits(processes=8, wall=5)), "f")
    assert answer.stop == "stopped: started more processes than the check allows"


def test_children_that_outlive_a_crashed_worker_are_killed(sandbox, run):
    text = """
        import os, time
        def f():
            if os.fork() == 0:
                time.sleep(60)
            os.abort()
    """
    assert call(run(sandbox, text, limits=Limits(processes=2)), "f").stop == "crashed: SIGABRT"


def test_one_students_daemon_does_not_cost_another_worker_its_children(sandboxes, run):
    parent = """
        import os, time
        def start():
            global child
            child = os.fork()
            if child == 0:
                time.sleep(60)
            return None
        def alive():
            return os.waitpid(child, os.WNOHANG)[0] == 0
    """
    with run(sandboxes.at(0), parent, limits=Limits(processes=2)) as first:
        call(first, "start")
        with run(sandboxes.at(0), "def f():\n    return 1") as second:
            call(second, "f")
        assert call(first, "alive").value is True


def kill_zygote(sandbox):
    os.killpg(sandbox._nurseries["numpy"]._process.pid, signal.SIGKILL)
    time.sleep(0.3)


def test_when_the_zygote_dies_the_answer_says_so_and_one_restart_follows(run):
    answer_one = "def f():\n    return 1"
    with Sandbox(LEVELS[-1]) as own:
        interrupted = run(own, answer_one)
        kill_zygote(own)
        answer = call(interrupted, "f")
        assert answer.status == "ended"
        assert "parent process died" in answer.stop
        assert call(run(own, answer_one), "f").value == 1
        kill_zygote(own)
        with pytest.raises(SandboxError, match="the numpy zygote died twice"):
            run(own, answer_one)


SIGNAL_THE_ZYGOTE = """
    import ctypes, os, time
    def f(number):
        ctypes.CDLL(None).kill(os.getppid(), number)
        time.sleep(9)
"""


def test_a_student_who_kills_the_zygote_at_level_0_harms_only_this_answer(run):
    with Sandbox(0) as own:
        answer = call(run(own, SIGNAL_THE_ZYGOTE), "f", int(signal.SIGKILL))
        assert (answer.status, "parent process died" in answer.stop) == ("ended", True)
        assert call(run(own, "def f():\n    return 1"), "f").value == 1


def test_a_frozen_zygote_does_not_hold_the_driver(run, monkeypatch):
    monkeypatch.setattr(conversation, "PATIENCE", 0.3)
    with Sandbox(0) as own:
        worker = run(own, SIGNAL_THE_ZYGOTE, limits=Limits(wall=0.3))
        assert call(worker, "f", int(signal.SIGSTOP)).status == "stopped"
        assert call(run(own, "def f():\n    return 1"), "f").value == 1
