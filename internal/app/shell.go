package app

import (
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
)

// shellConfig returns what the tool shell_exec needs. Its commands get the person's environment
// without the model's key, and begin in a directory; the configuration may want them confined.
func shellConfig(s *Session, dir string) coding.ShellConfig {
	set, loader := s.Config.Plugins, s.Loader()
	return coding.ShellConfig{
		Runner: process.Runner{Env: commandEnv(loader, "shell_exec"), Drop: native.PerCall(),
			MaxStderr: int64(s.Config.Limits.PluginStderrBytes)},
		Dir: dir, Home: project.UserHome(), Timeout: ms(set.ToolTimeoutMS), MaxOutput: int64(set.MaxToolOutputBytes),
		Spool: loader.spool, Confine: confinement(s), Env: s.left.List,
	}
}

// ShellTool returns the tool shell_exec of a session.
func ShellTool(s *Session, dir string) tools.Tool { return coding.Shell(shellConfig(s, dir)) }
