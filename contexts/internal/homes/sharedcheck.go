package homes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/store"
)

// Check looks at the keys of all documents: each belongs to a context, or to the home.
func (b sharedBackend) Check(ctx context.Context, damaged func(text string)) error {
	suspects, err := b.strays(ctx)
	if err != nil || len(suspects) == 0 {
		return err
	}
	again, err := b.strays(ctx) // what is there only once is being made or removed
	for _, key := range slices.Sorted(maps.Keys(again)) {
		if suspects[key] {
			damaged(fmt.Sprintf("document %.200q belongs to no context", key))
		}
	}
	return err
}

// strays returns the keys of documents that belong to no context.
func (b sharedBackend) strays(ctx context.Context) (keys map[string]bool, err error) {
	ids, owners := map[string]bool{}, map[string]string{}
	err = b.sharedNames.engine.Docs.List(ctx, "", func(d store.Doc) bool {
		kind, rest, _ := strings.Cut(d.Key, ".")
		switch kind + "." {
		case prefixName:
			if n, err := decodeName(d); err == nil { // the list of names says what is wrong with others
				ids[n.ID] = true
			}
		case prefixTrash:
			ids[rest] = true
		case prefixText, prefixMail, prefixOut:
			owners[d.Key], _, _ = strings.Cut(rest, ".")
		}
		return true
	})
	keys = map[string]bool{}
	for key, id := range owners {
		if !isID(id) || !ids[id] {
			keys[key] = true
		}
	}
	return keys, err
}
