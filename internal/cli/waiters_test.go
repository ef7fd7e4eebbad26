package cli_test

import (
	"testing"

	"github.com/chibi-host/chibi/internal/cli/clitest"
	"github.com/chibi-host/chibi/internal/systest"
)

// TestWaitersAnswerEachMessageOnce: five a hundred messages, with CHIBI_TEST_ALL=1 twenty a thousand.
func TestWaitersAnswerEachMessageOnce(t *testing.T) {
	w := clitest.Waiters{Waiting: 5, Senders: 5, Messages: 20}
	if systest.All() {
		w = clitest.Waiters{Waiting: 20, Senders: 10, Messages: 100}
	}
	w.Run(t)
}

// TestWaitersThatAreKilledLoseNothing: of each two that have mail, one is killed in the middle of
// its answer and one after it, until ten are gone.
func TestWaitersThatAreKilledLoseNothing(t *testing.T) {
	clitest.Waiters{Waiting: 5, Senders: 5, Messages: 60, Kills: 10}.Run(t)
}
