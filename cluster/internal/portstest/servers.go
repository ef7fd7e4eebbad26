package portstest

import (
	"os"
	"testing"
)

// NeedServers skips a test in a run without servers, which CHIBI_TEST_SERVERS=no asks for.
func NeedServers(t testing.TB) {
	t.Helper()
	if os.Getenv("CHIBI_TEST_SERVERS") == "no" {
		t.Skip("CHIBI_TEST_SERVERS=no: this run is without servers")
	}
}
