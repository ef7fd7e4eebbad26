package command

import "github.com/chibi-host/chibi/hookpoints"

// FindPoint finds the hook point that a person names.
func FindPoint(name string) (hookpoints.Info, error) {
	if info, ok := hookpoints.Find(hookpoints.Name(name)); ok {
		return info, nil
	}
	return hookpoints.Info{}, Usage("there is no hook point %q; chibi hook list names them all", name)
}

// NoPlugin returns the error about a name that no plugin has.
func NoPlugin(name string) error {
	return Usage("there is no plugin %q; chibi plugin list names them all", name)
}

// Powers returns what a plugin can do at a point, in words.
func Powers(info hookpoints.Info) string {
	switch {
	case info.CanDecide() && info.Mode == hookpoints.Chain:
		return "can change, block, ask and allow"
	case info.CanDecide():
		return "can allow, ask and deny"
	case info.CanBlock() && info.Mode != hookpoints.Chain:
		return "can block"
	case info.CanBlock():
		return "can change and block"
	case info.CanChange():
		return "can change"
	}
	return "observes"
}
