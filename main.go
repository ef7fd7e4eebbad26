// Chibi is a command-line client for language models and a host for plugins
// that see and shape what happens in a conversation. See README.md.
package main

import (
	"os"

	"github.com/chibi-host/chibi/internal/cli"
)

func main() { os.Exit(cli.Main(cli.Sharing{})) }
