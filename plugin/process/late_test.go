//go:build unix

package process

import (
	"bytes"
	"context"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestWhatAProcessWroteIsReadHoweverLate has readers that come long after the process has
// ended, as on a machine that has no time for them.
func TestWhatAProcessWroteIsReadHoweverLate(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]string{
		"it leaves nobody":                            "",
		"a child holds the pipes":                     "sleep 100000 &",
		"a child goes on writing":                     "yes & yes >&2 &",
		"a child that left the group goes on writing": "setsid timeout 20 yes & setsid timeout 20 yes >&2 &",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("setsid"); err != nil {
				t.Skip("needs setsid")
			}
			script := `printf '{"block":true}\n'; echo why >&2; ` + after
			c := Command{Path: "/bin/sh", Args: []string{"-c", script}}
			p, err := Runner{}.start(t.Context(), c, &output{max: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			watch(p)
			over := make(chan error)
			go func() { over <- p.wait(t.Context(), 0) }()
			<-p.exited
			select {
			case err := <-over:
				t.Fatal("it was given up before anybody read from it:", err)
			case <-time.After(8 * drainDelay):
			}
			p.streams.begin()
			if err := <-over; err != nil {
				t.Error(err)
			}
			out := p.outcome()
			first, rest, _ := bytes.Cut(out.Stdout, []byte("\n"))
			if string(first) != `{"block":true}` || bytes.Trim(rest, "y\n") != nil {
				t.Errorf("standard output is %.40q", out.Stdout)
			}
			if after == "" && out.Stderr != "why\n" {
				t.Errorf("standard error is %.40q", out.Stderr)
			}
		})
	}
}

// TestWhatIsCutIsReadHoweverLate has a reader that comes after the process was told to end.
func TestWhatIsCutIsReadHoweverLate(t *testing.T) {
	t.Parallel()
	c := Command{Path: "/bin/sh", Args: []string{"-c", "echo answer; exec sleep 100000"}}
	ctx, p := newProcess(t.Context(), c)
	child, err := Runner{}.start(ctx, c, p.out)
	if err != nil {
		t.Fatal(err)
	}
	p.host = ownChild{child}
	watch(child)
	go p.supervise(ctx, 0)
	conn, err := child.streams.stdout.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for written := 0; written == 0; time.Sleep(time.Millisecond) {
		conn.Control(func(fd uintptr) { written, _ = unix.IoctlGetInt(int(fd), bytesInPipe) })
	}
	p.Cut()
	<-p.ending
	child.streams.begin()
	if line, err := p.ReadLine(t.Context()); string(line) != "answer" {
		t.Errorf("%q, %v", line, err)
	}
	p.Wait()
}

// TestTimeDoesNotDecideAboutAProcessThatHasEnded has a host that looks only when the time of the
// process is over, and that of the event, as after a suspension.
func TestTimeDoesNotDecideAboutAProcessThatHasEnded(t *testing.T) {
	t.Parallel()
	for range 20 {
		p, err := Runner{}.start(t.Context(), Command{Path: "/bin/echo", Args: []string{"no"}}, &output{max: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		p.began = time.Now().Add(-time.Hour)
		attend(p)
		<-p.exited
		ctx, cancel := context.WithDeadline(t.Context(), p.began)
		defer cancel()
		if err := p.wait(ctx, time.Minute); err != nil {
			t.Error(err)
		}
		if out := p.outcome(); string(out.Stdout) != "no\n" {
			t.Errorf("standard output is %q", out.Stdout)
		}
	}
}
