package pgstore

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
)

const maxCredentials = 64 << 10

// passwordFor reads the password of a target from a file as PostgreSQL's own password file:
// lines HOST:PORT:DATABASE:USER:PASSWORD, of which the first that fits counts. A file of one
// line without a colon is the password itself.
func passwordFor(t target, file string) (string, error) {
	data, err := disk.ReadPrivate(file, maxCredentials)
	if err != nil {
		return "", err
	}
	text := string(data)
	if line := strings.TrimRight(text, "\r\n"); line != "" && !strings.ContainsAny(line, ":\n") {
		return line, nil
	}
	password, found := findPassword(t, text)
	if !found {
		return "", fmt.Errorf("%s has no line for the user %s and the database %s of the store's URL; "+
			"a line is HOST:PORT:DATABASE:USER:PASSWORD, or the whole file is the password", file, t.user, t.database)
	}
	return password, nil
}

// findPassword returns the password of the first line that fits one of the hosts.
func findPassword(t target, text string) (password string, found bool) {
	for line := range strings.Lines(text) {
		fields := splitLine(strings.TrimRight(line, "\r\n"))
		if strings.HasPrefix(line, "#") || len(fields) != 5 {
			continue
		}
		for _, h := range t.hosts {
			name := h.name
			if path.IsAbs(name) {
				name = "localhost"
			}
			if fits(fields[0], name) && fits(fields[1], strconv.Itoa(int(h.port))) && fits(fields[2], t.database) &&
				fits(fields[3], t.user) {
				return fields[4], true
			}
		}
	}
	return "", false
}

func fits(field, value string) bool { return field == "*" || field == value }

// splitLine cuts a line at its colons; a backslash takes the character after it as it is.
func splitLine(line string) []string {
	var fields []string
	var field strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			field.WriteByte(line[i])
		case line[i] == ':':
			fields = append(fields, field.String())
			field.Reset()
		default:
			field.WriteByte(line[i])
		}
	}
	return append(fields, field.String())
}
