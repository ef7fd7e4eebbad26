package builtin

import (
	"path/filepath"
	"strings"
)

// resolve turns a path from the model into one that may be read. What is not
// allowed is refused in the same words whether it exists or not.
func (f Files) resolve(path string) (string, error) {
	if len(f.Allowed) == 0 {
		return "", complaint("File path access is not allowed. Use cache_id to access cached tool outputs, or configure file_tools_allowed_paths.")
	}
	refused := complaintf("Path '%s' is not under any allowed path. Allowed: %v", path, f.Allowed)
	absolute, err := filepath.Abs(f.expand(path))
	if err != nil {
		return "", refused
	}
	real, err := filepath.EvalSymlinks(absolute)
	isMissing := err != nil
	if isMissing {
		real = absolute
	}
	for _, allowed := range f.Allowed {
		root, err := filepath.Abs(f.expand(allowed))
		if err != nil {
			continue
		}
		if target, err := filepath.EvalSymlinks(root); err == nil && !isMissing {
			root = target
		}
		if real != root && !strings.HasPrefix(real, strings.TrimSuffix(root, "/")+"/") {
			continue
		}
		if isMissing {
			return "", complaintf("Could not resolve path '%s': no such file", path)
		}
		return real, nil
	}
	return "", refused
}

// expand replaces a leading ~ by the home folder.
func (f Files) expand(path string) string {
	if path == "~" {
		return f.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(f.Home, rest)
	}
	return path
}
