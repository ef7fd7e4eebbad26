package mcp

import (
	"fmt"
	"mime"
	"net/http"

	"github.com/chibi-host/chibi/tools/mcp/internal/web"
)

// maxStream bounds a stream of messages, after decompression: it has what a call reports of
// its progress.
const maxStream = 64 << 20

// protocolHeader tells a server which version of the protocol a request is in.
const protocolHeader = "Mcp-Protocol-Version"

func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if web.Origin(req.URL) != g.origin {
		return nil, &refusal{"chibi refused a request to another host than the host of its url"}
	}
	req = req.Clone(req.Context())
	for name, values := range g.headers {
		if req.Header.Get(name) == "" { // what the protocol sets stays
			req.Header[name] = values
		}
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "chibi")
	}
	// The SDK tells its own connection which version was agreed on, but not one inside of a wire.
	if version := g.protocol(); version != "" && req.Header.Get(protocolHeader) == "" {
		req.Header.Set(protocolHeader, version)
	}
	res, err := g.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := g.judge(req, res); err != nil {
		res.Body.Close()
		return nil, err
	}
	res.Body = g.bounded(res)
	return res, nil
}

// judge says why an answer is not used, nil if it is.
func (g *guard) judge(req *http.Request, res *http.Response) error {
	kind := mediaType(res)
	switch to := web.Redirect(res); {
	case to != "":
		return &refusal{fmt.Sprintf("it redirects to %s, which is not followed, so that calls and keys are not sent "+
			"elsewhere; if that address is right, make it the url of the server", to)}
	case g.isRefusedAgain(req, res):
		return &LoginError{Server: g.server.Name, Reason: "it does not accept its token"}
	case res.StatusCode == http.StatusUnauthorized && !g.isAuthorized:
		return &refusal{"it answered 401 Unauthorized: check the headers of the server"}
	case req.Method == http.MethodPost && res.StatusCode/100 == 2 &&
		(kind == "text/html" || kind == "application/xhtml+xml"):
		return &refusal{fmt.Sprintf("it answered with a web page (%s) where MCP was expected: check the url of the "+
			"server; it may also be the page of a login or a proxy", kind)}
	}
	return nil
}

// isRefusedAgain reports whether an answer is 401 right after another one for another token:
// that was refreshed, and is not accepted either.
func (g *guard) isRefusedAgain(req *http.Request, res *http.Response) bool {
	token := req.Header.Get("Authorization")
	if res.StatusCode != http.StatusUnauthorized || token == "" {
		g.refused.Store(nil)
		return false
	}
	before := g.refused.Swap(&token)
	return before != nil && *before != token
}

func mediaType(res *http.Response) string {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // "" for what cannot be read
	return kind
}

// bounded is the body of an answer up to its bound.
func (g *guard) bounded(res *http.Response) *web.Body {
	most := int64(maxMessage)
	if mediaType(res) == "text/event-stream" {
		most = maxStream
	}
	return &web.Body{ReadCloser: res.Body, Left: most, Beyond: func() error {
		r := &refusal{fmt.Sprintf("its answer has more than %d MiB", most>>20)}
		g.beyond.Store(r)
		return r
	}}
}
