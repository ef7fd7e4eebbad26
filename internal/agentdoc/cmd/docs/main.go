// Docs writes what is generated of the documentation, and of the sources for it. It is run by go
// generate; after a change of comments it must run twice, because the second run uses what the first
// one wrote.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/agentdoc"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/hookdoc/generate"
	"github.com/chibi-host/chibi/internal/keydoc"
)

func main() {
	root := flag.String("root", ".", "the repository's root")
	flag.Parse()
	if err := write(*root); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	sources := os.DirFS(root)
	files, err := generate.Files(sources)
	if err != nil {
		return err
	}
	pages := agentdoc.Pages()
	pages[keydoc.Page] = keydoc.Generate
	for page, generate := range pages {
		text, err := generate(sources)
		if err != nil {
			return err
		}
		files[page] = []byte(text)
	}
	for path, text := range files {
		if err := disk.WriteFile(filepath.Join(root, filepath.FromSlash(path)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
