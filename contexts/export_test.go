package contexts

import (
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
)

// CrashStore returns a store on a disk that fails when the test wants.
func CrashStore(t *testing.T, home string, fs disk.FS) *Files { return crashStore(t, home, fs) }
