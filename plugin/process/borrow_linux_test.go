package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/internal/terminaltest"
	"github.com/chibi-host/chibi/plugin/process"
	"golang.org/x/sys/unix"
)

// TestTheHostBorrowsTheTerminal for a question of its own. The host is this test in a
// session of its own: see borrowingHost.
func TestTheHostBorrowsTheTerminal(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_BORROWS", func(what string) { borrowingHost(t, what) })
	const held = `echo=true restored=true`
	for name, test := range map[string]struct{ what, typed, want string }{
		"it reads a line, with echo":         {"ask", "yes\n", `"yes\n" ` + held},
		"what was typed before is discarded": {"ask late", "n\n", `"n\n" ` + held},
		"a pager beside it does not take it": {"ask beside a pager", "yes\n", `"yes\n" ` + held + ` pager="q\n"`},
		"a plugin that asks waits for its turn": {"ask before a plugin", "yes\n",
			`"yes\n" ` + held + ` plugin="mine\n"`},
		"Ctrl-C is the host's": {"ask", "\x03", "interrupted"},
		"there is none in another session": {"ask without a terminal", "",
			"it asks at the terminal, which cannot be lent to it"},
		"the end of the run ends the wait for it": {"wait", "", "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			terminal, person := terminaltest.New(t)
			self := childtest.Command(t)
			if test.what == "ask beside a pager" {
				self = append([]string{"sh", "-mc", `"$@"; exit $?`, "shell"}, self...)
			}
			host := exec.CommandContext(t.Context(), self[0], self[1:]...)
			host.Env = childtest.Environ(t, "CHIBI_TEST_BORROWS", test.what)
			host.Stdin = terminal
			host.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if test.what == "ask without a terminal" {
				host.Stdin, host.SysProcAttr = nil, &syscall.SysProcAttr{Setsid: true}
			}
			output, err := host.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if test.what == "ask late" {
				person.WriteString("typed ahead\nand m")
				person.Sees(t, "and m")
			}
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			defer host.Wait()
			got, isReturned := "", false
			for lines := bufio.NewScanner(output); lines.Scan(); {
				switch line := lines.Text(); {
				case line == "ready":
					person.WriteString(test.typed)
				case line == "returned":
					if isReturned = true; test.what == "ask beside a pager" {
						person.WriteString("q\n")
					}
				case line == "lent" && isReturned:
					person.WriteString("mine\n")
				default:
					if said, ok := strings.CutPrefix(line, "host: "); ok {
						got = said
					}
				}
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// borrowingHost borrows the terminal, reads a line from it, and prints how that went.
func borrowingHost(t *testing.T, what string) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	lender := process.NewLender(time.Minute, func() func() {
		fmt.Println("lent") // what was typed before is gone now
		return func() {}
	})
	if what == "wait" {
		held, err := lender.Borrow(t.Context(), process.Alone)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Return()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = lender.Borrow(ctx, process.Alone)
		fmt.Println("host:", err)
		return
	}
	pager, beside, after := 0, process.Alone, func() string { return "" }
	before, _ := unix.IoctlGetTermios(0, unix.TCGETS)
	if what == "ask beside a pager" {
		before.Lflag &^= unix.ICANON | unix.ECHO
		unix.IoctlSetTermios(0, unix.TCSETS, before)
		pager, beside, after = pagerBeside(t)
	}
	tty, err := lender.Borrow(t.Context(), beside)
	if err != nil {
		fmt.Println("host:", err)
		return
	}
	if pager != 0 {
		waitForState(t, pager, "T") // until it has taken notice, it could take a line
	}
	if what == "ask before a plugin" {
		after = pluginThatAsks(t, lender)
	}
	modes, _ := unix.IoctlGetTermios(0, unix.TCGETS)
	line := make(chan string)
	go func() {
		text, _ := bufio.NewReader(tty.File).ReadString('\n')
		line <- text
	}()
	fmt.Println("ready")
	select {
	case <-interrupts:
		fmt.Println("host: interrupted")
	case text := <-line:
		fmt.Println("returned")
		tty.Return()
		now, _ := unix.IoctlGetTermios(0, unix.TCGETS)
		fmt.Printf("host: %q echo=%v restored=%v%s\n", text, modes.Lflag&unix.ECHO != 0, *now == *before, after())
	}
}

// pagerBeside starts a program in the host's process group that reads from the terminal
// all the time, and waits until it sleeps there. The result after waits for the line that it
// got. The kernel stops it only where a shell controls jobs.
func pagerBeside(t *testing.T) (pid int, beside process.Company, after func() string) {
	pager := exec.Command("sh", "-c", `exec head -n1 </dev/tty`)
	out, err := pager.StdoutPipe()
	if err == nil {
		err = pager.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	waitForState(t, pager.Process.Pid, "S")
	return pager.Process.Pid, process.WithReader, func() string {
		line, _ := bufio.NewReader(out).ReadString('\n')
		pager.Wait()
		return fmt.Sprintf(" pager=%q", line)
	}
}

// waitForState waits until the pager is in a state: S is asleep, T stopped.
func waitForState(t *testing.T, pager int, state string) {
	for deadline := time.Now().Add(time.Minute); ; {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pager))
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the pager is not in state %s: %s %v", state, stat, err)
		}
		if strings.Contains(string(stat), "(head) "+state+" ") {
			return
		}
		runtime.Gosched()
	}
}

// pluginThatAsks starts a process of a plugin that asks at the terminal. The result waits
// for the line that it got.
func pluginThatAsks(t *testing.T, lender *process.Lender) func() string {
	got := make(chan string)
	go func() {
		out, err := process.Runner{Lender: lender, Stderr: os.Stdout}.Run(t.Context(),
			sh("read line </dev/tty; echo $line"))
		if err != nil {
			t.Error(err)
		}
		got <- string(out.Stdout)
	}()
	return func() string { return fmt.Sprintf(" plugin=%q", <-got) }
}
