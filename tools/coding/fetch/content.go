package fetch

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools"
)

// Page is the page at a URL.
type Page struct {
	// URL is the final URL, From the one that redirected to it, "" if none did.
	URL, From string
	// Status is the status with its meaning, such as "200 OK", Type the media type.
	Status, Type string
	// Bytes counts the received bytes.
	Bytes int64
	// Title is the title of a page, "" if it has none.
	Title string
	// Notes are remarks about the content, such as which part of it is missing.
	Notes []string
	// Text is the content, "" for content that is not text. IsText is also true without content.
	Text   string
	IsText bool
}

// Content is a planned fetch of a URL's content, for tools that do something with the
// content. It is used like a [tools.Plan].
type Content struct{ plan plan }

// PlanContent plans the fetch of a URL, at most [MaxBytes] of it in at most
// [DefaultTimeout]. It looks up no name. An error says what is wrong with the URL.
func PlanContent(c Config, address string) (*Content, error) {
	u, err := urls.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	f := newFetcher(c)
	return &Content{plan{fetcher: f, first: f.newPlace(u), most: MaxBytes, timeout: DefaultTimeout}}, nil
}

// MeantByPerson says that a person named the URL in a call of their own, so that nobody has to
// judge it.
func (c *Content) MeantByPerson() { c.plan.first.isJudged = true }

// Access describes the fetch.
func (c *Content) Access() tools.Access { return c.plan.Access() }

// Fetch fetches it, once. An error says why there is no content.
func (c *Content) Fetch(ctx context.Context) (Page, error) { return c.plan.fetch(ctx) }
