// Agentdoc writes the tables of AGENTS.md and BRIDGE.md. It is run by go generate.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/agentdoc"
	"github.com/chibi-host/chibi/internal/disk"
)

func main() {
	root := flag.String("root", ".", "the repository's root")
	flag.Parse()
	for page, generate := range agentdoc.Pages() {
		text, err := generate(os.DirFS(*root))
		if err == nil {
			err = disk.WriteFile(filepath.Join(*root, filepath.FromSlash(page)), []byte(text), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "agentdoc:", err)
			os.Exit(1)
		}
	}
}
