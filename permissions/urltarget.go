package permissions

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools"
)

// Target is where a fetch leads, for hooks and the person.
type Target struct {
	// Host is the name or the address in the URL.
	Host string
	// Class is the kind of address that the host has; of several addresses the first
	// that is not public; "" if there is no URL, or its name was not looked up, as for
	// tools of plugins.
	Class urls.Class
	// Reason says why an address is sensitive; "" for others.
	Reason string

	url     urls.URL
	classes []urls.Class // of all addresses; public while that is not known
}

// IsSensitive reports whether the address is known and not public.
func (t Target) IsSensitive() bool { return t.Class != "" && t.Class != urls.Public }

// TargetOf returns where a call leads, as far as it is known. The URL of a tool that
// does not make it canonical is read as if it did.
func TargetOf(a tools.Access) Target {
	if a.URL == "" {
		return Target{}
	}
	u, _ := urls.Parse(a.URL)
	t := Target{Host: u.Host(), url: u}
	if class := u.Class(); class != urls.Unresolved {
		t.add(class, u.Address())
	}
	for _, address := range a.Addresses {
		t.add(urls.ClassOf(address), address)
	}
	switch {
	case len(t.classes) > 0:
	case a.Addresses != nil:
		t.add(urls.Unresolved, netip.Addr{})
	default:
		t.classes = []urls.Class{urls.Public}
	}
	return t
}

func (t *Target) add(class urls.Class, address netip.Addr) {
	t.classes = append(t.classes, class)
	if t.IsSensitive() {
		return
	}
	t.Class = class
	switch {
	case class == urls.Public:
	case class == urls.Unparseable:
		t.Reason = "chibi cannot read the URL"
	case class == urls.Unresolved:
		t.Reason = fmt.Sprintf("chibi does not know the address of %s", t.Host)
	case address.IsValid() && address.String() != t.Host:
		t.Reason = fmt.Sprintf("%s has the address %s (%s)", t.Host, address, class)
	default:
		t.Reason = fmt.Sprintf("%s is not a public address (%s)", t.Host, class)
	}
}

// NameOpens reports whether a permission for the host by its name, such as a rule for a
// domain without a *, is one for the addresses that it has; where it is not known yet,
// whether it may be. A permission for more than one name opens public addresses only,
// see [Target.IsSensitive].
func (t Target) NameOpens() bool {
	return !slices.ContainsFunc(t.classes, func(class urls.Class) bool { return !urls.NameOpens(t.url, class) })
}
