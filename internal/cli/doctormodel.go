package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/llm/openai"
)

// model looks at the model's configuration, and asks its server if that is
// wanted.
func (d *doctor) model(ctx context.Context, online bool) {
	switch {
	case !d.Config.Configured():
		why, do := app.WhyDemo(d.Session)
		d.add("warning", why+"; the built-in demo model answers", do)
		return
	case d.Config.Model == "":
		d.add("error", "no model is named for "+app.Host(d.Config.BaseURL), "set model in "+
			filepath.Join(d.home, "config.toml"))
	}
	if online {
		d.server(ctx)
	}
}

// server asks the model's server, where prompts ask it.
func (d *doctor) server(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	client := app.ModelClient(d.Session)
	defer client.Close()
	status, err := client.Ping(ctx)
	if err != nil {
		d.add("error", err.Error(), "check base_url and the network")
		return
	}
	name, said := app.Host(d.Config.BaseURL), fmt.Sprintf("%d %s", status, http.StatusText(status))
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		d.add("error", fmt.Sprintf("%s refuses the key (%s)", name, said),
			"check api_key, or the variable that it comes from")
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		endpoint := withoutSecrets(openai.Endpoint(d.Config.BaseURL))
		d.add("error", fmt.Sprintf("%s has no chat completions (%s)", endpoint, said),
			"check base_url; it ends in /v1 or /chat/completions as a rule")
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		d.add("warning", fmt.Sprintf("%s can be reached and does not answer now (%s)", name, said), "try again later")
	case d.Config.APIKey == "":
		d.add("ok", name+" can be reached; no key is sent to it", "")
	default:
		d.add("ok", name+" can be reached and takes the key", "")
	}
}

// withoutSecrets is an address without what may be a secret in it.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return app.Host(address)
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
