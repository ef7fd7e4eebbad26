package urls

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// canonicalHost returns the one spelling of a host, and its address if it is one.
func canonicalHost(host string, inBrackets bool) (string, netip.Addr, error) {
	if inBrackets {
		return canonicalIPv6(host)
	}
	name, err := asciiName(host)
	if err != nil {
		return "", netip.Addr{}, err
	}
	name = strings.TrimSuffix(name, ".")
	if !endsInNumber(name) {
		return name, netip.Addr{}, checkName(name)
	}
	address, err := parseIPv4(name)
	if err != nil {
		return "", netip.Addr{}, err
	}
	return address.String(), address, nil
}

// canonicalIPv6 reads an address in brackets. One that is an IPv4 address becomes that,
// because it is what the system connects to.
func canonicalIPv6(host string) (string, netip.Addr, error) {
	address, err := netip.ParseAddr(host)
	if err != nil || !address.Is6() {
		return "", netip.Addr{}, fmt.Errorf("%.60q is not an IPv6 address", host)
	}
	if address.Zone() != "" {
		return "", netip.Addr{}, errors.New("an address with a zone cannot be fetched")
	}
	address = address.Unmap()
	return address.String(), address, nil
}

// asciiName is a name in lower case, international characters as browsers write them.
func asciiName(host string) (string, error) {
	isASCII := strings.IndexFunc(host, func(r rune) bool { return r >= 0x80 }) < 0
	lower := strings.ToLower(host)
	if isASCII && !strings.Contains(lower, "xn--") {
		return lower, nil
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return "", fmt.Errorf("%.80q is not a host name: %w", host, err)
	}
	if again, err := idna.Lookup.ToASCII(name); err != nil || again != name || !utf8.ValidString(host) {
		return "", fmt.Errorf("%.80q is not a host name", host)
	}
	return name, nil
}

// checkName refuses what resolvers would not take as a name, or not all in the same way.
func checkName(name string) error {
	if name == "" || len(name) > 253 {
		return fmt.Errorf("a host name has 1 to 253 characters, this one %d", len(name))
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, nameCharacters) != "" {
			return fmt.Errorf("%.80q is not a host name", name)
		}
	}
	return nil
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// endsInNumber reports whether browsers read a host as an IPv4 address, or refuse it as a wrong
// one: its last part is a number.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" {
		return false
	}
	_, err := parseNumber(last)
	return err == nil || strings.Trim(last, "0123456789") == ""
}

// parseIPv4 reads an IPv4 address of one to four numbers, decimal, octal or hexadecimal,
// of which the last one fills what the others leave.
func parseIPv4(name string) (netip.Addr, error) {
	wrong := fmt.Errorf("%.80q is neither a host name nor an IPv4 address", name)
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return netip.Addr{}, wrong
	}
	var value uint64
	for i, part := range parts {
		n, err := parseNumber(part)
		left := 4 - i // bytes that are not known yet
		if err != nil || i < len(parts)-1 && n > 255 || i == len(parts)-1 && n >= 1<<(8*left) {
			return netip.Addr{}, wrong
		}
		if i == len(parts)-1 {
			value |= n
		} else {
			value |= n << (8 * (left - 1))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), nil
}

// parseNumber reads a number as in C: 0x means hexadecimal, 0 octal.
func parseNumber(text string) (uint64, error) {
	digits, base := text, 10
	switch {
	case strings.HasPrefix(text, "0x"):
		digits, base = text[2:], 16
		if digits == "" {
			return 0, nil
		}
	case len(text) > 1 && text[0] == '0':
		digits, base = text[1:], 8
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' || strings.Contains(digits, "_") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseUint(digits, base, 64)
}
