// Hookdoc writes the generated documentation of the hook points. It is run by go
// generate; after a change of comments it must run twice, because the second run uses
// what the first one wrote.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/hookdoc/generate"
)

func main() {
	root := flag.String("root", ".", "the repository's root")
	flag.Parse()
	files, err := generate.Files(os.DirFS(*root))
	if err != nil {
		fmt.Fprintln(os.Stderr, "hookdoc:", err)
		os.Exit(1)
	}
	for path, content := range files {
		if err := disk.WriteFile(filepath.Join(*root, filepath.FromSlash(path)), content, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "hookdoc:", err)
			os.Exit(1)
		}
	}
}
