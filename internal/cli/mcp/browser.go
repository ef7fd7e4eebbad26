package mcp

import (
	"context"
	"runtime"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
)

// browserTime bounds the program that opens a browser where it cannot be left alone.
const browserTime = 10 * time.Second

// openBrowser opens an address, which begins with http:// or https://, in the person's
// browser. It reports whether there was one to be asked.
func openBrowser(address string) bool {
	var runner process.Runner
	words := opener(runtime.GOOS, runner.Getenv)
	if words == nil {
		return false
	}
	path, ok := runner.LookPath(words[0])
	if !ok {
		return false
	}
	c := process.Command{Path: path, Args: append(words[1:], address), Timeout: browserTime}
	if runtime.GOOS == "windows" { // there the program ends at once
		_, err := runner.Run(context.Background(), c)
		return err == nil
	}
	return runner.Detach(c) == nil
}

// opener returns the command that opens an address on an operating system; nil: there is no
// screen on which it could.
func opener(system string, getenv func(string) string) []string {
	switch {
	case system == "windows":
		return []string{"rundll32.exe", "url.dll,FileProtocolHandler"}
	case system == "darwin" && getenv("SSH_CONNECTION") == "":
		return []string{"open"}
	case system != "darwin" && getenv("DISPLAY")+getenv("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open"}
	}
	return nil
}
