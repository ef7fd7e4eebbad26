package fetch_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding/fetch"
	"golang.org/x/net/dns/dnsmessage"
)

// serve starts a server on loopback and returns its port.
func serve(t *testing.T, handler http.HandlerFunc) (port string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL[strings.LastIndexByte(server.URL, ':')+1:]
}

// says answers everything with a text of a type.
func says(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, text)
	}
}

// names is a server of names on loopback: each question for a name is answered with the
// next of its addresses, the last one again and again.
type names struct {
	mu      sync.Mutex
	answers map[string][]string // addresses, several with spaces in between
	asked   []string
}

// resolver starts the server and returns what asks it.
func (n *names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		for buffer := make([]byte, 1500); ; {
			size, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			conn.WriteTo(n.answer(buffer[:size]), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// lookups lists the names that were looked up.
func (n *names) lookups() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.asked)
}

// answer makes the answer to a question. Only those for IPv4 take one from the list.
func (n *names) answer(question []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	name := strings.TrimSuffix(q.Name.String(), ".")
	list := n.answers[name]
	if len(list) == 0 {
		m.RCode = dnsmessage.RCodeNameError
	}
	if len(list) > 0 && q.Type == dnsmessage.TypeA {
		n.asked = append(n.asked, name)
		if len(list) > 1 {
			n.answers[name] = list[1:]
		}
	}
	for _, text := range strings.Fields(strings.Join(list[:min(1, len(list))], "")) {
		address := netip.MustParseAddr(text)
		head := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}
		switch {
		case address.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head,
				Body: &dnsmessage.AResource{A: address.As4()}})
		case address.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head,
				Body: &dnsmessage.AAAAResource{AAAA: address.As16()}})
		}
	}
	packed, _ := m.Pack()
	return packed
}

// noProxy is for tests, whatever their environment says.
func noProxy(*http.Request) (*url.URL, error) { return nil, nil }

// rules is a policy that asks about every fetch that no list of URLs knows.
type rules struct{}

func (rules) Judge(permissions.Call) permissions.Judgement { return permissions.Judgement{} }
func (rules) Default(permissions.Call) permissions.Judgement {
	return permissions.Judgement{Decision: permissions.Ask, By: "the default for fetch"}
}
func (rules) RuleFor(permissions.Call) string { return "" }

// user is a person's setup: lists of URLs, and the tool as the program wires it.
type user struct {
	gate *permissions.Gate
	tool tools.Planner
}

func noHooks(context.Context) (permissions.Judgement, error) { return permissions.Judgement{}, nil }

// setUp returns a setup where these entries of [url_policy] allow.
func setUp(t *testing.T, c fetch.Config, allow ...string) user {
	t.Helper()
	var s permissions.URLSettings
	for _, text := range allow {
		s.Allow = append(s.Allow, permissions.Written{Text: text})
	}
	lists, err := permissions.NewURLPolicy(s)
	if err != nil {
		t.Fatal(err)
	}
	gate := &permissions.Gate{Policy: permissions.WithURLs(rules{}, lists)}
	if c.Proxy == nil {
		c.Proxy = noProxy
	}
	c.Follow = func(ctx context.Context, target tools.Access) (permissions.Judgement, error) {
		return gate.Follow(ctx, permissions.Call{Access: target}, noHooks)
	}
	return user{gate, fetch.New(c).(tools.Planner)}
}

// fetch makes a call as the agent does: plan, decide, run.
func (u user) fetch(t *testing.T, arguments string) tools.Result {
	t.Helper()
	call := tools.Call{Arguments: []byte(arguments)}
	plan, err := u.tool.Plan(t.Context(), call)
	if err != nil {
		return tools.Result{Text: "Error: " + err.Error(), Failed: true}
	}
	defer plan.Close()
	j, err := u.gate.Decide(t.Context(), permissions.Call{Tool: u.tool.Spec(), Access: plan.Access()},
		permissions.Hooks{Judge: noHooks})
	if err != nil {
		t.Fatal(err)
	}
	if j.Decision != permissions.Allow {
		return tools.Result{Text: "Permission denied: " + j.Reason, Failed: true}
	}
	result, err := plan.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// get fetches a URL without further arguments.
func (u user) get(t *testing.T, address string) tools.Result {
	t.Helper()
	return u.fetch(t, fmt.Sprintf(`{"url": %q}`, address))
}
