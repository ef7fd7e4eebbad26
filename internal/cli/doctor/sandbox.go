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
	rules, err := rules.Pinned()
	if err == nil {
		err = rules.Check()
	}
	if err != nil {
		return []finding{failure(fmt.Sprintf("shell_exec runs no command: %v", err),
			`or set sandbox = "off" under [tools] in `+filepath.Join(s.Home, "config.toml")+", to run them unconfined")}
	}
	found := []finding{fine("commands of shell_exec can be confined")}
	if err := rules.Unsupervised(); err != nil {
		found = append(found, warning(fmt.Sprintf("confined commands can change modes, owners, times and extended "+
			"attributes of your files wherever they are: %v", err), "docs/TOOLS.md says where they cannot"))
	}
	if path, owner := rules.Foreign(); path != "" {
		found = append(found, warning(fmt.Sprintf("confined commands cannot write in %s, which belongs to the user %d: "+
			"root has no CAP_DAC_OVERRIDE there", path, owner), "run chibi as that user, or run: chown -R root "+path))
	}
	return found
}
