//go:build unix

package permissions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// randomLines is how many of the generated command lines are run for each that is judged: whatever
// is judged, and with all that it does.
func randomLines() int { return *generatedLines / 300 }

// TestWhatShellsRunWasFound runs command lines in real shells, where git is a program that
// notes its calls, and checks that what ran was denied or asked, and that nothing ran that
// no rule allows.
func TestWhatShellsRunWasFound(t *testing.T) {
	for _, shell := range shells() {
		t.Run(shell.name(), func(t *testing.T) {
			t.Parallel()
			newLaboratory(t, shell.find(t)).compare(t)
		})
	}
}

func (l *laboratory) compare(t *testing.T) {
	spellings, wrappings := corpus(t, "spellings.txt"), corpus(t, "wrappings.txt")
	lines := slices.Clone(spellings)
	for _, format := range wrappings {
		lines = append(lines, wrap(format, "git push"))
	}
	fixed, ran := len(lines), 0
	random := rand.New(rand.NewPCG(uint64(randomLines()), *generatorSeed))
	for len(lines) < fixed+randomLines() {
		if line := randomLine(random, spellings, wrappings); staysInside(line) {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		if strings.Contains(line, "sh f") {
			continue // a script in a file is a program like any other, which nobody looks into
		}
		line = strings.ReplaceAll(line, "DIR", l.dir)
		got := l.run(t, line)
		l.check(t, line, got)
		if got.push && i < fixed {
			ran++
		}
	}
	if ran < fixed/3 {
		t.Errorf("only %d of %d lines ran git push; the comparison is worth nothing", ran, fixed)
	}
}

// shell is a program that is sh somewhere, with the arguments before a line.
type shell []string

func shells() []shell {
	return []shell{{"dash", "-c"}, {"bash", "-c"}, {"bash", "--posix", "-c"}, {"zsh", "--emulate", "sh", "-fc"},
		{"mksh", "-c"}, {"busybox", "sh", "-c"}}
}

func (s shell) name() string { return strings.Join(s[:len(s)-1], " ") }

// find returns the shell with the path of its program.
func (s shell) find(t *testing.T) shell {
	t.Helper()
	path, err := exec.LookPath(s[0])
	if err != nil {
		t.Skipf("%s is not there", s[0])
	}
	return append(shell{path}, s[1:]...)
}

// laboratory is a directory in which lines are run, and the rules that judge them.
type laboratory struct {
	dir      string
	shell    shell
	runs     int
	denying  *Rules // deny git push, allow all else
	allowing *Rules // allow what is there but git
	writing  *Rules // deny writing to out, and some command, so that what is not known is asked
}

// outcome is what a line did.
type outcome struct{ git, push, out bool }

const fakeGit = `#!/bin/sh
: > "${RAN}git"
case $0 in */git-push) : > "${RAN}push"; exit;; esac
while [ $# -gt 0 ]; do
	case $1 in
	-C | -c | --git-dir | --work-tree) shift 2 ;;
	-*) shift ;;
	push) : > "${RAN}push"; exit ;;
	*) exit ;;
	esac
done
`

func newLaboratory(t *testing.T, shell shell) *laboratory {
	t.Helper()
	l := &laboratory{dir: t.TempDir(), shell: shell}
	if err := os.Chmod(filepath.Dir(l.dir), 0o711); err != nil { // others cannot pass it otherwise
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(l.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	harmless := []string{"cat", "echo", "env", "false", "find", "ls", "nice", "nohup", "setsid", "stdbuf", "timeout",
		"true",
		"xargs", "time"}
	for _, name := range append(harmless, "sh", "bash", "dash") {
		if path, err := exec.LookPath(name); err == nil {
			l.addProgram(t, name, path)
		}
	}
	var allow []string
	for _, name := range append(harmless, ":", "cd", "wait", "set", "test", "[", "f", "g", "x", "a", "break", "printf",
		"export") {
		allow = append(allow, "shell("+name+" *)")
	}
	l.denying = rulesOf(t, []string{"shell(git push*)"}, nil, []string{"shell"})
	l.allowing = rulesOf(t, nil, nil, append(allow, "write"))
	l.writing = rulesOf(t, []string{"write(out/**)", "shell(what is not there)"}, nil, []string{"shell"})
	return l
}

// addProgram makes a program of the laboratory that runs one of the system. It is no link, so
// that a line which writes to it, as in >../bin/cat, changes the laboratory only.
func (l *laboratory) addProgram(t *testing.T, name, path string) {
	t.Helper()
	script := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", path)
	if err := os.WriteFile(filepath.Join(l.dir, "bin", name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// nobody is the user as which lines run if the test runs as root: should a damaged line name
// a path outside after all, it must not be able to write there.
const nobody = 65534

// giveAway makes a directory of the laboratory that of the user as which lines run.
func (l *laboratory) giveAway(t *testing.T, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
}

// run runs a line in the shell, in directories of its own: what a line leaves running cannot
// do anything in those of the next one.
func (l *laboratory) run(t *testing.T, line string) outcome {
	t.Helper()
	l.runs++
	work, ran := filepath.Join(l.dir, fmt.Sprint("work", l.runs)), filepath.Join(l.dir, fmt.Sprint("ran", l.runs))
	for _, dir := range []string{work, filepath.Join(work, "out"), ran} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		l.giveAway(t, dir)
	}
	l.restoreGit(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.shell[0], append(l.shell[1:], line)...)
	cmd.Dir = work
	cmd.Env = append(l.environment(work), "RAN="+ran+"/")
	l.confine(cmd)
	if cmd.Run() != nil && cmd.Process == nil { // a line may well fail
		t.Fatalf("%s cannot be started", l.shell[0])
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	defer os.RemoveAll(work)
	defer os.RemoveAll(ran)
	return outcome{exists(ran, "git"), exists(ran, "push"), !isEmpty(filepath.Join(work, "out"))}
}

// environment is what lines find in theirs.
func (l *laboratory) environment(work string) []string {
	return []string{"PATH=" + filepath.Join(l.dir, "bin"), "HOME=" + l.dir, "G=git", "P=push", "TMPDIR=" + work}
}

// confine lets a command run as nobody, and end with all that it started.
func (l *laboratory) confine(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
}

// restoreGit puts the git of the laboratory where it belongs, if the line before changed it.
func (l *laboratory) restoreGit(t *testing.T) {
	t.Helper()
	for _, name := range []string{"git", "git-push"} {
		path := filepath.Join(l.dir, "bin", name)
		if data, err := os.ReadFile(path); err == nil && string(data) == fakeGit {
			continue
		}
		if err := os.WriteFile(path+".new", []byte(fakeGit), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
}

func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || len(entries) == 0
}

// check compares what a line did with how it is judged.
func (l *laboratory) check(t *testing.T, line string, got outcome) {
	t.Helper()
	judge := func(r *Rules) Decision { return r.Judge(shellCall(line, "/project")).Decision }
	if d := judge(l.denying); got.push && d != Deny && d != Ask {
		t.Errorf("%s runs git push in %q, judged %q", l.shell.name(), line, d)
	}
	if d := judge(l.allowing); got.git && d == Allow {
		t.Errorf("%s runs git in %q, which is allowed", l.shell.name(), line)
	}
	if d := judge(l.writing); got.out && d != Deny && d != Ask {
		t.Errorf("%s writes to out in %q, judged %q", l.shell.name(), line, d)
	}
}

// randomLine wraps a payload several times, and damages some lines, so that shells and the
// examination have to agree about what is wrong as well.
func randomLine(random *rand.Rand, spellings, wrappings []string) string {
	line := spellings[random.IntN(len(spellings))]
	for range random.IntN(3) {
		line = wrap(wrappings[random.IntN(len(wrappings))], line)
	}
	const marks = "'\"`$(){}[]<>|&;#!~*?\n\\ =,.-\t"
	for range random.IntN(4) {
		at := random.IntN(len(line) + 1)
		switch mark := marks[random.IntN(len(marks))]; random.IntN(3) {
		case 0:
			line = line[:at] + string(mark) + line[at:]
		case 1:
			line = line[:at] + line[min(at+1, len(line)):]
		case 2:
			end := min(at+1+random.IntN(8), len(line))
			line = line[:end] + line[at:]
		}
	}
	return line
}

// staysInside reports whether a damaged line names only paths that are known to lead to
// nothing but the laboratory: it is run for real.
func staysInside(line string) bool {
	if strings.Count(line, "..") > 1 {
		return false
	}
	known := strings.NewReplacer("DIR/bin/", "", "../bin/", "", "~/bin/", "", "</dev/null", "", "out/f", "", "'out'/f", "",
		". ./f", "", "${HOME/h/", "")
	return !strings.Contains(known.Replace(line), "/")
}

func TestDamagedLinesStayInTheLaboratory(t *testing.T) {
	for line, want := range map[string]bool{
		"git push >out/f": true, "../bin/git push": true, ">../bin/cat": true, "cd ..; git push": true,
		"> /usr/bin/git": false, "DIR/../x": false, "cd ..; cd ..; >f": false, "../bin/../../f": false, ">/dev/null": false,
		"DI/bin/git push": false, ".>./bin/git": false, "~/f": false, "../f": false,
	} {
		if got := staysInside(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
