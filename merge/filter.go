package merge

import "slices"

// Filtered is what filters leave of a list of names.
type Filtered struct {
	// Kept are the names that stay, in their order.
	Kept []string
	// Removed are the others, in their order, with who removed them.
	Removed []Removal
	// Unknown are names in filters that are not in the list.
	Unknown []Unknown
}

// Removal says why a name is gone.
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
	for _, name := range names {
		if by := naming(exclude, name, true); len(by) > 0 {
			f.Removed = append(f.Removed, Removal{Name: name, Excluded: true, By: by})
		} else if by := naming(include, name, false); len(by) > 0 {
			f.Removed = append(f.Removed, Removal{Name: name, By: by})
		} else {
			f.Kept = append(f.Kept, name)
		}
	}
	for _, offer := range slices.Concat(include, exclude) {
		for _, name := range offer.Value {
			if !slices.Contains(names, name) {
				f.Unknown = append(f.Unknown, Unknown{From: offer.From, Name: name})
			}
		}
	}
	return f
}

// naming lists who names a name, or who does not.
func naming(offers []Offer[[]string], name string, does bool) []string {
	var by []string
	for _, offer := range offers {
		if slices.Contains(offer.Value, name) == does {
			by = append(by, offer.From)
		}
	}
	return by
}

// Intersect keeps the names that are in every list, in the order of the first.
// It is nil without offers, and never nil with one.
func Intersect(offers []Offer[[]string]) []string {
	if len(offers) == 0 {
		return nil
	}
	kept := []string{}
	for _, name := range offers[0].Value {
		if len(naming(offers, name, false)) == 0 && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// Unite lists the names that are in any list, in the order in which they first
// appear.
func Unite(offers []Offer[[]string]) []string {
	var all []string
	for _, offer := range offers {
		for _, name := range offer.Value {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}
