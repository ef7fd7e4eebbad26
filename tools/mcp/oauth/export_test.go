package oauth

import "time"

// Within returns logins with another bound of one request.
func (l Logins) Within(bound time.Duration) Logins {
	l.within = bound
	return l
}
