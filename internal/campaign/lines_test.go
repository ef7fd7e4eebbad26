//go:build linux

package campaign

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// linesPerCase is how many generated command lines one case judges; shells run about a sixth of them,
// those that rules allow.
const linesPerCase = 6000

// attackByLines runs the test that compares generated command lines with what shells make of them,
// see permissions/generated_unix_test.go.
func attackByLines(a *attempt) {
	tests, err := compiled.get("permissions")
	if err != nil {
		a.found(broken, "%v", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	seed := a.seed*1_000_000 + uint64(a.number)
	cmd := exec.CommandContext(ctx, tests, "-test.run=^TestNoGeneratedLineRunsWhatIsDenied$", "-test.v",
		fmt.Sprintf("-lines=%d", linesPerCase), fmt.Sprintf("-seed=%d", seed))
	cmd.Dir = "../../permissions"
	out, err := cmd.CombinedOutput()
	for _, m := range regexp.MustCompile(`(\d+) are allowed and ran`).FindAllSubmatch(out, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		a.Tried += n
	}
	for _, m := range regexp.MustCompile(`--- SKIP: \S+/(\S+)`).FindAllSubmatch(out, -1) {
		a.skip(string(m[1]) + " is not there")
	}
	switch {
	case ctx.Err() != nil:
		a.found(hung, "%s", tail(out))
	case err != nil:
		a.found(passed, "go test ./permissions -run Generated -lines %d -seed %d: %v:\n%s", linesPerCase, seed, err,
			tail(out))
	}
}
