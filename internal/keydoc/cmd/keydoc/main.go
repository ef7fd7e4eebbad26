// Keydoc writes the tables of keys into docs/CONFIGURATION.md. It is run by go
// generate.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/keydoc"
)

func main() {
	root := flag.String("root", ".", "the repository's root")
	flag.Parse()
	page, err := keydoc.Generate(os.DirFS(*root))
	if err == nil {
		err = disk.WriteFile(filepath.Join(*root, filepath.FromSlash(keydoc.Page)), page, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "keydoc:", err)
		os.Exit(1)
	}
}
