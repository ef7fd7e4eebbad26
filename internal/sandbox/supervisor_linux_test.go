package sandbox

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

//go:embed testdata/marks.py
var marks string

// needsSupervisor skips a test where calls cannot be supervised.
func needsSupervisor(t *testing.T) {
	t.Helper()
	needs(t, leastVersion)
	if err := (Rules{}).Unsupervised(); err != nil {
		t.Skip(err)
	}
}

// pythonScript is a line of shell that runs a script of Python with an argument.
func pythonScript(t *testing.T, dir, script, argument string) string {
	path := put(t, filepath.Join(dir, fmt.Sprintf("script%d.py", time.Now().UnixNano())), script)
	return fmt.Sprintf("%s %q %q", python, path, argument)
}

// state is what marks a file.
func state(t *testing.T, path string) string {
	t.Helper()
	var info unix.Stat_t
	if err := unix.Lstat(path, &info); err != nil {
		t.Fatal(err)
	}
	names := make([]byte, 1<<10)
	n, _ := unix.Llistxattr(path, names)
	return fmt.Sprintf("%o %d %d %v %v %v %q", info.Mode, info.Uid, info.Gid, info.Atim, info.Mtim, info.Ctim, names[:n])
}

func TestWhatAConfinedCommandMarks(t *testing.T) {
	needsSupervisor(t)
	root, read, outside := t.TempDir(), t.TempDir(), t.TempDir()
	inside, readable := put(t, filepath.Join(root, "mine"), "x"), put(t, filepath.Join(read, "file"), "x")
	r := Rules{Writable: []string{root}, Readable: []string{read}}
	link := filepath.Join(root, "link")
	if err := errors.Join(os.Symlink(read, link), os.Symlink(outside, filepath.Join(root, "away"))); err != nil {
		t.Fatal(err)
	}
	t.Run("a file of the project", func(t *testing.T) {
		for line := range strings.Lines(run(t, r, pythonScript(t, root, marks, inside))) {
			// Memory as a file system has no attributes before Linux 6.6.
			if !strings.HasSuffix(line, ": ok\n") && !strings.HasSuffix(line, "xattr: ENOTSUP\n") {
				t.Error(line)
			}
		}
	})
	for name, path := range map[string]string{"a file that may be read": readable,
		"by a link of the project": filepath.Join(link, "file")} {
		t.Run(name, func(t *testing.T) {
			before := state(t, readable)
			got := run(t, r, pythonScript(t, root, marks, path))
			if strings.Count(got, "\n") < 20 {
				t.Error(got)
			}
			for line := range strings.Lines(got) {
				// ".." of a link to a directory is not the directory that the link is in.
				if !strings.HasSuffix(line, ": EACCES\n") && line != "chmod by ..: ENOENT\n" {
					t.Error(line)
				}
			}
			if after := state(t, readable); after != before {
				t.Errorf("%s, before %s", after, before)
			}
		})
	}
}

func TestAConfinedCommandTurnsNoGuardOff(t *testing.T) {
	needsSupervisor(t)
	root, home := t.TempDir(), t.TempDir()
	guard := put(t, filepath.Join(home, "guard"), "#!/bin/sh\n")
	if err := errors.Join(os.Symlink(home, filepath.Join(root, "home")),
		os.Symlink(guard, filepath.Join(root, "guard"))); err != nil {
		t.Fatal(err)
	}
	before := state(t, guard)
	for _, script := range []string{`chmod -x "$HOMEDIR"/guard`, "chmod -x home/guard", "chmod -x guard",
		"cd home; chmod -x guard", "chmod 0 home", "chmod -R 0 home/", "touch -d @1 guard", "touch -h -d @1 home/guard",
		"chown -h 0:0 home/guard", `chmod -x "/proc/self/root$HOMEDIR/guard"`,
		`chmod -x "/proc/$$/root$HOMEDIR/guard"`, "cd home; chmod -x /proc/self/cwd/guard",
		`exec 3< "$HOMEDIR"/guard; chmod -x /proc/self/fd/3`, `(setsid sh -c 'chmod -x guard')`} {
		got := run(t, Rules{Writable: []string{root}}, script, "HOMEDIR="+home)
		if after := state(t, guard); after != before || got == "" {
			t.Errorf("%s: %q, %s, before %s", script, got, after, before)
		}
	}
	if info, err := os.Stat(home); err != nil || info.Mode().Perm() == 0 {
		t.Error(info, err)
	}
}

func TestToolsThatMarkWhatTheyMake(t *testing.T) {
	needsSupervisor(t)
	r := Rules{Writable: []string{t.TempDir()}}
	for name, test := range map[string]struct{ script, want string }{
		"chmod":                    {"touch a; chmod 4711 a; stat -c %a a", "4711\n"},
		"the root of the project":  {"chmod 750 . && stat -c %a .; chmod 755 \"$PWD\" && stat -c %a .", "750\n755\n"},
		"cp":                       {"touch -d @5 b; chmod 600 b; cp -a b c; stat -c '%a %Y' c", "600 5\n"},
		"install":                  {"touch d; install -m 711 d e; stat -c %a e", "711\n"},
		"mkdir":                    {"mkdir -m 1700 f; stat -c %a f", "1700\n"},
		"a link itself":            {"ln -s nothing g; touch -h -d @7 g; stat -c %Y g", "7\n"},
		"what a link leads to":     {"touch h; ln -s h i; chmod 604 i; stat -c %a h", "604\n"},
		"a file that is not there": {"chmod 1 none", "chmod: cannot access 'none': No such file or directory\n"},
		"tar": {"mkdir j; touch -d @9 j/k; chmod 640 j/k; tar cf l j; rm -r j; " +
			"tar xpf l; stat -c '%a %Y' j/k", "640 9\n"},
		"a name that seems removed": {"touch 'm (deleted)'; chmod 640 'm (deleted)'; stat -c %a m*", "640\n"},
		"a name with odd characters": {"f=$(printf 'n \\n\\351\\\\'); touch \"$f\"; chmod 640 \"$f\"; " +
			"stat -c %a n*", "640\n"},
		"in a chain of directories": {"d=$(printf 'd%.0s' $(seq 200)); for i in $(seq 20); do mkdir $d; cd $d; done; " +
			"touch o; chmod 640 o; stat -c %a o", "640\n"},
		"a pipe": {python + " -c 'import os; r, w = os.pipe(); os.chmod(r, 0o600)' && echo fine", "fine\n"},
		"a removed file": {python + " -c 'import tempfile, os; f = tempfile.TemporaryFile(); " +
			"os.chmod(f.fileno(), 0o600)' && echo fine", "fine\n"},
		"its own memory": {python + " -c 'import os; os.chmod(os.memfd_create(\"m\"), 0o600)' && echo fine", "fine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := run(t, r, test.script, "TMPDIR="+r.Writable[0]); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestCallsThatNoFileIsMarkedBy fail as the kernel has it.
func TestCallsThatNoFileIsMarkedBy(t *testing.T) {
	needsSupervisor(t)
	r := Rules{Writable: []string{t.TempDir()}}
	const script = `
import ctypes, errno, mmap, os, sys
libc = ctypes.CDLL(None, use_errno=True)
open("f", "w").close()
def tell(what, number, *args):
    args = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    r = libc.syscall(ctypes.c_long(number), *args)
    print(what + ": " + ("ok" if r >= 0 else errno.errorcode[ctypes.get_errno()]))
FCHMODAT, FCHMODAT2, UTIMENSAT, SETXATTR, FCHMOD, PRLIMIT = (
    268, 452, 280, 188, 91, 302) if os.uname().machine == "x86_64" else (53, 452, 88, 5, 52, 261)
tell("no path", FCHMODAT, -100, 0, 0)
tell("memory that is not there", FCHMODAT, -100, 8, 0)
tell("the end of memory", FCHMODAT, -100, -2, 0)
half = mmap.mmap(-1, 2 * mmap.PAGESIZE)
address = ctypes.addressof(ctypes.c_char.from_buffer(half))
libc.munmap(ctypes.c_void_p(address + mmap.PAGESIZE), mmap.PAGESIZE)
half[mmap.PAGESIZE - 2:mmap.PAGESIZE] = b"f\0"
tell("a path that ends with the memory", FCHMODAT, -100, address + mmap.PAGESIZE - 2, 0o600)
half[mmap.PAGESIZE - 2:mmap.PAGESIZE] = b"ff"
tell("a path without an end", FCHMODAT, -100, address + mmap.PAGESIZE - 2, 0o600)
tell("an empty path", FCHMODAT, -100, b"\0", 0)
tell("a long path", FCHMODAT, -100, b"f" * 4096 + b"\0", 0)
tell("a long name", FCHMODAT, -100, b"f" * 256 + b"\0", 0)
tell("a file as a directory", FCHMODAT, -100, b"f/f\0", 0)
tell("a descriptor that is not there", FCHMODAT, 99, b"f\0", 0)
tell("another one", FCHMOD, 99, 0)
tell("a negative one", FCHMOD, -5, 0)
tell("unknown flags", FCHMODAT2, -100, b"f\0", 0, 1)
tell("a number that the kernel cuts", FCHMODAT2, (7 << 32) - 100, b"f\0", 0o600, 0)
tell("times that are none", UTIMENSAT, -100, b"f\0", (ctypes.c_long * 4)(0, -1, 0, 0), 0)
tell("a name without a namespace", SETXATTR, b"f\0", b"x\0", b"v", 1, 0)
tell("an empty name", SETXATTR, b"f\0", b"\0", b"v", 1, 0)
tell("a long name", SETXATTR, b"f\0", b"user." + b"x" * 300 + b"\0", b"v", 1, 0)
tell("a large value", SETXATTR, b"f\0", b"user.x\0", b"v", 65537, 0)
tell("a value that is not there", SETXATTR, b"f\0", b"user.x\0", 8, 1, 0)
tell("rights of a program", SETXATTR, b"f\0", b"security.capability\0", b"v", 1, 0)
tell("rings", 425, 1, bytes(120))
tell("setxattrat", 463, -100, b"f\0", 0, b"user.x\0", bytes(16), 16)
tell("file_setattr", 469, -100, b"f\0", bytes(24), 24, 0)
tell("a call of the future", 600)
tell("limits of its own", PRLIMIT, 0, 1, 0, bytes(16))
tell("limits of another process", PRLIMIT, os.getppid(), 1, 0, bytes(16))
os.symlink("l", "l")
tell("a link to itself", FCHMODAT, -100, b"l\0", 0)
`
	const want = `no path: EFAULT
memory that is not there: EFAULT
the end of memory: EFAULT
a path that ends with the memory: ok
a path without an end: EFAULT
an empty path: ENOENT
a long path: ENAMETOOLONG
a long name: ENAMETOOLONG
a file as a directory: ENOTDIR
a descriptor that is not there: EBADF
another one: EBADF
a negative one: EBADF
unknown flags: EINVAL
a number that the kernel cuts: ok
times that are none: EINVAL
a name without a namespace: ENOTSUP
an empty name: ERANGE
a long name: ERANGE
a large value: E2BIG
a value that is not there: EFAULT
rights of a program: EPERM
rings: ENOSYS
setxattrat: ENOSYS
file_setattr: ENOSYS
a call of the future: ENOSYS
limits of its own: ok
limits of another process: EACCES
a link to itself: ELOOP
`
	if diff := cmp.Diff(want, run(t, r, pythonScript(t, r.Writable[0], script, ""))); diff != "" {
		t.Error(diff)
	}
}

// TestOtherSetsOfCalls are those of 32-bit programs, and of x32, which a 64-bit program makes too.
func TestOtherSetsOfCalls(t *testing.T) {
	needsSupervisor(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("this processor has no int 0x80")
	}
	const script = `
import ctypes, errno, mmap, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
low = libc.mmap(None, ctypes.c_size_t(4096), 7, 0x62, -1, ctypes.c_long(0))  # private, anonymous, 32-bit
code = bytes.fromhex("53 89f8 89f3 89d1 4489c2 cd80 5b c3")  # eax, ebx, ecx, edx; int 0x80
path = sys.argv[1].encode() + b"\0"
ctypes.memmove(low, code, len(code))
ctypes.memmove(low + 64, path, len(path))
ctypes.memmove(low + 1024, b"user.x\0", 7)
old = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_uint] * 4)(low)
def tell(what, r):
    print(what + ": " + ("ok" if r >= 0 else errno.errorcode[-r]))
tell("getpid", old(20, 0, 0, 0))
tell("chmod", old(15, low + 64, 0o4777, 0))
tell("fchmod", old(94, 0, 0o4777, 0))
tell("lchown", old(16, low + 64, 0, 0))
tell("chown32", old(212, low + 64, 0, 0))
tell("utime", old(30, low + 64, 0, 0))
tell("utimes", old(271, low + 64, 0, 0))
tell("fchmodat", old(306, -100 & 0xffffffff, low + 64, 0))
tell("fchmodat2", old(452, -100 & 0xffffffff, low + 64, 0))
tell("utimensat", old(320, -100 & 0xffffffff, low + 64, 0))
tell("removexattr", old(235, low + 64, low + 1024, 0))
tell("io_uring_setup", old(425, 1, low + 2048, 0))
tell("a call of the future", old(600, 0, 0, 0))
for number in (90, 91, 132, 268, 452):
    r = libc.syscall(ctypes.c_long(0x40000000 | number), ctypes.c_char_p(path), ctypes.c_long(0), ctypes.c_long(0))
    print("x32 %d: %s" % (number, errno.errorcode[ctypes.get_errno()]))
`
	root := t.TempDir()
	got := run(t, Rules{Writable: []string{root}}, pythonScript(t, root, script, put(t, filepath.Join(root, "f"), "")))
	if !strings.Contains(got, "getpid: ok\n") {
		t.Skip("this kernel has no int 0x80: ", got)
	}
	for line := range strings.Lines(got) {
		line = strings.TrimSpace(line)
		if line != "getpid: ok" && !strings.HasSuffix(line, ": EACCES") && !strings.HasSuffix(line, ": ENOSYS") {
			t.Error(line)
		}
	}
	if strings.Count(got, "\n") != 18 {
		t.Error(got)
	}
}

// TestNoRaceReachesOutside: a directory and a link that leads out take turns while files are marked through
// their name, and so do what descriptors are open for, and the working directory.
func TestNoRaceReachesOutside(t *testing.T) {
	needsSupervisor(t)
	root, outside := t.TempDir(), t.TempDir()
	put(t, filepath.Join(outside, "f"), "x")
	r := Rules{Writable: []string{root}, Readable: []string{outside}}
	const script = `
import ctypes, os, sys, threading
libc = ctypes.CDLL(None)
outside = sys.argv[1]
os.makedirs("real"); open("real/f", "w").close()
os.symlink(outside, "link"); os.symlink("real", "way")
os.symlink(outside + "/f", "linkf"); open("plain", "w").close(); os.link("plain", "file")
done = False
def swap(a, b, c):
    while not done:
        libc.renameat2(-100, a, -100, b, 2)  # exchange
        libc.renameat2(-100, b, -100, c, 2)
        libc.renameat2(-100, a, -100, c, 2)
def turn(n, a, b):
    while not done:
        os.dup2(a, n); os.dup2(b, n)
def go(a, b):
    while not done:
        try:
            os.chdir(a); os.chdir(b)
        except OSError:
            pass  # it is a link to itself for a moment
inside, away = os.open("real/f", os.O_WRONLY), os.open(outside + "/f", os.O_RDONLY)
indir, outdir = os.open("real", os.O_PATH), os.open(outside, os.O_PATH)
n, d = os.dup(inside), os.dup(indir)
here = os.getcwd()
pid = os.fork()
if pid == 0:
    threads = [threading.Thread(target=swap, args=(b"real", b"link", b"way")),
        threading.Thread(target=swap, args=(b"file", b"linkf", b"plain"))]
else:
    threads = [threading.Thread(target=turn, args=(n, inside, away)),
        threading.Thread(target=turn, args=(d, indir, outdir)),
        threading.Thread(target=go, args=(here + "/real", outside))]
for t in threads: t.start()
sys.setswitchinterval(1e-5)
came = {}
for i in range(100):
    for what, act in (("directory", lambda: os.chmod(here + "/way/f", 0o777)),
            ("file", lambda: os.chmod(here + "/file", 0o777)),
            ("descriptor", lambda: os.fchmod(n, 0o777)), ("in a descriptor", lambda: os.chmod("f", 0o777, dir_fd=d)),
            ("here", lambda: os.chmod("f", 0o777)), ("times", lambda: os.utime(here + "/real/f", (1, 1)))):
        try:
            act()
            came[what + " ok"] = came.get(what + " ok", 0) + 1
        except OSError as e:
            came[what] = came.get(what, 0) + 1
done = True
for t in threads: t.join()
if pid: os.waitpid(pid, 0)
print(came)
`
	before := state(t, filepath.Join(outside, "f"))
	got := run(t, r, pythonScript(t, root, script, outside))
	if after := state(t, filepath.Join(outside, "f")); after != before {
		t.Errorf("%s, before %s", after, before)
	}
	if !strings.Contains(got, "file ok") || !strings.Contains(got, "descriptor ok") {
		t.Error("nothing was marked inside: ", got)
	}
}
