package config

import (
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// Files is the value of the key store that means the files of the home.
const Files = "files"

// StoreVariable names the variable with the URL of the store. The URL may have a password.
const StoreVariable = "CHIBI_STORE"

// The defaults of a store's options.
const (
	defaultStoreTimeout = 30 * time.Second
	defaultStoreLease   = 30 * time.Second
)

// Store says where chibi keeps contexts, and how to reach that place.
type Store struct {
	// URL names a store that machines share; "": the files of the home.
	URL string
	// Credentials and CA are paths; "": none, and the system's certificates.
	Credentials, CA string
	// Timeout is how long an operation is repeated, Lease how long a lease lasts without
	// renewal.
	Timeout, Lease time.Duration
}

// Global is a home's config.toml as it was read once. The zero value is for a home
// without one.
type Global struct{ source source }

// ReadGlobal reads config.toml of a home. A missing file is not an error.
func ReadGlobal(home string) (Global, error) {
	s, err := readSource(filepath.Join(home, "config.toml"))
	return Global{s}, err
}

// Store returns where contexts are kept: where the flag says, nil if it is not given, else
// $CHIBI_STORE, else the file. Nothing else of the file is looked at, so that a home of files
// can be read while there is a mistake in it.
func (g Global) Store(flag *string, env func(string) string) (Store, error) {
	place := Store{Timeout: defaultStoreTimeout, Lease: defaultStoreLease}
	if g.namesStore() {
		c, err := fields{}.layered(g.source)
		if err != nil {
			return place, err
		}
		place = c.storePlace()
	}
	if url := env(StoreVariable); url != "" {
		place.URL = url
	}
	if flag != nil {
		place.URL = *flag
	}
	if place.URL == Files {
		place.URL = ""
	}
	if path := env("CHIBI_STORE_CREDENTIALS"); path != "" {
		place.Credentials = path
	}
	return place, nil
}

// storePlace returns what the configuration says about the store.
func (c Config) storePlace() Store {
	return Store{
		URL: c.Store, Credentials: c.StoreCredentials, CA: c.StoreCA,
		Timeout: time.Duration(c.StoreTimeoutMS) * time.Millisecond,
		Lease:   time.Duration(c.StoreLeaseSeconds) * time.Second,
	}
}

// namesStore reports whether the file has a key about the store.
func (g Global) namesStore() bool {
	for key := range g.source.tree {
		if key = strings.ToLower(key); key == "store" || strings.HasPrefix(key, "store_") {
			return true
		}
	}
	return false
}

// hidden stands for a part of a URL that is not shown.
const hidden = "***"

// WithoutSecrets returns a URL without what may be secret in it: the password, or all before the
// host where that can be a token, and the values of the query but for those that say what is
// connected to. A text that is no URL is returned as it is.
func WithoutSecrets(text string) string {
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		return text
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 { // a password may have any character
		rest = shownUser(scheme, rest[:at]) + rest[at:]
	}
	rest, query, hasQuery := strings.Cut(rest, "?")
	if hasQuery {
		rest += "?" + withoutValues(query)
	}
	return scheme + "://" + rest
}

// shownUser is the part of the text before the host that chibi shows: the name of a user, by which a
// person sees who was refused. A text there without a password is a name in the URLs of PostgreSQL only.
func shownUser(scheme, text string) string {
	user, _, hasPassword := strings.Cut(text, ":")
	isOther := func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.%+", c))
	}
	switch {
	case user == "" || strings.ContainsFunc(user, isOther):
		return hidden
	case hasPassword:
		return user + ":" + hidden
	case strings.HasPrefix(scheme, "postgres"):
		return user
	}
	return hidden
}

// withoutValues returns a query with its names, and only such values as cannot be secret.
func withoutValues(query string) string {
	var shown []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, hasValue := strings.Cut(pair, "=")
		if hasValue && name != "home" && name != "sslmode" {
			pair = name + "=" + hidden
		}
		shown = append(shown, pair)
	}
	return strings.Join(shown, "&")
}

// OpensStore reports whether a URL has something that opens the store: secrets, or a text before
// the host that may be a secret.
func OpensStore(text string) bool {
	_, err := url.Parse(text)
	return len(StoreSecrets(text)) > 0 || err != nil && WithoutSecrets(text) != text
}

// StoreSecrets lists what opens the store at a URL: passwords, or a token in the place of a
// user, as NATS takes one.
func StoreSecrets(text string) (list []string) {
	address, err := url.Parse(text)
	if err != nil {
		return nil
	}
	if password, ok := address.User.Password(); ok {
		list = append(list, password)
	} else if address.User != nil && !strings.HasPrefix(address.Scheme, "postgres") {
		list = append(list, address.User.Username())
	}
	for name, values := range address.Query() {
		if strings.Contains(strings.ToLower(name), "password") {
			list = append(list, values...)
		}
	}
	return list
}
