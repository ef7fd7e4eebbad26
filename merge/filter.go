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
	included, excluded := namers(include), namers(exclude)
	for _, name := range names {
		if by := excluded[name]; len(by) > 0 {
			f.Removed = append(f.Removed, Removal{Name: name, Excluded: true, By: pick(exclude, by, true)})
		} else if by := included[name]; len(by) < len(include) {
			f.Removed = append(f.Removed, Removal{Name: name, By: pick(include, by, false)})
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

// namers maps each name to the offers that name it, in their order.
func namers(offers []Offer[[]string]) map[string][]int {
	by := map[string][]int{}
	for i, offer := range offers {
		for _, name := range offer.Value {
			if list := by[name]; len(list) == 0 || list[len(list)-1] != i {
				by[name] = append(list, i)
			}
		}
	}
	return by
}

// pick lists who made the chosen offers, or the others.
func pick(offers []Offer[[]string], chosen []int, want bool) (by []string) {
	for i, offer := range offers {
		isChosen := len(chosen) > 0 && chosen[0] == i
		if isChosen {
			chosen = chosen[1:]
		}
		if isChosen == want {
			by = append(by, offer.From)
		}
	}
	return by
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
	by := namers(offers)
	for _, name := range offers[0].Value {
		if len(by[name]) == len(offers) {
			kept = append(kept, name)
		}
		delete(by, name) // it may be there twice
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
