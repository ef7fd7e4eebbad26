package natsstore_test

import (
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/contexts/contexttest"
)

// TestContexts runs the rules of contexts on one server.
func TestContexts(t *testing.T) {
	server := natstest.Start(t, "", natstest.Always, "")
	homes := newHomes(server.URL(), 1)
	t.Run("as in files", func(t *testing.T) { contexttest.Run(t, contexttest.Shared(homes)) })
	t.Run("of many machines", func(t *testing.T) { contexttest.RunShared(t, homes) })
	t.Run("repaired", func(t *testing.T) { contexttest.RunRepaired(t, newDamagedHomes(server.URL())) })
	t.Run("interrupted", func(t *testing.T) { contexttest.Interrupted(t, 7, homes) })
}
