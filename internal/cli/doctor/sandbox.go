package doctor

import (
	"fmt"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/app"
)

// confinedCommands reports whether the commands of the model can be confined as the configuration
// wants.
func confinedCommands(s *app.Session) []finding {
	rules, on := app.Sandbox(s)
	if !on {
		return nil
	}
	if err := rules.Check(); err != nil {
		return []finding{failure(fmt.Sprintf("shell_exec runs no command: %v", err),
			`or set sandbox = "off" under [tools] in `+filepath.Join(s.Home, "config.toml")+", to run them unconfined")}
	}
	return []finding{fine("commands of shell_exec can be confined")}
}
