package natsstore_test

import (
	"os"
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
)

func TestMain(m *testing.M) { os.Exit(natstest.Main(m, os.Stdin, os.Stderr)) }
