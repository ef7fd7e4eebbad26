//go:build !unix

package trust

import "io/fs"

// openToOthers knows nothing of permissions here.
func openToOthers(string, fs.FileInfo) error { return nil }
