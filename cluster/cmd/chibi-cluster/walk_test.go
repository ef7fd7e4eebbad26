//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/portstest"
)

// TestThreeServersOnOneMachine does what the section of that name in docs/operating/CLUSTER.md says, in
// one shell: with the programs of this checkout, in an empty directory, and at other ports.
func TestThreeServersOnOneMachine(t *testing.T) {
	portstest.NeedServers(t)
	needs(t, "openssl")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "cluster/config"), os.DirFS("../../config")); err != nil {
		t.Fatal(err)
	}
	said := walk(t, dir, patient(t, otherPorts(t, page(t, "Three servers on one machine"))))

	// What each block of the page prints, by a command of it.
	for _, want := range []struct{ block, text string }{
		{"alice store init", "made stream chibi_team_log"},
		{"alice store status", "n3"},
		{`bob -c trip "When`, "messages: 3"},
		{`bob -c trip "When`, "We leave on Friday at seven."},
		{"bob --store", "the store does not permit it"},
		{"alice store status", "the store announces mail at once"},
		{"kill -KILL", "The tool answered"},
		{"kill -KILL", "What did I miss?"},
		{"server 1\nalice", "Are we complete again?"},
	} {
		if !strings.Contains(outputOf(said, want.block), want.text) {
			t.Errorf("after %s, %q is not there", want.block, want.text)
		}
	}
	// Nothing is lost, and nothing is there twice.
	history := outputOf(said, "kill -KILL")
	_, shown, _ := strings.Cut(history, "+ bob history")
	for _, text := range []string{"We leave on Friday at seven.", "When do we leave?", "@tool shell_exec",
		"What did I miss?"} {
		if n := strings.Count(shown, "[USER]: "+text); n != 1 {
			t.Errorf("Bob's history has %q %d times", text, n)
		}
	}
	if t.Failed() {
		t.Log(said)
	}
}

// needs skips a test without a program; on Debian, where CI installs it, it fails.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if _, err := os.Stat("/etc/debian_version"); err == nil && os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("%s is not installed here", program)
}

// page returns the shell blocks of a section of docs/operating/CLUSTER.md.
func page(t *testing.T, section string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/operating/CLUSTER.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(rest, -1) {
		if !strings.HasPrefix(m[1], "go install ") { // the test has built the programs
			blocks = append(blocks, m[1])
		}
	}
	if !found || len(blocks) == 0 {
		t.Fatalf("docs/operating/CLUSTER.md has no section %q with commands", section)
	}
	return blocks
}

// otherPorts gives the servers of the page ports that nobody listens on: 422N, 622N and 822N
// begin with other digits then.
func otherPorts(t *testing.T, blocks []string) []string {
	t.Helper()
	var pairs []string
	for i, prefix := range []string{"422", "622", "822"} {
		free := freePorts(t, 2000+i*300)
		for _, last := range []string{"$1", "1", "2", "3"} {
			pairs = append(pairs, "="+prefix+last, "="+free+last, ":"+prefix+last, ":"+free+last)
		}
	}
	for i := range blocks {
		blocks[i] = strings.NewReplacer(pairs...).Replace(blocks[i])
	}
	return blocks
}

// freePorts returns the first four digits of ports whose last one is 1, 2 and 3.
func freePorts(t *testing.T, from int) string {
	t.Helper()
	for prefix := from; prefix < from+300; prefix++ {
		free := true
		for last := 1; last <= 3 && free; last++ {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d%d", prefix, last))
			if free = err == nil; free {
				l.Close()
			}
		}
		if free {
			return fmt.Sprint(prefix)
		}
	}
	t.Fatal("no free ports")
	return ""
}

// patient has the blocks wait where a machine that other tests make busy is slower than a person
// types: for the servers, and for the id of the one that comes back.
func patient(t *testing.T, blocks []string) []string {
	t.Helper()
	for _, change := range [][2]string{
		{"store_ca = \"$PWD/ca.pem\"\n", "store_ca = \"$PWD/ca.pem\"\nstore_timeout_ms = 120000\n"},
		{"kill -KILL \"$(cat n1.pid)\"\n", "kill -KILL \"$(cat n1.pid)\"\nrm n1.pid\n"},
		{"for n in 1 2 3; do kill ", "until test -s n1.pid; do sleep 0.1; done\nfor n in 1 2 3; do kill "},
	} {
		if n := strings.Count(strings.Join(blocks, ""), change[0]); n != 1 {
			t.Fatalf("the page has %q %d times", change[0], n)
		}
		for i := range blocks {
			blocks[i] = strings.Replace(blocks[i], change[0], change[1], 1)
		}
	}
	return blocks
}

// walk runs the blocks in one shell and returns what it prints: each block, and below it what
// its commands print.
func walk(t *testing.T, dir string, blocks []string) string {
	t.Helper()
	bin := t.TempDir()
	for name, pkg := range map[string]string{
		"chibi-cluster": ".", "nats-server": "github.com/nats-io/nats-server/v2", "nk": "github.com/nats-io/nkeys/nk",
	} {
		command(t, "go", "build", "-o", filepath.Join(bin, name), pkg)
	}
	script := "set -e\n"
	for _, block := range blocks {
		script += "set +x\ncat << 'END OF BLOCK'\n" + mark + block + "END OF BLOCK\nset -x\n" + block
	}
	script += "wait\n" // for the servers, which are children of the shell, have its outputs, and end slowly
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir = dir
	path := bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), "PATH="+path, "CHIBI_HOME=", "NO_COLOR=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Minute
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String()
}

// mark begins each block in the output of walk.
const mark = "=== the page says:\n"

// outputOf returns the block with a text, and what its commands printed.
func outputOf(said, text string) string {
	for part := range strings.SplitSeq(said, mark) {
		if strings.Contains(part, text) {
			return part
		}
	}
	return ""
}
