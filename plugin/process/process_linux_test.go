package process_test

import (
	"bufio"
	"fmt"
	"os/exec"
	"testing"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/plugin/process"
)

// TestAStartedProcessEndsWithTheHost kills a host, which is this test in a process of its own.
func TestAStartedProcessEndsWithTheHost(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_HOST", func(life string) {
		p := start(t, process.Runner{}, sh(`exec 9>"$LIFE"; echo up; exec sleep 1000`, "LIFE="+life))
		mustRead(t, p, "up")
		fmt.Println("up")
		<-p.Done()
	})
	life := newLifeline(t)
	self := childtest.Command(t)
	host := exec.CommandContext(t.Context(), self[0], self[1:]...)
	host.Env = childtest.Environ(t, "CHIBI_TEST_HOST", life.path)
	output, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "up\n" {
		t.Errorf("the host wrote %q, %v", line, err)
	}
	host.Process.Kill()
	host.Wait()
	life.mustEnd()
}
