package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	kernel "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/chibi-host/chibi/plugin/process"
)

// TestMain makes this program a launcher too, as chibi is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Launch {
		fmt.Fprintln(os.Stderr, Enter(os.Args[2:]))
		os.Exit(126)
	}
	os.Exit(m.Run())
}

func TestWhichKernelsCanConfine(t *testing.T) {
	for _, test := range []struct {
		version int
		err     error
		want    string
	}{
		{3, nil, ""}, {7, nil, ""}, {99, nil, ""},
		{0, nil, "this kernel has no Landlock, which Linux has since 5.13"},
		{-1, syscall.ENOSYS, "this kernel has no Landlock, which Linux has since 5.13"},
		{-1, syscall.EPERM, "this kernel has no Landlock, which Linux has since 5.13"},
		{-1, syscall.EOPNOTSUPP,
			`this kernel has Landlock turned off; add "landlock" to the parameter lsm= that it is started with`},
		{2, nil, "the Landlock of this kernel (version 2) cannot keep commands from emptying files; Linux 6.2 or newer can"},
	} {
		got := ""
		if err := judge(test.version, test.err); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("version %d, %v: %q, want %q", test.version, test.err, got, test.want)
		}
	}
}

// needs skips a test where the kernel cannot confine commands, or not in this way.
func needs(t *testing.T, version int) {
	t.Helper()
	if err := supported(); err != nil {
		t.Skip(err)
	}
	if has, _ := kernel.LandlockGetABIVersion(); has < version {
		t.Skipf("needs version %d of Landlock, this kernel has %d", version, has)
	}
}

// needsCapabilities skips a test that only a root with capabilities can make.
func needsCapabilities(t *testing.T, list ...uint) {
	t.Helper()
	who, err := identityOf("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, capability := range list {
		if who.effective&(1<<capability) == 0 {
			t.Skipf("only root can do this, with capability %d", capability)
		}
	}
}

// run runs a shell script confined and returns what it wrote.
func run(t *testing.T, r Rules, script string, env ...string) string {
	t.Helper()
	launcher, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Confined(launcher, process.Command{Path: "/bin/sh", Args: []string{"-c", "exec 2>&1; " + script},
		Dir: r.Writable[0], Env: env, NoTerminal: true, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	out, err := process.Runner{}.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return string(out.Stdout) + out.Stderr
}

// python is that of the system, which a confined command may read; one of the person's may be before
// it in $PATH.
const python = "PATH=/usr/local/bin:/usr/bin:/bin python3"

// put writes a file and returns its path.
func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatAConfinedCommandReaches(t *testing.T) {
	needs(t, 3)
	root, read, home, outside := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	put(t, filepath.Join(root, "mine"), "mine\n")
	put(t, filepath.Join(read, "program"), "#!/bin/sh\necho ran\n")
	one := put(t, filepath.Join(outside, "one"), "one\n")
	secret := put(t, filepath.Join(outside, "secret"), "secret\n")
	put(t, filepath.Join(home, "config.toml"), "key\n")
	if err := os.Symlink(secret, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	r := Rules{Writable: []string{root, filepath.Join(root, "none")},
		Readable: []string{read, one, filepath.Join(read, "none")}, Private: []string{home}}
	const denied = "ermission denied"
	for name, test := range map[string]struct{ script, want string }{
		"a file of the project":            {"cat mine && echo more >> mine && tail -1 mine", "mine\nmore\n"},
		"a file moved in the project":      {"mkdir d && echo x > e && mv e d/f && ln d/f g && cat g", "x\n"},
		"a program that may be read":       {`"$READ"/program`, "ran\n"},
		"a file that may be read":          {`cat "$OUT"/one`, "one\n"},
		"what may be read is not written":  {`echo x > "$READ"/new || echo x >> "$OUT"/one`, denied},
		"programs and settings":            {"ls /usr > /dev/null && cat /etc/hosts > /dev/null && echo fine", "fine\n"},
		"settings are not written":         {"echo x > /etc/chibi-test", denied},
		"the null device":                  {"echo x > /dev/null && head -c 1 /dev/zero | wc -c | tr -d ' '", "1\n"},
		"its own streams":                  {"echo x > /dev/stderr; cat <<E\nhere\nE", "x\nhere\n"},
		"a file outside":                   {`cat "$OUT"/secret`, denied},
		"its directory":                    {`ls "$OUT"`, denied},
		"a new file outside":               {`touch "$OUT"/new`, denied},
		"a file outside, removed":          {`rm -f "$OUT"/secret`, denied},
		"a file outside, emptied":          {python + ` -c "import os; os.truncate('$OUT/secret', 0)"`, denied},
		"a link that leads out":            {"cat link", denied},
		"chibi's home":                     {`cat "$CHIBI"/config.toml`, denied},
		"by a child of a child":            {`sh -c 'sh -c "cat \"$OUT\"/secret"'`, denied},
		"by what the kernel tells":         {`cat /proc/self/root"$OUT"/secret || cat /proc/$PPID/environ`, denied},
		"the host's environment":           {"cat /proc/$PPID/environ", denied},
		"the host's memory":                {"head -c 1 /proc/$PPID/mem", denied},
		"a terminal by its path":           {"for t in /dev/pts/*; do echo x > $t || exit; done", "annot"},
		"the directory of terminals":       {"ls /dev/pts", denied},
		"a new terminal":                   {": < /dev/ptmx", denied},
		"the temporary files of all":       {"echo x > /tmp/chibi-sandbox-test", denied},
		"more rights, by a setuid program": {"grep NoNewPrivs /proc/self/status | tr -d '\\t'", "NoNewPrivs:1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(t, r, test.script, "OUT="+outside, "READ="+read, "CHIBI="+home)
			if test.want == denied || test.want == "annot" {
				if !strings.Contains(got, test.want) {
					t.Errorf("%q, want it to be denied", got)
				}
			} else if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret\n" {
		t.Errorf("the secret is %q, %v", text, err)
	}
}

// TestAConfinedCommandInheritsNoFile that whoever started this program had open.
func TestAConfinedCommandInheritsNoFile(t *testing.T) {
	needs(t, 3)
	secret := put(t, filepath.Join(t.TempDir(), "secret"), "secret\n")
	fd, err := unix.Open(secret, unix.O_RDWR, 0) // which children inherit
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if out := run(t, Rules{Writable: []string{t.TempDir()}}, "ls -l /proc/self/fd"); strings.Contains(out, secret) {
		t.Errorf("it is open: %s", out)
	}
}

func TestAConfinedCommandSignalsNobodyOutside(t *testing.T) {
	needs(t, 6)
	r := Rules{Writable: []string{t.TempDir()}}
	got := run(t, r, "kill -0 $PPID || echo no; sleep 100 & kill $! && echo yes")
	if !strings.HasSuffix(got, "no\nyes\n") {
		t.Errorf("%q", got)
	}
}

func TestWhatRootLoses(t *testing.T) {
	needs(t, 3)
	needsCapabilities(t, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_SETUID)
	others := t.TempDir()
	put(t, filepath.Join(others, "file"), "theirs\n")
	if err := os.Chown(others, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	closed := t.TempDir()
	if err := errors.Join(os.Chmod(closed, 0o700), os.Chown(closed, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	r := Rules{Writable: []string{t.TempDir(), others}, Readable: []string{closed}}
	for name, test := range map[string]struct{ script, want string }{
		"the device of a disk":           {"mknod disk b 8 0 2> /dev/null || echo no", "no\n"},
		"a write in another's directory": {`echo x 2> /dev/null > "$OTHERS"/new || echo no`, "no\n"},
		"a look into one that is closed": {`ls "$CLOSED" 2> /dev/null || echo no`, "no\n"},
		"what others may read":           {`cat "$OTHERS"/file`, "theirs\n"},
		"another user for a program":     {python + ` -c "import os; os.setuid(65534); print(os.getuid())"`, "65534\n"},
		"more than what is kept": {fmt.Sprintf(`c=$(sed -n 's/^CapEff:.//p' /proc/self/status); echo $((0x$c & ~%d))`,
			keptCapabilities()), "0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := run(t, r, test.script, "OTHERS="+others, "CLOSED="+closed); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestWhereAConfinedRootCannotWrite(t *testing.T) {
	needsCapabilities(t, unix.CAP_CHOWN)
	for name, test := range map[string]struct {
		uid, gid int
		mode     os.FileMode
		foreign  bool
	}{"its own": {0, 65534, 0o755, false}, "another's": {65534, 65534, 0o775, true},
		"of its group": {65534, 0, 0o775, false}, "of all": {65534, 65534, 0o777, false}} {
		dir := t.TempDir()
		if err := errors.Join(os.Chmod(dir, test.mode), os.Chown(dir, test.uid, test.gid)); err != nil {
			t.Fatal(err)
		}
		path, owner := Rules{Writable: []string{filepath.Join(dir, "none"), dir}}.Foreign()
		if (path != "") != test.foreign || test.foreign && (path != dir || owner != 65534) {
			t.Errorf("%s: %q, %d", name, path, owner)
		}
	}
}

// TestTheNetworkIsNotConfined is what the documents say.
func TestTheNetworkIsNotConfined(t *testing.T) {
	needs(t, 3)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := Rules{Writable: []string{t.TempDir()}}
	const connect = python + ` -c 'import socket; socket.create_connection(("127.0.0.1", %d)); print("connected")'`
	script := fmt.Sprintf(connect, l.Addr().(*net.TCPAddr).Port)
	if got := run(t, r, script); got != "connected\n" {
		t.Errorf("%q", got)
	}
}

func TestWhatTheSandboxMustKeepClosedIsNotOpened(t *testing.T) {
	needs(t, 3)
	root := t.TempDir()
	home := filepath.Join(root, "home")
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Mkdir(home, 0o700), os.Symlink(home, link)); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Rules{
		"in the project":   {Writable: []string{root}, Private: []string{home}},
		"the project":      {Writable: []string{home}, Private: []string{home}},
		"by a link":        {Readable: []string{root}, Private: []string{link}},
		"of the system":    {Private: []string{"/usr/share/chibi"}},
		"not there yet":    {Writable: []string{root}, Private: []string{filepath.Join(root, "new", "home")}},
		"whatever else is": {Writable: []string{t.TempDir(), "/"}, Private: []string{home}},
	} {
		err := r.Check()
		if err == nil || !strings.Contains(err.Error(), "which the sandbox must keep closed, is in ") {
			t.Errorf("%s: %v", name, err)
		}
		if err = Enter([]string{`{"write":["` + root + `"],"private":["` + home + `"]}`, "/bin/true"}); err == nil {
			t.Errorf("%s: a launcher let it be", name)
		}
	}
	if err := (Rules{Writable: []string{root}, Private: []string{root + "2"}}).Check(); err != nil {
		t.Error(err)
	}
}

func TestALauncherRunsNothingUnconfined(t *testing.T) {
	needs(t, 3)
	for _, args := range [][]string{nil, {"{}"}, {"rules", "/bin/true"}, {`{"writes":[]}`, "/bin/true"}, {`{}`, "/none"}} {
		if len(args) == 2 && args[1] == "/none" {
			continue // it would confine this test
		}
		if err := Enter(args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	launcher, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := process.Runner{}.Run(t.Context(), process.Command{Path: launcher,
		Args: []string{Launch, "{}", "/none/sh"}})
	if err != nil || out.Exit != 126 || out.Stderr != "/none/sh: no such file or directory\n" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestReach(t *testing.T) {
	root := t.TempDir()
	r := Rules{Writable: []string{root}, Readable: []string{"/srv/data"}}
	for path, want := range map[string]bool{root: true, root + "/a/b": true, "/srv/data/x": true, "/usr/bin": true,
		root + "2": false, "/": false, "/srv": false, filepath.Dir(root): false} {
		if got := r.Reach(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
