package app

import (
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools/coding"
)

// Shell returns what the tool shell_exec needs. Its commands get the person's environment
// without the model's key, and begin in a directory.
func (l *Loader) Shell(dir string) coding.ShellConfig {
	set := l.config.Plugins
	return coding.ShellConfig{
		Runner: process.Runner{Env: l.env.list(true), Drop: native.PerCall(),
			MaxStderr: int64(l.config.Limits.PluginStderrBytes)},
		Dir: dir, Home: UserHome(), Timeout: ms(set.ToolTimeoutMS), MaxOutput: int64(set.MaxToolOutputBytes), Spool: l.spool,
	}
}
