package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/dustin/go-humanize"
)

// maxErrorBody is how much of the body of an error the model is shown.
const maxErrorBody = 2 << 10

// read reads the body, as far as the limits allow. It keeps everything that came before the time
// was over or the connection broke. An error is for the model.
func (p *plan) read(ctx context.Context, r *response) error {
	if r.StatusCode < 200 || r.StatusCode > 299 {
		return p.readError(r)
	}
	if r.ContentLength > p.most {
		if p.most == MaxBytes {
			return fmt.Errorf("%s has %s; at most %s can be read", r.place.url, size(r.ContentLength), size(MaxBytes))
		}
		return fmt.Errorf("%s has %s, more than max_bytes allows, which is %s; at most %s can be allowed", r.place.url,
			size(r.ContentLength), size(p.most), size(MaxBytes))
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return fmt.Errorf("%s is compressed with %.40q, which was not asked for and cannot be read", r.place.url, coding)
	}
	err := r.take(p.most)
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), errTooLate):
		r.note("the time limit of %s was reached; this is what had come", p.timeout)
	case len(r.body) == 0:
		return fmt.Errorf("reading %s: %w", r.place.url, err)
	default:
		r.note("the rest is missing: %v", err)
	}
	return nil
}

// take reads at most so many bytes of the body.
func (r *response) take(most int64) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if int64(len(body)) > most {
		body = body[:most]
		r.note("only the first %s were read%s", size(most), moreThan(most))
	}
	r.body = body
	return err
}

// moreThan says how much more a call can ask for.
func moreThan(most int64) string {
	if most == MaxBytes {
		return ""
	}
	return fmt.Sprintf("; max_bytes can be up to %s", size(MaxBytes))
}

// readError is the error for an answer with an error status, with the beginning of its body.
func (p *plan) readError(r *response) error {
	text := fmt.Sprintf("%s: %s", r.place.url, status(r.StatusCode))
	_ = r.take(maxErrorBody) // what came is enough
	if body := strings.TrimSpace(p.page(r).Text); body != "" {
		text += "\n" + clip.Bytes(body, maxErrorBody)
	}
	return errors.New(text)
}

// note adds what the model should know about the body.
func (r *response) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// status is a status code with its meaning.
func status(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

func size(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return humanize.Comma(n) + " bytes"
}

// mediaType returns the type of the body and its charset. A server that does not say is
// helped by looking.
func (r *response) mediaType() (kind, charset string) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		kind, parameters, _ = mime.ParseMediaType(http.DetectContentType(r.body))
		parameters["charset"] = "" // a guess
	}
	return kind, strings.ToLower(parameters["charset"])
}

func isHTML(kind string) bool { return kind == "text/html" || kind == "application/xhtml+xml" }
