package fetch

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools"
)

// Page is what a URL has.
type Page struct {
	// URL is the final URL, From the one that redirected to it, "" if none did.
	URL, From string
	// Status is the status with its meaning, such as "200 OK", Type the media type.
	Status, Type string
	// Bytes is how much came.
	Bytes int64
	// Title is the title of a page, "" if it has none.
	Title string
	// Notes are remarks about the content, such as which part of it is missing.
	Notes []string
	// Text is the content, "" for what is not text. IsText is true for no content too.
	Text   string
	IsText bool
}

// Content is the fetch of the content of a URL that is planned, for tools that do something
// with the content. It is used like a [tools.Plan].
type Content struct{ plan plan }

// PlanContent plans the fetch of a URL of which at most [MaxBytes] are read, in
// [DefaultTimeout] at most. It looks up no name. An error says what is wrong with the URL.
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

// Access describes what would be fetched.
func (c *Content) Access() tools.Access { return c.plan.Access() }

// Fetch fetches it, once. An error says why there is no content.
func (c *Content) Fetch(ctx context.Context) (Page, error) { return c.plan.fetch(ctx) }
