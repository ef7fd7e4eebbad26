package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/tools"
)

// refuses says why the agent, or chibi, does not run a handler at an event; "" if both do.
func refuses(d engine.Dialect, e engine.Event, h settings.Handler, o Options) string {
	switch {
	case e.Handlers != nil && !slices.Contains(e.Handlers, h.Kind):
		return fmt.Sprintf("%s runs no handlers of type %q at %s", d.Title, h.Kind, e.Name)
	case slices.Contains(d.Shape.NotRun, h.Kind):
		return fmt.Sprintf("handlers of type %q ask no model for a verdict in %s; they do not run here", h.Kind, d.Title)
	case h.Kind == engine.HTTPHandler:
		return refusesURL(d, h.URL, o)
	}
	return ""
}

// refusesURL says why an HTTP handler may not have a URL.
func refusesURL(d engine.Dialect, address string, o Options) string {
	at, err := url.Parse(address)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return fmt.Sprintf("%.80q is not a URL that begins with http:// or https://", address)
	case o.URLs != nil && !slices.ContainsFunc(o.URLs, func(p string) bool { return likeURL(p, address) }):
		return fmt.Sprintf("%.80q is not one of the URLs that %s of %s allows", address, d.Shape.URLs, d.Title)
	case d.Shape.HTTPS == "" || at.Scheme == "https":
		return ""
	case !isLocal(at.Hostname()):
		return d.Title + " posts to https URLs only"
	case o.Runner.Getenv(d.Shape.HTTPS) != "1":
		return fmt.Sprintf("%s posts to https URLs only, unless %s=1 is set and it is this machine", d.Title, d.Shape.HTTPS)
	}
	return ""
}

// likeURL reports whether a URL matches a pattern, in which * is any text.
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

// Concerning reads a rule of chibi's permissions and returns a function that reports whether the rule is, or may
// be, about a call.
type Concerning func(rule string) (func(spec tools.Spec, arguments json.RawMessage) bool, error)

// condition returns a function that reports whether the rule of a handler is about a moment; nil: the handler has
// no rule.
func condition(h settings.Handler, d engine.Dialect, e engine.Event, read Concerning) (func(engine.Moment) bool,
	error) {
	switch {
	case h.If == "" || !d.Shape.Conditions:
		return nil, nil
	case e.Matches != engine.ToolName:
		return nil, fmt.Errorf("its %q is a rule about calls of tools, so that %s never runs it at %s", "if", d.Title, e.Name)
	case read == nil:
		return nil, errors.New("chibi does not read rules about calls here")
	}
	concerns, err := read(ruleOf(d, h.If))
	if err != nil {
		return nil, fmt.Errorf("if: %q is not a rule: %w", h.If, err)
	}
	return func(m engine.Moment) bool {
		spec := tools.Spec{Name: m.Text(engine.ToolName), Category: tools.Category(m.Text(engine.ToolCategory)),
			Subject: m.Text(engine.ToolSubject)}
		return concerns(spec, m.Values[engine.ToolInput])
	}, nil
}

// ruleOf returns a rule in chibi's names, for the tool's category if it has one other than search.
func ruleOf(d engine.Dialect, text string) string {
	name, specifier, hasSpecifier := strings.Cut(text, "(")
	name = strings.TrimSpace(name)
	ours := d.OursOf([]string{name})[0]
	if c := d.Tools.Ours(name, nil).Category; c != "" && c != tools.CategorySearch {
		ours = string(c)
	}
	if hasSpecifier {
		ours += "(" + specifier
	}
	return ours
}
