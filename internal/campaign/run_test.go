//go:build linux

package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// build compiles the program.
func build(to string) error { return compile("../..", "build", "-o", to) }

// buildTests compiles the tests of a package.
func buildTests(to, dir string) error { return compile(dir, "test", "-c", "-o", to) }

// compile runs a command of the go tool in a directory, as cluster is a module of its own. The
// race detector and coverage stay out, wherever the environment turns them on: what is measured is
// the memory, and read the standard error, of the program that people use.
func compile(dir, command string, args ...string) error {
	cmd := exec.Command("go", append([]string{command, "-race=false", "-cover=false"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s %s in %s: %w\n%s", command, strings.Join(args, " "), dir, err, out)
	}
	return nil
}

// home is where runs of a case happen: a person's directory with chibi's home in it.
type home struct {
	*attempt
	path string
}

func (a *attempt) home(name string) home {
	h := home{a, filepath.Join(a.dir, name)}
	h.must(os.MkdirAll(h.at("plugins"), 0o755))
	h.must(os.MkdirAll(filepath.Join(h.path, "tmp"), 0o755))
	return h
}

// must ends a case that could not be prepared.
func (a *attempt) must(err error) {
	if err != nil {
		a.found(broken, "preparing: %v", err)
	}
}

// at is the path of something in chibi's home.
func (h home) at(parts ...string) string {
	return filepath.Join(append([]string{h.path, ".chibi"}, parts...)...)
}

func (h home) write(name, text string) {
	h.must(os.MkdirAll(filepath.Dir(h.at(name)), 0o755))
	h.must(os.WriteFile(h.at(name), []byte(text), 0o644))
}

// plugin puts an executable into the plugins directory.
func (h home) plugin(name, text string) {
	h.write("plugins/"+name, text)
	h.must(os.Chmod(h.at("plugins", name), 0o755))
}

func (h home) environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.path, "CHIBI_HOME=" + h.at(), "TMPDIR=" + filepath.Join(h.path, "tmp"),
		"TERM=xterm-256color", "LANG=C.UTF-8", h.mark(),
	}
}

// mark is in the environment of everything that a case starts.
func (h home) mark() string { return "CAMPAIGN=" + h.path }

// outcome is how a run ended.
type outcome struct {
	out, errs string
	code      int // -1 when it was killed
	hung      bool
	took      time.Duration
}

// run runs chibi and waits for it.
func (h home) run(args ...string) outcome { return h.runFor(soon, nil, args...) }

// runFor runs chibi; a run that takes too long has hung. during, which may be nil, is
// called with its process while it runs.
func (h home) runFor(limit time.Duration, during func(*os.Process), args ...string) outcome {
	return h.start(limit, during, exec.Command(binary, args...))
}

func (h home) start(limit time.Duration, during func(*os.Process), cmd *exec.Cmd) (o outcome) {
	var out, errs head
	if cmd.Stdout == nil {
		cmd.Stdout, cmd.Stderr = &out, &errs
	}
	cmd.Dir, cmd.Env, cmd.WaitDelay = h.path, append(h.environment(), cmd.Env...), 2*time.Second
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		h.must(err)
		return outcome{code: -1}
	}
	ended := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { o.hung = h.watch(cmd.Process, limit, ended) })
	if during != nil {
		during(cmd.Process)
	}
	err := cmd.Wait()
	close(ended)
	watch.Wait()
	o.out, o.errs, o.code, o.took = out.String(), errs.String(), cmd.ProcessState.ExitCode(), time.Since(begin)
	if err != nil && !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, exec.ErrWaitDelay) {
		h.must(err)
	}
	return o
}

// watch keeps the highest memory of a process, and ends one that takes too long.
func (h home) watch(p *os.Process, limit time.Duration, ended <-chan struct{}) (hung bool) {
	expired := time.After(limit)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return hung
		case <-expired:
			hung = true
			p.Kill()
		case <-tick.C:
			memory := memoryOf(p.Pid)
			if h.remember(memory); memory > 10*maxMemory {
				p.Kill() // before the machine has none left
			}
		}
	}
}

func (a *attempt) remember(memory int64) {
	a.mu.Lock()
	a.Memory = max(a.Memory, memory)
	a.mu.Unlock()
}

// memoryOf is the highest memory of a process so far, in KiB.
func memoryOf(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(value, 10, 64)
	return n
}

// head keeps the beginning of what was printed.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if h.Len() < 1<<20 {
		h.Buffer.Write(p)
	}
	return len(p), nil
}

// ReadFrom keeps io.Copy from filling the buffer itself.
func (h *head) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{h}, r)
}

// nothingLeft waits until no process of this home is left, and ends what stays.
func (h home) nothingLeft(within time.Duration) {
	var pids []int
	for end := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		if pids = h.processes(); len(pids) == 0 {
			return
		}
		if time.Now().After(end) {
			break
		}
	}
	for _, pid := range pids {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		h.found(left, "process %d: %q", pid, strings.ReplaceAll(string(command), "\x00", " "))
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// processes lists what runs with this home's mark.
func (h home) processes() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(environment, []byte(h.mark()+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}
