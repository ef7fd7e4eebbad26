package trace

import "strings"

// shape is a kind of key with a well-known prefix. match returns how many bytes at
// the beginning of a text are such a key, and how many of those are not secret; 0,
// 0 if there is no such key.
type shape struct {
	prefix string
	match  func(text string) (keep, end int)
}

// shapes finds keys in texts, in one pass and without regular expressions.
type shapes struct{ first [256][]shape }

func newShapes() *shapes {
	s := &shapes{}
	s.add("sk-", 8, isKeyByte)
	for _, prefix := range []string{
		"sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_",
		"glpat-", "gldt-", "gsk_",
		"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-", "xai-", "hf_", "npm_", "pypi-", "shpat_",
		"dop_v1_", "ya29.", "SG.",
	} {
		s.add(prefix, 8, isKeyByte)
	}
	for _, prefix := range []string{"AKIA", "ASIA", "AIza", "AGE-SECRET-KEY-1"} {
		s.add(prefix, 12, isKeyByte)
	}
	s.put(shape{"eyJ", matchJWT})
	s.put(shape{"-----BEGIN ", matchPEM})
	s.put(shape{"-----END ", nil})
	for _, scheme := range []string{"b", "B"} {
		s.put(shape{scheme, func(text string) (keep, end int) { return tokenAfter(text, "bearer") }})
	}
	for _, header := range []string{"a", "A", "p", "P"} {
		s.put(shape{header, matchAuthorization})
	}
	s.put(shape{"://", matchUserInfo})
	s.put(shape{"?", matchParameter})
	s.put(shape{"&", matchParameter})
	return s
}

func (s *shapes) put(sh shape) { s.first[sh.prefix[0]] = append(s.first[sh.prefix[0]], sh) }

// add adds keys that consist of a prefix and at least so many more bytes.
func (s *shapes) add(prefix string, least int, is func(byte) bool) {
	s.put(shape{prefix, func(text string) (int, int) {
		if end := run(text, len(prefix), is); end-len(prefix) >= least {
			return 0, end
		}
		return 0, 0
	}})
}

func (s *shapes) hide(text string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		candidates := s.first[text[i]]
		if candidates == nil || !begins(text, i) {
			continue
		}
		for _, sh := range candidates {
			if !strings.HasPrefix(text[i:], sh.prefix) || i > 0 && isJoined(text[i-1], sh) {
				continue
			}
			from, to := i, i
			if sh.match == nil {
				from, to = i-bodyBefore(text[done:i]), i // the end of a block whose beginning was cut off
			} else if keep, end := sh.match(text[i:]); end > 0 {
				from, to = i+keep, i+end
			}
			if to > from {
				b.WriteString(text[done:from])
				b.WriteString(redacted)
				done = to
				i = max(i, to-1)
				break
			}
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// isJoined reports whether the prefix of a JWT follows a byte that JWTs can
// contain. Such a prefix is skipped: a long base64 text may have many of them, and
// trying each would take quadratic time.
func isJoined(before byte, sh shape) bool {
	return sh.prefix == "eyJ" && (before == '-' || before == '_')
}

// begins reports whether a key may begin at i: no letter or digit precedes it, except
// at the end of an escape such as \n or \u0022.
func begins(text string, i int) bool {
	if i == 0 || !isAlnum(text[i-1]) || !isAlnum(text[i]) {
		return true
	}
	if i >= 2 && text[i-2] == '\\' && strings.IndexByte("nrtbf", text[i-1]) >= 0 {
		return true
	}
	return i >= 6 && text[i-6] == '\\' && text[i-5] == 'u'
}

// run returns where the bytes of a kind that begin at i end. Escapes of JSON count
// as what they stand for.
func run(text string, i int, is func(byte) bool) int {
	for i < len(text) {
		c, width := text[i], 1
		if c == '\\' && i+1 < len(text) {
			c, width = unescaped(text[i:])
		}
		if !is(c) {
			return i
		}
		i += width
	}
	return i
}

// unescaped returns the ASCII character that an escape stands for, 0 if none.
func unescaped(text string) (c byte, width int) {
	switch {
	case text[1] == '/':
		return '/', 2
	case len(text) >= 6 && strings.HasPrefix(text, `\u00`):
		high, low := strings.IndexByte(hexDigits, text[4]|0x20), strings.IndexByte(hexDigits, text[5]|0x20)
		if high >= 0 && low >= 0 {
			return byte(high<<4 | low), 6
		}
	}
	return 0, 2
}

const hexDigits = "0123456789abcdef"

func isAlnum(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 26 }

func isKeyByte(c byte) bool { return isAlnum(c) || c == '-' || c == '_' || c == '.' }

func isTokenByte(c byte) bool { return isKeyByte(c) || strings.IndexByte("~+/=", c) >= 0 }

func isBase64(c byte) bool {
	return isAlnum(c) || strings.IndexByte("+/=\r\n \t", c) >= 0
}

// matchJWT finds three parts in base64, the first one beginning with {" .
func matchJWT(text string) (keep, end int) {
	part := func(c byte) bool { return isAlnum(c) || c == '-' || c == '_' }
	header := run(text, 0, part)
	if header < 8 || header >= len(text) || text[header] != '.' {
		return 0, 0
	}
	claims := run(text, header+1, part)
	if claims-header < 4 {
		return 0, 0
	}
	if claims < len(text) && text[claims] == '.' {
		return 0, run(text, claims+1, part)
	}
	return 0, claims
}

// matchPEM finds a block, up to its end or the end of the text.
func matchPEM(text string) (keep, end int) {
	const last = "-----END "
	i := strings.Index(text, last)
	if i < 0 {
		return 0, len(text)
	}
	i += len(last)
	if dashes := strings.Index(text[i:], "-----"); dashes >= 0 && dashes < 64 {
		return 0, i + dashes + 5
	}
	return 0, i
}

func bodyBefore(text string) int {
	n := 0
	for n < len(text) && isBase64(text[len(text)-1-n]) {
		n++
	}
	return n
}

func matchAuthorization(text string) (keep, end int) {
	name := "authorization:"
	if proxy := "proxy-"; hasFold(text, proxy) {
		name = proxy + name
	}
	if !hasFold(text, name) {
		return 0, 0
	}
	value := name + text[len(name):run(text, len(name), isSpace)]
	for _, scheme := range []string{"bearer", "basic", "token"} {
		if hasFold(text[len(value):], scheme+" ") {
			value += scheme
		}
	}
	return tokenAfter(text, value)
}

func tokenAfter(text, begin string) (keep, end int) {
	if !hasFold(text, begin) {
		return 0, 0
	}
	keep = run(text, len(begin), isSpace)
	end = run(text, keep, isTokenByte)
	isApart := keep > len(begin) || strings.HasSuffix(begin, ":")
	if isApart && end-keep >= shortest {
		return keep, end
	}
	return 0, 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func hasFold(text, begin string) bool {
	return len(text) >= len(begin) && strings.EqualFold(text[:len(begin)], begin)
}

func matchUserInfo(text string) (keep, end int) {
	host := text[3:]
	if stop := strings.IndexAny(host, "/?# \t\r\n\"'<>\\"); stop >= 0 {
		host = host[:stop]
	}
	at := strings.LastIndexByte(host, '@')
	colon := strings.IndexByte(host, ':')
	if at < 0 || colon < 0 || colon > at {
		return 0, 0
	}
	return 3 + colon + 1, 3 + at
}

// matchParameter finds the value of a parameter of an address whose name says that
// it is a secret.
func matchParameter(text string) (keep, end int) {
	name := run(text, 1, isKeyByte)
	if name >= len(text) || text[name] != '=' {
		return 0, 0
	}
	for _, secret := range []string{"key", "token", "secret", "password", "signature", "sig", "credential"} {
		if n := name - len(secret); n >= 1 && strings.EqualFold(text[n:name], secret) {
			value := func(c byte) bool { return isTokenByte(c) || c == '%' }
			return name + 1, run(text, name+1, value)
		}
	}
	return 0, 0
}

const redacted = "[redacted]"

// shortest is the length of the shortest secret: shorter ones would match ordinary
// words.
const shortest = 6
