package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestRootGivesNoRightsBack: the supervisor has rights that a confined command has lost.
func TestRootGivesNoRightsBack(t *testing.T) {
	needsSupervisor(t)
	needsCapabilities(t, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_SYS_PTRACE)
	root := t.TempDir()
	for dir := root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		os.Chmod(dir, 0o755) // nobody looks for a file there
	}
	closed := filepath.Join(root, "closed")
	theirs := filepath.Join(closed, "theirs")
	err := os.Mkdir(closed, 0o700)
	put(t, theirs, "")
	if err = errors.Join(err, os.Chown(closed, 65534, 65534), os.Chown(theirs, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	const script = `
import os, threading
def tell(what, act):
    try:
        act()
        print(what + ": ok")
    except OSError as e:
        print(what + ": " + e.strerror)
open("ours", "w").close(); open("given", "w").close()
os.chown("given", 65534, 100)
tell("a directory that is closed to it", lambda: os.chmod("closed/theirs", 0o666))
tell("what root may", lambda: os.chmod("given", 0o640))
os.mkdir("chroot"); open("chroot/f", "w").close()
if os.fork() == 0:
    os.chroot("chroot")
    tell("in a chroot", lambda: os.chmod("/f", 0o600))
    os._exit(0)
os.wait()
if os.fork() == 0:
    os.setgroups([100, 65534]); os.setgid(65534); os.setuid(65534)
    tell("another's file", lambda: os.chmod("ours", 0o666))
    tell("another's times", lambda: os.utime("ours", (1, 1)))
    tell("its own file", lambda: os.chmod("given", 0o660))
    tell("to a group that it is in", lambda: os.chown("given", -1, 65534))
    tell("to a group that it is not in", lambda: os.chown("given", -1, 5))
    tell("to another user", lambda: os.chown("given", 0, -1))
    tell("in its directory", lambda: os.chmod("closed/theirs", 0o666))
    os._exit(0)
os.wait()
tell("root after it", lambda: os.chown("ours", 65534, 65534))
`
	const want = `a directory that is closed to it: Permission denied
what root may: ok
in a chroot: Permission denied
another's file: Operation not permitted
another's times: Operation not permitted
its own file: ok
to a group that it is in: ok
to a group that it is not in: Operation not permitted
to another user: Operation not permitted
in its directory: ok
root after it: ok
`
	got := run(t, Rules{Writable: []string{root}}, "PYTHONUNBUFFERED=1 "+pythonScript(t, root, script, ""))
	if got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// TestAMountOfItsOwnIsNoWayOut: in a user namespace of its own a command makes copies of mounts, in which
// what is outside has the path of a file of the project.
func TestAMountOfItsOwnIsNoWayOut(t *testing.T) {
	needsSupervisor(t)
	root, outside := t.TempDir(), t.TempDir()
	copied := filepath.Join(outside, root, "f")
	if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, copied, "")
	put(t, filepath.Join(root, "f"), "")
	const script = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
path = os.getcwd().encode() + b"/f"
if libc.unshare(0x10020000) != 0 or (tree := libc.syscall(428, -100, sys.argv[1].encode(), 1)) < 0:
    print("no namespace")
    sys.exit()
f = libc.openat(tree, path[1:], os.O_PATH)
assert os.readlink("/proc/self/fd/%d" % f) == path.decode()
print(libc.fchmodat(tree, path[1:], 0o777, 0), libc.syscall(452, f, b"", 0o777, 0x1000),
    libc.chmod(b"/proc/self/fd/%d" % f, 0o777), libc.utimensat(f, b"", None, 0x1000),
    libc.chmod(path, 0o640), libc.chmod(b"f", 0o640))
`
	before := state(t, copied)
	r := Rules{Writable: []string{root}, Readable: []string{outside}}
	switch got := run(t, r, pythonScript(t, root, script, outside)); got {
	case "no namespace\n":
		t.Skip("this system gives no user namespaces")
	case "-1 -1 -1 -1 0 0\n", "-1 -1 -1 -1 -1 -1\n": // root has become nobody there
	default:
		t.Error(got)
	}
	if after := state(t, copied); after != before {
		t.Errorf("%s, before %s", after, before)
	}
}

// TestManyCallers, some of which are killed while they wait.
func TestManyCallers(t *testing.T) {
	needsSupervisor(t)
	const script = `
import os, signal, threading
def work(n):
    name = "file%d-%d" % (os.getpid(), n)
    for i in range(40):
        open(name, "w").close()
        os.chmod(name, 0o600 + i % 8)
        os.utime(name, (i, i))
        assert os.stat(name).st_mode & 0o777 == 0o600 + i % 8 and os.stat(name).st_mtime == i
def process(forever):
    if pid := os.fork():
        return pid
    try:
        while True:
            threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
            for t in threads: t.start()
            for t in threads: t.join()
            if not forever: os._exit(0)
    finally:
        os._exit(1)
killed, others = [process(True) for _ in range(4)], [process(False) for _ in range(4)]
for pid in killed:
    while not os.path.exists("file%d-0" % pid): pass
    os.kill(pid, signal.SIGKILL)
print([os.waitpid(pid, 0)[1] for pid in killed + others])
`
	before := openFiles(t)
	r := Rules{Writable: []string{t.TempDir()}}
	if got := run(t, r, pythonScript(t, r.Writable[0], script, "")); got != "[9, 9, 9, 9, 0, 0, 0, 0]\n" {
		t.Error(got)
	}
	for deadline := time.Now().Add(time.Minute); openFiles(t) > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d files are open, before %d", openFiles(t), before)
		}
	}
}

// openFiles is how many files this program has open, but for those by which Go waits for others.
func openFiles(t *testing.T) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		file, _ := os.Readlink("/proc/self/fd/" + entry.Name())
		if file != "anon_inode:[eventpoll]" && file != "anon_inode:[eventfd]" {
			n++
		}
	}
	return n
}

// TestAProcessThatIsLeftIsSupervisedFurther, as long as this program lives.
func TestAProcessThatIsLeftIsSupervisedFurther(t *testing.T) {
	needsSupervisor(t)
	root := t.TempDir()
	outside := put(t, filepath.Join(t.TempDir(), "f"), "")
	got := run(t, Rules{Writable: []string{root}}, "mkfifo go come; (setsid sh -c '"+
		`read line < go; touch f; { chmod 640 f; stat -c %a f; chmod 777 "$OUT"; } > come 2>&1' `+
		"< /dev/null > /dev/null 2>&1 &)", "OUT="+outside)
	if got != "" {
		t.Fatal(got)
	}
	if err := os.WriteFile(filepath.Join(root, "go"), []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(filepath.Join(root, "come"))
	if err != nil || !strings.HasPrefix(string(said), "640\n") || !strings.Contains(string(said), "ermission denied") {
		t.Errorf("%q, %v", said, err)
	}
}
