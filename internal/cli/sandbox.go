package cli

import (
	"fmt"
	"os"

	"github.com/chibi-host/chibi/internal/sandbox"
)

// exitUnconfined is the exit status of a launcher whose command did not run, as that of a
// shell whose command cannot be run.
const exitUnconfined = 126

// launch makes this process the launcher of a confined command, which takes its place.
func launch(args []string) int {
	fmt.Fprintln(os.Stderr, "chibi: the command did not run:", sandbox.Enter(args))
	return exitUnconfined
}
