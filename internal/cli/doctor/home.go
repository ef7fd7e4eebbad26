package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
)

func homeDirectory(home string) []finding {
	const another = "use a different one: --home DIR, or CHIBI_HOME"
	info, err := os.Stat(home)
	isMissing := errors.Is(err, os.ErrNotExist)
	var f finding
	switch {
	case isMissing && disk.IsTaken(home):
		f = failure(home+" is a broken link", "create the directory that it points to, or "+another)
	case isMissing && !disk.IsWritable(existingAncestor(home)):
		f = failure("there is no home at "+home+", and it cannot be created", another)
	case isMissing:
		f = fine("there is no home yet at " + home + "; the first prompt creates it")
	case err != nil || !info.IsDir():
		f = failure(home+" is not a usable directory", another)
	case !disk.IsWritable(home):
		f = failure(home+" is not writable", "make it writable, or "+another)
	default:
		f = fine("the home is " + home)
	}
	return []finding{f}
}

func existingAncestor(path string) string {
	for path != filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil {
			return path
		}
		path = filepath.Dir(path)
	}
	return path
}

// configuration reports whether there are configuration files, which were read already.
func configuration(s *app.Session) []finding {
	if len(configurationFiles(s.Home)) == 0 {
		return []finding{fine("there is no configuration file; the defaults apply")}
	}
	return []finding{fine("the configuration can be read")}
}

func configurationFiles(home string) (paths []string) {
	for _, name := range []string{"config.toml", "models.toml"} {
		if path := filepath.Join(home, name); disk.IsTaken(path) {
			paths = append(paths, path)
		}
	}
	return append(paths, contexts.Layout{Home: home}.LocalConfigs()...)
}

// readableKeys finds files that hold the model's key, or logins at MCP servers, and that
// others can read.
func readableKeys(home string) (found []finding) {
	for _, path := range configurationFiles(home) {
		info, err := os.Stat(path)
		if err != nil || !permitsOthers(info, 0o044) || isClosedAbove(path) {
			continue
		}
		text, err := disk.ReadFile(disk.OS{}, path, config.MaxFileBytes)
		if err == nil && config.HoldsKey(text) {
			found = append(found, warning(path+" holds a key and others can read it", "chmod 600 "+term.ShellWord(path)))
		}
	}
	logins := filepath.Join(home, "mcp-tokens.json")
	if info, err := os.Stat(logins); err == nil && permitsOthers(info, 0o044) && !isClosedAbove(logins) {
		found = append(found, warning(logins+" holds logins and others can read it", "chmod 600 "+term.ShellWord(logins)))
	}
	return found
}

const maxTemps = 20

func leftovers(ctx context.Context, s *app.Session) (found []finding) {
	trash, err := s.Host.Trash()
	if err != nil {
		found = append(found, failure(err.Error(), ""))
	}
	for _, path := range trash {
		found = append(found, warning(path+" remains of a context whose deletion was interrupted",
			"the next run removes it"))
	}
	temps, err := s.Host.Temps(ctx)
	if err != nil {
		found = append(found, failure(err.Error(), ""))
	}
	temps = append(temps, disk.OwnTemps(time.Now().Add(time.Second))...)
	for _, path := range temps[:min(len(temps), maxTemps)] {
		found = append(found, warning(path+" was left by a run that was killed, or is being written now",
			"nothing to do: once a day, a run removes such files that are older than a day"))
	}
	if more := len(temps) - maxTemps; more > 0 {
		found = append(found, warning(fmt.Sprintf("%d more temporary files were left by runs that were killed", more), ""))
	}
	return found
}

func openSession(ctx context.Context, e *examination) []finding {
	s, err := e.open(ctx)
	switch {
	case errors.Is(err, os.ErrPermission):
		return []finding{failure(err.Error(), "make it readable: chmod -R u+rX "+term.ShellWord(e.home))}
	case err != nil:
		return []finding{failure(err.Error(), "correct the cause that the error names")}
	}
	e.session = s
	return nil
}

func loadPlugins(ctx context.Context, e *examination) []finding {
	if e.session == nil {
		return nil
	}
	if err := e.session.Load(ctx); err != nil {
		return []finding{failure(err.Error(), "")}
	}
	e.loaded = true
	return nil
}
