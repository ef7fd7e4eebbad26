package storage

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/usage"
	"github.com/chibi-host/chibi/store"
)

// ErrPlain is the error of the plain program for a store other than files.
var ErrPlain = errors.New("this build keeps files only; chibi-cluster has NATS and PostgreSQL, see " +
	"docs/operating/CLUSTER.md; " +
	"go install github.com/chibi-host/chibi/cluster/cmd/chibi-cluster@latest installs it")

// clusterSchemes are the schemes of URLs for which chibi-cluster has an engine.
func clusterSchemes() []string { return []string{"nats", "postgres", "postgresql", "tls"} }

// Driver returns the engine for the place. The error says which URLs there are engines for.
func (p Place) Driver() (store.Driver, error) {
	scheme, _, isURL := strings.Cut(p.URL, "://")
	scheme = strings.ToLower(scheme)
	if d, ok := p.Sharing.drivers[scheme]; isURL && ok {
		return d, nil
	}
	wrong := fmt.Errorf(`want "files" or a URL such as "nats://HOST:4222/HOME"`)
	switch known := slices.Sorted(maps.Keys(p.Sharing.drivers)); {
	case !isURL:
	case len(known) > 0:
		wrong = fmt.Errorf("there is no engine for %q; there are: %s", scheme, strings.Join(known, ", "))
	case slices.Contains(clusterSchemes(), scheme):
		wrong = ErrPlain
	default:
		wrong = fmt.Errorf("there is no engine for %q; chibi-cluster has some for: %s", scheme,
			strings.Join(clusterSchemes(), ", "))
	}
	return store.Driver{}, usage.Error{Err: fmt.Errorf("store %q: %w", p.Shown, wrong)}
}

// plainError is an error whose text was changed for people.
type plainError struct {
	text string
	err  error
}

// Error returns the text.
func (e *plainError) Error() string { return e.text }

// Unwrap returns the error that the text is about.
func (e *plainError) Unwrap() error { return e.err }

// notOpened returns the error for a store that could not be opened: what to do about it, and
// nothing that is secret. A problem that waiting cannot mend is a [usage.Error].
func (p Place) notOpened(err error) error {
	said := p.withoutSecrets(err.Error())
	if !strings.HasPrefix(said, "store ") { // engines name it themselves
		said = fmt.Sprintf("store %q: %s", p.Shown, said)
	}
	switch {
	case errors.Is(err, store.ErrUnavailable):
		said += "; nothing was sent to the model, and nothing is lost; check the servers and the network, and try again"
		return &plainError{said, err}
	case errors.Is(err, store.ErrNotFound) && !strings.Contains(said, "store init"):
		said += "; chibi store init makes it"
	}
	return usage.Error{Err: &plainError{said, err}}
}

// withoutSecrets returns a text without the URL of the store and what opens it.
func (p Place) withoutSecrets(text string) string {
	text = strings.ReplaceAll(text, p.URL, p.Shown)
	for _, secret := range p.Secrets {
		text = withoutSecret(text, secret)
	}
	return text
}

// shortSecret is the length from which a secret does not occur in ordinary words by chance, in bytes.
const shortSecret = 6

// withoutSecret hides a secret in a text. A short one is hidden where it stands as one: a text in which
// each of its letters is missing says nothing any more, and tells the letter.
func withoutSecret(text, secret string) string {
	if len(secret) >= shortSecret {
		return strings.ReplaceAll(text, secret, "***")
	}
	if secret == "" {
		return text
	}
	for _, around := range [][2]string{{":", "@"}, {"password=", ""}, {`"`, `"`}, {"'", "'"}} {
		text = strings.ReplaceAll(text, around[0]+secret+around[1], around[0]+"***"+around[1])
	}
	return text
}
