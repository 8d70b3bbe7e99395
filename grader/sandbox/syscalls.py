"""System calls that a worker does not need, by number, and what happens to each.

Sources: Linux kernel, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
"""

from __future__ import annotations

from dataclasses import dataclass

# Everything newer than this number is unknown here and answers "no such call", on every machine.
LAST_KNOWN = 462

REFUSED = {
    "x86_64": {
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
        "socket": 41, "connect": 42, "bind": 49, "listen": 50,
        "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272,
        "setns": 308, "bpf": 321, "keyctl": 250, "add_key": 248, "request_key": 249,
        "perf_event_open": 298, "userfaultfd": 323, "kexec_load": 246, "kexec_file_load": 320,
        "memfd_create": 319, "init_module": 175, "finit_module": 313, "delete_module": 176,
        "reboot": 169, "swapon": 167, "swapoff": 168, "acct": 163, "quotactl": 179,
        "settimeofday": 164, "clock_settime": 227, "clock_adjtime": 305, "adjtimex": 159,
        "sethostname": 170, "setdomainname": 171, "name_to_handle_at": 303,
        "open_by_handle_at": 304, "shmget": 29, "shmat": 30, "shmctl": 31, "msgget": 68,
        "semget": 64, "mq_open": 240, "setrlimit": 160, "tkill": 200, "rt_sigqueueinfo": 129,
        "rt_tgsigqueueinfo": 297, "lookup_dcookie": 212, "fanotify_init": 300, "syslog": 103,
        "vhangup": 153, "iopl": 172, "ioperm": 173, "modify_ldt": 154, "migrate_pages": 256,
        "move_pages": 279,
    },
    "aarch64": {
        "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272,
        "socket": 198, "connect": 203, "bind": 200, "listen": 201,
        "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "unshare": 97,
        "setns": 268, "bpf": 280, "keyctl": 219, "add_key": 217, "request_key": 218,
        "perf_event_open": 241, "userfaultfd": 282, "kexec_load": 104, "kexec_file_load": 294,
        "memfd_create": 279, "init_module": 105, "finit_module": 273, "delete_module": 106,
        "reboot": 142, "swapon": 224, "swapoff": 225, "acct": 89, "quotactl": 60,
        "settimeofday": 170, "clock_settime": 112, "clock_adjtime": 266, "adjtimex": 171,
        "sethostname": 161, "setdomainname": 162, "name_to_handle_at": 264,
        "open_by_handle_at": 265, "shmget": 194, "shmat": 196, "shmctl": 195, "msgget": 186,
        "semget": 190, "mq_open": 180, "setrlimit": 164, "tkill": 130, "rt_sigqueueinfo": 138,
        "rt_tgsigqueueinfo": 240, "lookup_dcookie": 18, "fanotify_init": 262, "syslog": 116,
        "vhangup": 58, "migrate_pages": 238, "move_pages": 239,
    },
}  # fmt: skip

REFUSED_EVERYWHERE = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426,
    "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
    "fsmount": 432, "fspick": 433, "pidfd_getfd": 438, "process_madvise": 440,
    "mount_setattr": 442, "quotactl_fd": 443, "memfd_secret": 447, "process_mrelease": 448,
}  # fmt: skip

# Landlock does not govern these. They do nothing and report success, so that honest code which
# copies a file together with its mode still works.
IGNORED = {
    "x86_64": {
        "chmod": 90, "fchmod": 91, "fchmodat": 268, "chown": 92, "fchown": 93, "lchown": 94,
        "fchownat": 260, "utime": 132, "utimes": 235, "utimensat": 280, "futimesat": 261,
        "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197,
        "lremovexattr": 198, "fremovexattr": 199, "fchmodat2": 452,
    },
    "aarch64": {
        "fchmod": 52, "fchmodat": 53, "fchown": 55, "fchownat": 54, "utimensat": 88,
        "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15,
        "fremovexattr": 16, "fchmodat2": 452,
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers that rules with conditions need; 0 stands for a call this machine lacks."""

    audit: int
    clone: int
    clone3: int
    fork: int
    vfork: int
    execve: int
    execveat: int
    kill: int
    tgkill: int
    prlimit64: int
    truncate: int


NUMBERS = {
    "x86_64": Numbers(0xC000003E, 56, 435, 57, 58, 59, 322, 62, 234, 302, 76),
    "aarch64": Numbers(0xC00000B7, 220, 435, 0, 0, 221, 281, 129, 131, 261, 45),
}
