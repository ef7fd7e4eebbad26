package homes

import (
	"cmp"
	"os"
	"os/user"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// writer says which program writes entries here.
func (h *sharedHome) writer() *parts.Writer {
	host, _ := os.Hostname()
	return &parts.Writer{Host: host, User: h.user(), Version: h.settings.Program}
}

// userName returns who runs this process: in a container or under a timer no variable says it.
func userName() string {
	name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME"))
	if name != "" {
		return name
	}
	uid := os.Getuid()
	if known, err := user.LookupId(strconv.Itoa(uid)); err == nil && known.Username != "" {
		return known.Username
	}
	if uid < 0 { // Windows has none
		return ""
	}
	return "user " + strconv.Itoa(uid)
}

func (h *sharedHome) holderHere() parts.Holder {
	holder := parts.ThisProcess(h.settings.Now())
	holder.User = h.user()
	return holder
}

// maxHolderText bounds what a holder says of itself in one word.
const maxHolderText = 100

// holderOf reads what a holder says of itself: foreign bytes, which are shown to people.
func holderOf(data []byte) (h parts.Holder) {
	if len(data) > store.MaxHolder || strictjson.Decode(data, &h) != nil {
		return parts.Holder{}
	}
	return plain(h)
}

// plain leaves out of a holder what could deceive a terminal.
func plain(h parts.Holder) parts.Holder {
	h.Host, h.User = plainWord(h.Host), plainWord(h.User)
	return h
}

func plainWord(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e {
			return '?'
		}
		return r
	}, clip.Text(text, maxHolderText))
}
