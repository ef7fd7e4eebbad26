package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/permissions/urls"
)

const maxRedirects = 10

// follow fetches the first place and what it redirects to, as far as that is allowed.
func (p *plan) follow(ctx context.Context) (*response, error) {
	at, seen, known := p.first, map[urls.URL]bool{}, map[string]*place{}
	if err := at.check(ctx); err != nil {
		return nil, err
	}
	for {
		got, err := p.get(ctx, at)
		if err != nil {
			return nil, err
		}
		location := got.Header.Get("Location")
		if !isRedirect(got.StatusCode) || location == "" {
			got.redirects = len(seen)
			return got, nil
		}
		got.close()
		seen[at.url] = true
		target, err := at.url.Join(location)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s redirects to %.200q, which is not fetched: %w", at.url, location, err)
		case seen[target]:
			return nil, fmt.Errorf("%s redirects in a circle, by way of %s", p.first.url, target)
		case len(seen) > maxRedirects:
			return nil, fmt.Errorf("%s redirects more than %d times, now to %s", p.first.url, maxRedirects, target)
		}
		to := p.newPlace(target)
		known[at.url.Host()] = at
		if before := known[target.Host()]; before != nil { // what was looked up stays true
			to.addresses, to.wrong = before.addresses, before.wrong
		}
		if err := p.mayFollow(ctx, at, to); err != nil {
			return nil, err
		}
		at = to
	}
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return true
	}
	return false
}

// mayFollow says why the place to which a redirect leads may not be fetched, nil if it may.
// An undecided one is followed where the decision about the first URL holds.
func (p *plan) mayFollow(ctx context.Context, from, to *place) error {
	j, err := p.judge(ctx, to)
	isCovered := j.Decision == permissions.Undecided && isSameSite(p.first.url, to.url) && !to.target().IsSensitive()
	if err != nil || isCovered || j.Decision == permissions.Allow {
		return cmp.Or(err, to.check(ctx))
	}
	why := "no rule allows that without a question; call " + p.Tool + " with this URL to ask"
	if j.Decision == permissions.Deny {
		why = "it is denied by " + j.By
	}
	if j.Reason != "" {
		why = j.Reason + "; " + why
	}
	return fmt.Errorf("%s redirects to %s, which was not fetched: %s", from.url, to.url, why)
}

// judge asks whoever judges redirects.
func (p *plan) judge(ctx context.Context, to *place) (permissions.Judgement, error) {
	if p.Follow == nil {
		return permissions.Judgement{}, nil
	}
	return p.Follow(ctx, to.access())
}

// isSameSite reports whether a redirect stays where the decision about the first URL
// holds: at the same scheme, host and port, or from http to https at their own ports.
func isSameSite(first, target urls.URL) bool {
	return first.Origin() == target.Origin() ||
		first.Host() == target.Host() && first.Scheme() == "http" && first.Port() == "80" && target.Scheme() == "https" &&
			target.Port() == "443"
}
