//go:build unix

package pgstore_test

import (
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/contexts/contexttest"
)

// TestContexts runs the rules of contexts as a role that has no more rights than Init grants.
func TestContexts(t *testing.T) {
	pgtest.Need(t)
	s := serverOf(t, pgtest.Installed()[0])
	homes := homesOf(t, s, "writers")
	t.Run("as in files", func(t *testing.T) { contexttest.Run(t, contexttest.Shared(homes)) })
	t.Run("of many machines", func(t *testing.T) { contexttest.RunShared(t, homes) })
	t.Run("repaired", func(t *testing.T) { contexttest.RunRepaired(t, damagedHomesOf(s)) })
	t.Run("interrupted", func(t *testing.T) { contexttest.Interrupted(t, 23, homes) })
}
