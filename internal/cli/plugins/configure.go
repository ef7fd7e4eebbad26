package plugins

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/config"
)

// setEnabled writes into the configuration that a plugin is disabled; for one that is
// enabled it removes that.
func setEnabled(s *app.Session, name string, enabled bool) error {
	key := fmt.Sprintf("plugins.%s.enabled", config.Quote(name))
	return configFile(s).Rewrite(func(path string, data []byte) ([]byte, error) {
		if enabled {
			return config.Unset(path, data, key)
		}
		return config.Edit(path, data, key, "false")
	})
}

func allowLink(s *app.Session, real string) error {
	return changeLinks(s, func(allowed []string) []string {
		if slices.Contains(allowed, real) {
			return allowed
		}
		return append(allowed, real)
	})
}

func forbidLink(s *app.Session, link string) error {
	real, err := filepath.EvalSymlinks(link)
	if err != nil || !slices.Contains(s.Config.Plugins.AllowLinks, real) {
		return nil // a broken link, or not a link
	}
	return changeLinks(s, func(allowed []string) []string {
		return slices.DeleteFunc(allowed, func(a string) bool { return a == real })
	})
}

func changeLinks(s *app.Session, change func([]string) []string) error {
	return configFile(s).Rewrite(func(path string, data []byte) ([]byte, error) {
		return config.EditLinks(path, data, change)
	})
}

func configFile(s *app.Session) app.ConfigFile {
	return app.ConfigFile{Path: filepath.Join(s.Home, "config.toml"), What: "the configuration"}
}
