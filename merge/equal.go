package merge

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Equal reports whether two texts are the same JSON value. The order of keys and
// white space do not matter; numbers are compared by their exact value, so
// that 1.0 equals 1 and no large number is rounded. Text that is not JSON
// equals nothing.
func Equal(a, b []byte) bool {
	return valid(a) && valid(b) && equal(gjson.ParseBytes(a), gjson.ParseBytes(b))
}

// decimal is a number in one spelling: digits without outer zeros, times ten to
// the exponent. Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exponent int64
	text     string // instead, where the exponent is beyond all reason
}

// parseDecimal reads a JSON number. Its cost does not depend on the exponent.
func parseDecimal(number string) decimal {
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	exponent, err := strconv.ParseInt(power, 10, 32)
	if err != nil && power != "" {
		return decimal{text: number}
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= int64(len(fraction))
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return decimal{}
	}
	return decimal{negative: negative, digits: trimmed, exponent: exponent + int64(len(digits)-len(trimmed))}
}
