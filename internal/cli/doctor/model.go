package doctor

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/llm/openai"
)

func model(_ context.Context, s *app.Session) []finding {
	switch {
	case !s.Config.Configured():
		why, fix := app.ModelOf(s).WhyDemo()
		return []finding{warning(why+"; the built-in demo model answers", fix)}
	case s.Config.Model == "":
		return []finding{failure("no model is configured for "+app.Host(s.Config.BaseURL),
			"set model in "+filepath.Join(s.Home, "config.toml"))}
	}
	return nil
}

const pingTimeout = 15 * time.Second

// modelServer sends a request to the address of the model's server that prompts use.
func modelServer(ctx context.Context, s *app.Session) []finding {
	if !s.Config.Configured() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	client := app.ModelOf(s).Client()
	defer client.Close()
	status, err := client.Ping(ctx)
	if err != nil {
		return []finding{failure(err.Error(), "check base_url and the network")}
	}
	return []finding{serverStatus(s.Config, status)}
}

// serverStatus returns what the HTTP status of the server's answer means.
func serverStatus(c config.Config, status int) finding {
	name, reply := app.Host(c.BaseURL), fmt.Sprintf("%d %s", status, http.StatusText(status))
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return failure(fmt.Sprintf("%s refuses the key (%s)", name, reply),
			"check api_key, or the environment variable that contains it")
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return failure(fmt.Sprintf("%s has no chat completions (%s)", withoutSecrets(openai.Endpoint(c.BaseURL)), reply),
			"check base_url; it usually ends in /v1 or /chat/completions")
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		return warning(fmt.Sprintf("%s can be reached, but does not answer now (%s)", name, reply), "try again later")
	case c.APIKey == "":
		return fine(name + " can be reached; no key is sent to it")
	}
	return fine(name + " can be reached and accepts the key")
}

func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return app.Host(address)
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
