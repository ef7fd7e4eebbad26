package natsstore_test

import (
	"os"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
)

// faultCycles is the environment variable with other numbers of cycles: of killing one
// server, all servers, and pausing one, such as "20 5 5".
const faultCycles = "CHIBI_TEST_FAULTS"

// longestAppend bounds one append, whatever happens to the servers, healthyAgain how long the
// servers need after each fault. The long run, of .ci/cluster/faults, is on a machine that does nothing else.
var longestAppend, healthyAgain = 30 * time.Second, 60 * time.Second

func init() {
	if os.Getenv(faultCycles) == "" {
		longestAppend, healthyAgain, soon = 4*longestAppend, 4*healthyAgain, 10*soon
	}
}

func TestMain(m *testing.M) { os.Exit(natstest.Main(m, os.Stdin, os.Stderr)) }
