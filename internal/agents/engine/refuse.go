package engine

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// refuses says why the agent would not run a handler at an event, or chibi does not; "" if nothing
// is against it.
func refuses(d Dialect, e Event, h Handler, o HookOptions) string {
	switch {
	case e.Handlers != nil && !slices.Contains(e.Handlers, h.Kind):
		return fmt.Sprintf("%s runs no handlers of type %q at %s", d.Title, h.Kind, e.Name)
	case slices.Contains(d.Shape.NotRun, h.Kind):
		return fmt.Sprintf("handlers of type %q ask no model for a verdict in %s; they do not run here", h.Kind, d.Title)
	case h.Kind == HTTPHandler:
		return refusesURL(d, h.URL, o)
	}
	return ""
}

// refusesURL says why an HTTP handler may not have a URL.
func refusesURL(d Dialect, address string, o HookOptions) string {
	at, err := url.Parse(address)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return fmt.Sprintf("%.80q is no URL that begins with http:// or https://", address)
	case o.URLs != nil && !slices.ContainsFunc(o.URLs, func(p string) bool { return likeURL(p, address) }):
		return fmt.Sprintf("%.80q is none of the URLs that %s of %s allows", address, d.Shape.URLs, d.Title)
	case d.Shape.HTTPS == "" || at.Scheme == "https":
		return ""
	case !isLocal(at.Hostname()):
		return d.Title + " posts to https URLs only"
	case o.Runner.Getenv(d.Shape.HTTPS) != "1":
		return fmt.Sprintf("%s posts to https URLs only, unless %s=1 is set and it is this machine", d.Title, d.Shape.HTTPS)
	}
	return ""
}

// likeURL reports whether a URL is what a pattern says, in which * is any text.
func likeURL(pattern, address string) bool {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	like, err := regexp.Compile("^(?s:" + quoted + ")$")
	return err == nil && like.MatchString(address)
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
