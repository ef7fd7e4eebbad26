package pgstore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/chibi-host/chibi/store"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// codeOf is the server's error code (SQLSTATE), "" if the error is not the server's.
func codeOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// unusableError reports a home that this program cannot use, or that is not there.
type unusableError struct{ error }

func (e *unusableError) Unwrap() error { return e.error }

// explained is an error in words for people, which say all that its kind does.
type explained struct {
	text string
	kind error
}

func explain(kind error, format string, args ...any) error {
	return &explained{fmt.Sprintf(format, args...), kind}
}

func (e *explained) Error() string { return e.text }

func (e *explained) Unwrap() error { return e.kind }

// isPassing reports whether an error may be gone when the statement is repeated.
func isPassing(err error) bool {
	var unusable *unusableError
	var tooLong *pgproto3.ExceededMaxBodyLenErr
	switch {
	case errors.Is(err, errStandby), errors.Is(err, errCutShort):
		return true
	case errors.As(err, &unusable), errors.As(err, &tooLong), errors.Is(err, errRow), errors.Is(err, errClosed),
		isUntrusted(err):
		return false
	}
	code := codeOf(err)
	switch {
	case code == "":
		return isOfNetwork(err)
	case isReadOnly(err), wasRolledBack(code):
		return true
	case isPoolersRefusal(err):
		return false
	}
	switch code {
	case "57P01", "57P02", "57P03", "57P05", // the server is ending, starting, or has closed an idle session
		tooManyConnections,
		"55P03", // a lock was not to be had in time
		"25P03", "25P04":
		return true
	}
	return strings.HasPrefix(code, "08")
}

func isOfNetwork(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.Timeout(err) || pgconn.SafeToRetry(err) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || isCut(err)
}

// wasRolledBack reports whether a statement was given up by the server without effect, and may
// succeed when it is repeated: it met another one, a deadlock, or a timeout of the server's.
func wasRolledBack(code string) bool { return strings.HasPrefix(code, "40") || code == "57014" }

// isReadOnly reports whether a server that took writes has stopped: it became a standby,
// or somebody has set it to read-only.
func isReadOnly(err error) bool { return codeOf(err) == "25006" }

// isPoolersRefusal reports whether a pooler does not know the user or the database. pgbouncer
// says so with the code of a broken connection.
func isPoolersRefusal(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "08P01" && (strings.HasPrefix(e.Message, "no such ") ||
		strings.Contains(e.Message, "authentication failed"))
}

// isDoubtful reports whether a statement that failed may have been carried out.
func isDoubtful(err error) bool {
	code := codeOf(err)
	return !pgconn.SafeToRetry(err) && (code == "" || strings.HasPrefix(code, "57P") || strings.HasPrefix(code, "08"))
}

// isTooMuch reports whether a value or a disk is too large or too small.
func isTooMuch(err error) bool {
	var tooLong *pgproto3.ExceededMaxBodyLenErr
	code := codeOf(err)
	return errors.As(err, &tooLong) || code == "53100" || code == "53200" || code == "53400" ||
		strings.HasPrefix(code, "54")
}

// unavailable is the error of a call whose time is over.
func (d *db) unavailable(caller context.Context, last error) error {
	if err := caller.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	select {
	case <-d.pool.closed:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, errClosed)
	default:
	}
	return explain(store.ErrUnavailable, "no success within %s: %s", d.options.Timeout, sentence(last))
}

// explain maps an error that does not pass to the errors of package store.
func (d *db) explain(err error) error {
	code := codeOf(err)
	var unusable *unusableError
	switch {
	case errors.As(err, &unusable):
		return unusable.error // without what the driver says of the connection
	case errors.Is(err, errClosed):
		return fmt.Errorf("%w: %w", store.ErrUnavailable, errClosed)
	case isTooMuch(err):
		return fmt.Errorf("%w: %s", store.ErrTooLarge, sentence(err))
	case code == "42501":
		return explain(store.ErrDenied, "%s: the role %s may not use the home %s; chibi store init with grant=%[2]s in "+
			"its URL permits it", sentence(err), d.target.user, d.target.home)
	case strings.HasPrefix(code, "28"), isPoolersRefusal(err):
		return explain(store.ErrDenied, "the server refuses this user: %s; check the user and the credentials",
			sentence(err))
	case code == "3D000":
		return explain(store.ErrNotFound, "%s; create it, then run chibi store init", sentence(err))
	case code == "42P01" || code == "3F000":
		return explain(store.ErrNotFound, "there is no home %q (schema %s) in the database %s; chibi store init makes it",
			d.target.home, d.target.schema(), d.target.database)
	case isUntrusted(err) && d.target.sslMode != sslDisable:
		return fmt.Errorf("%s; sslmode=%s needs a server with TLS whose certificate is trusted: set store_ca, or sslmode",
			sentence(err), d.target.sslMode)
	}
	return err
}

// sentence is what went wrong, in one line, without what the driver says around it.
func sentence(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Message + " (SQLSTATE " + e.Code + ")"
	}
	text := err.Error()
	if connect, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		text = connect.Unwrap().Error()
	}
	var dial *net.OpError
	if errors.As(err, &dial) && !strings.Contains(text, "\n") { // one host, which the driver names three times
		return dial.Error()
	}
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\t' }), "; ")
}

func isUntrusted(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &name) ||
		strings.Contains(err.Error(), "server refused TLS connection")
}

func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}
