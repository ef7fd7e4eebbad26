//go:build unix

package cli_test

import (
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/cli/clitest"
)

// TestSIGTERMKeepsWhatHasCome: nothing in the way takes longer than a plugin that does not end,
// and there is none.
func TestSIGTERMKeepsWhatHasCome(t *testing.T) { clitest.Terminate(t, "", 30*time.Second) }
