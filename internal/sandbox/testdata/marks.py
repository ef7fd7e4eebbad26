# Makes every call that marks a file, on the file that the first argument names, by its path and by a
# descriptor that is open to read, and prints what came of each: "ok" or the name of the error.
import ctypes
import errno
import os
import platform
import sys

path = sys.argv[1]
directory, name = os.path.split(path)
libc = ctypes.CDLL(None, use_errno=True)
native = platform.machine() == "x86_64"


def call(number, *args):
    args = [a.encode() + b"\0" if isinstance(a, str) else a for a in args]
    args = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    if libc.syscall(ctypes.c_long(number), *args) < 0:
        raise OSError(ctypes.get_errno(), "")


def tell(what, act):
    try:
        act()
        print(what + ": ok")
    except OSError as e:
        print(what + ": " + errno.errorcode[e.errno])


AT_FDCWD, NOFOLLOW, EMPTY = -100, 0x100, 0x1000
here = os.open(directory, os.O_PATH)
fd = os.open(path, os.O_RDONLY)
named = os.open(path, os.O_PATH)
link = "/proc/self/fd/%d" % fd
uid, gid = os.getuid(), os.getgid()

tell("chmod", lambda: os.chmod(path, 0o640))
tell("chmod in a directory", lambda: os.chmod(name, 0o640, dir_fd=here))
tell("chmod by ..", lambda: os.chmod(os.path.join(directory, "..", os.path.basename(directory), name), 0o640))
tell("chmod of a descriptor", lambda: os.chmod(fd, 0o640))
tell("chmod by /proc", lambda: os.chmod(link, 0o640))
tell("chmod by /dev/fd", lambda: os.chmod("/dev/fd/%d" % named, 0o640))
tell("chmod by a process's /proc", lambda: os.chmod("/proc/%d/fd/%d" % (os.getpid(), named), 0o640))
tell("fchmodat2", lambda: call(452, AT_FDCWD, path, 0o640, NOFOLLOW))
tell("fchmodat2 of a descriptor", lambda: call(452, named, "", 0o640, EMPTY))
tell("chown", lambda: os.chown(path, uid, gid))
tell("chown of nobody", lambda: os.chown(path, -1, -1))
tell("lchown", lambda: os.lchown(path, uid, gid))
tell("chown in a directory", lambda: os.chown(name, uid, gid, dir_fd=here))
tell("chown of a descriptor", lambda: os.chown(fd, uid, gid))
tell("utime", lambda: os.utime(path, (1, 2)))
tell("utime now", lambda: os.utime(path))
tell("utime in a directory", lambda: os.utime(name, ns=(5, 6), dir_fd=here))
tell("utime of a descriptor", lambda: os.utime(fd, (3, 4)))
tell("lutime", lambda: os.utime(path, (1, 2), follow_symlinks=False))
tell("setxattr", lambda: os.setxattr(path, "user.chibi", b"1"))
tell("setxattr of a descriptor", lambda: os.setxattr(fd, "user.chibi", b"2"))
tell("lsetxattr", lambda: os.setxattr(path, "user.chibi", b"3", follow_symlinks=False))
tell("removexattr", lambda: os.removexattr(path, "user.chibi"))
if native:
    tell("chmod(2)", lambda: call(90, path, 0o640))
    tell("chown(2)", lambda: call(92, path, uid, gid))
    tell("lchown(2)", lambda: call(94, path, uid, gid))
    tell("utime(2)", lambda: call(132, path, 0))
    tell("utimes(2)", lambda: call(235, path, (ctypes.c_long * 4)(1, 2, 3, 4)))
    tell("futimesat(2)", lambda: call(261, here, name, 0))
    tell("fchmodat(2)", lambda: call(268, AT_FDCWD, path, 0o640))
