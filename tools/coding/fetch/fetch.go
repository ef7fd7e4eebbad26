// Package fetch holds the tool fetch_url, with which a model reads a URL.
//
// It promises to fetch exactly what the rules saw: the canonical URL, and only the addresses that
// its name had then. The same rules decide about redirects, or it does not follow them.
// It sends nobody's credentials, and bounds every answer in size and time.
package fetch

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools"
)

// The bounds of a fetch. A call can ask for less and, up to the maximum, for more.
const (
	DefaultBytes   = 1 << 20
	MaxBytes       = 8 << 20
	DefaultTimeout = 30 * time.Second
	MaxTimeout     = 10 * time.Minute
)

// Config has everything that fetch_url needs. The zero value can be used.
type Config struct {
	// Tool is the name of the tool that fetches, which errors tell the model to call for a URL
	// that a redirect leads to; "": fetch_url.
	Tool string
	// Version is the version of the program, for the header User-Agent; may be "".
	Version string
	// Follow judges the target of a redirect, in the context of the call; fetch_url does not fetch a target that it does
	// not allow, and the result names it. nil: fetch_url follows only redirects within the host, to public addresses.
	Follow func(ctx context.Context, target tools.Access) (permissions.Judgement, error)
	// Resolver looks up names; nil: [net.DefaultResolver].
	Resolver *net.Resolver
	// Proxy returns the proxy for a request, nil for none; a nil function:
	// [http.ProxyFromEnvironment]. It is not called for addresses on this machine.
	Proxy func(*http.Request) (*url.URL, error)
	// Roots are the authorities that certificates must come from; nil: the authorities of the system.
	Roots *x509.CertPool
}

// New returns the tool fetch_url.
func New(c Config) tools.Tool { return newFetcher(c) }

func newFetcher(c Config) fetcher {
	c.Resolver, c.Tool = cmp.Or(c.Resolver, net.DefaultResolver), cmp.Or(c.Tool, "fetch_url")
	if c.Proxy == nil {
		c.Proxy = http.ProxyFromEnvironment
	}
	return fetcher{c}
}

type fetcher struct{ Config }

var _ tools.Planner = fetcher{}

func (f fetcher) Spec() tools.Spec {
	return tools.Spec{
		Name: "fetch_url",
		Description: "Fetches a URL with GET. The answer begins with the final URL, status, content type and size; " +
			"after an empty line follows the content. Of HTML pages it is the text, with headings, lists and links as in " +
			"Markdown. A redirect to another host may need another call.",
		Parameters: fmt.Appendf(nil, parameters, DefaultBytes, MaxBytes, DefaultTimeout/time.Second, MaxTimeout/time.Second),
		Kind:       tools.Coding, Category: tools.CategoryFetch, Subject: "url", Parallel: true,
	}
}

const parameters = `{"type": "object", "properties": {
"url": {"type": "string", "minLength": 1, "description": "An absolute URL that begins with https:// or http://"},
"max_bytes": {"type": "integer", "minimum": 1, "default": %d, "maximum": %d,
	"description": "How much of the content is read at most"},
"timeout_secs": {"type": "integer", "minimum": 1, "default": %d, "maximum": %d,
	"description": "After so many seconds it ends with what has come"},
"format": {"type": "string", "enum": ["text", "raw"], "default": "text",
	"description": "raw returns HTML as it is, and content that is not text"}
}, "required": ["url"], "additionalProperties": false}`

type arguments struct {
	URL      string `json:"url"`
	MaxBytes *int64 `json:"max_bytes"`
	Timeout  *int64 `json:"timeout_secs"`
	Format   string `json:"format"`
}

// Call plans a call and runs it. Nobody has judged it, so only public addresses are
// fetched, except for what a person names in a call of their own.
func (f fetcher) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	p, err := f.Plan(ctx, call)
	if err != nil {
		return tools.ErrorResult(err), nil
	}
	p.(*plan).first.isJudged = call.ID == ""
	return p.Run(ctx)
}

// Plan reads the arguments and makes the URL canonical. It looks up no name.
func (f fetcher) Plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	var args arguments
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	u, err := urls.Parse(strings.TrimSpace(args.URL))
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	p := &plan{fetcher: f, first: f.newPlace(u), isRaw: args.Format == "raw"}
	if args.Format != "" && args.Format != "raw" && args.Format != "text" {
		return nil, fmt.Errorf("format is %q; want \"text\" or \"raw\"", args.Format)
	}
	if p.most, err = bounded("max_bytes", args.MaxBytes, [2]int64{DefaultBytes, MaxBytes}); err != nil {
		return nil, err
	}
	seconds, err := bounded("timeout_secs", args.Timeout, [2]int64{int64(DefaultTimeout / time.Second),
		int64(MaxTimeout / time.Second)})
	if err != nil {
		return nil, err
	}
	p.timeout = time.Duration(seconds) * time.Second
	return p, nil
}

// bounded returns a number of the arguments, given its default and its maximum.
func bounded(name string, value *int64, bounds [2]int64) (int64, error) {
	switch {
	case value == nil:
		return bounds[0], nil
	case *value < 1 || *value > bounds[1]:
		return 0, fmt.Errorf("%s is %d; want a number from 1 to %d", name, *value, bounds[1])
	}
	return *value, nil
}

type plan struct {
	fetcher
	first   *place
	most    int64 // bytes
	timeout time.Duration
	isRaw   bool
}

func (p *plan) Access() tools.Access { return p.first.access() }

// Close does nothing: a plan holds nothing.
func (p *plan) Close() {}

func (p *plan) Run(ctx context.Context) (tools.Result, error) {
	page, err := p.fetch(ctx)
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case err != nil:
		return tools.ErrorResult(err), nil
	}
	return page.result(), nil
}

// fetch fetches the URL. The time limit includes everything from here on.
func (p *plan) fetch(ctx context.Context) (Page, error) {
	limited, cancel := context.WithTimeoutCause(ctx, p.timeout, errTooLate)
	defer cancel()
	got, err := p.follow(limited)
	if err == nil {
		defer got.close()
		err = p.read(limited, got)
	}
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(context.Cause(limited), errTooLate):
		return Page{}, fmt.Errorf("%s: no answer within %s", p.first.url, p.timeout)
	case err != nil:
		return Page{}, err
	}
	return p.page(got), nil
}

// errTooLate is why a fetch ends that takes too long.
var errTooLate = errors.New("the time limit was reached")
