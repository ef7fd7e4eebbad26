package mcpserve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
)

const (
	// minToken is how long a token is at least that somebody else has chosen, and maxToken
	// how much of its file is read, in bytes.
	minToken = 16
	maxToken = 4 << 10
)

// NewToken returns a token that nobody can guess.
func NewToken() string { return rand.Text() }

// ReadToken reads a token from a file that nobody else may read.
func ReadToken(path string) (string, error) {
	text, err := disk.ReadPrivate(path, maxToken)
	if err != nil {
		return "", err
	}
	if err := CheckToken(strings.TrimSpace(string(text))); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// CheckToken reports what is wrong with a token that somebody has chosen.
func CheckToken(token string) error {
	switch {
	case len(token) < minToken:
		return fmt.Errorf("the token is shorter than %d characters; make one with: openssl rand -hex 32", minToken)
	case strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }):
		return errors.New("the token has spaces, or characters that are not ASCII; make one with: openssl rand -hex 32")
	}
	return nil
}
