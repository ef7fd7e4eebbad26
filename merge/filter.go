package merge

// Filtered is what filters leave of a list of names.
type Filtered struct {
	// Kept are the names that stay, in their order.
	Kept []string
	// Removed are the others, in their order, with who removed them.
	Removed []Removal
	// Unknown are names in filters that are not in the list.
	Unknown []Unknown
}

// Removal says why a name was removed.
type Removal struct {
	Name string
	// Excluded is true if an exclude list names it.
	Excluded bool
	// By are the plugins that excluded it or, if none did, those whose
	// include lists lack it.
	By []string
}

// Unknown is a name in a plugin's filter that is not in the list.
type Unknown struct{ From, Name string }

// Filter applies filters to a list of names: include lists intersect, exclude
// lists unite, and exclude beats include. An empty include list keeps nothing.
func Filter(names []string, include, exclude []Offer[[]string]) Filtered {
	var f Filtered
	included, excluded := setsOf(include), setsOf(exclude)
	for _, name := range names {
		if by := naming(excluded, name, true); len(by) > 0 {
			f.Removed = append(f.Removed, Removal{Name: name, Excluded: true, By: by})
		} else if by := naming(included, name, false); len(by) > 0 {
			f.Removed = append(f.Removed, Removal{Name: name, By: by})
		} else {
			f.Kept = append(f.Kept, name)
		}
	}
	known := setOf(names)
	for _, offers := range [2][]Offer[[]string]{include, exclude} {
		for _, offer := range offers {
			for _, name := range offer.Value {
				if !known[name] {
					f.Unknown = append(f.Unknown, Unknown{From: offer.From, Name: name})
				}
			}
		}
	}
	return f
}

// naming lists who names a name, or who does not.
func naming(offers []Offer[map[string]bool], name string, does bool) []string {
	var by []string
	for _, offer := range offers {
		if offer.Value[name] == does {
			by = append(by, offer.From)
		}
	}
	return by
}

// setsOf makes sets of lists.
func setsOf(offers []Offer[[]string]) []Offer[map[string]bool] {
	var sets []Offer[map[string]bool]
	for _, offer := range offers {
		sets = append(sets, Offer[map[string]bool]{From: offer.From, Value: setOf(offer.Value)})
	}
	return sets
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// Intersect keeps the names that are in every list, in the order of the first.
// It is nil without offers, and never nil with one.
func Intersect(offers []Offer[[]string]) []string {
	if len(offers) == 0 {
		return nil
	}
	kept := []string{}
	sets, seen := setsOf(offers[1:]), map[string]bool{}
	for _, name := range offers[0].Value {
		if !seen[name] && len(naming(sets, name, false)) == 0 {
			kept = append(kept, name)
		}
		seen[name] = true
	}
	return kept
}

// Unite lists the names that are in any list, in the order in which they first
// appear.
func Unite(offers []Offer[[]string]) []string {
	var all []string
	seen := map[string]bool{}
	for _, offer := range offers {
		for _, name := range offer.Value {
			if !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	return all
}
