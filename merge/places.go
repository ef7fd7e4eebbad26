package merge

// MaxPaths bounds the number of paths that describe one change. A change of more places
// takes effect like any other, and is described by the paths of the enclosing objects.
const MaxPaths = 10_000

// places are the parts of a value that a change touches: the value as a whole, or places
// in its members. Nil means none.
type places struct {
	names []string
	below []*places // for each name
}

// isWhole reports whether the value itself was changed, not parts of it.
func (p *places) isWhole() bool { return len(p.names) == 0 }

// add notes places in a member.
func (p *places) add(name string, below *places) {
	if below != nil {
		p.names = append(p.names, name)
		p.below = append(p.below, below)
	}
}

// orNil returns p, or nil if nothing was added to it.
func (p *places) orNil() *places {
	if p.isWhole() {
		return nil
	}
	return p
}

// depth returns down to which depth the places can be listed as at most MaxPaths paths.
func (p *places) depth() int {
	var ends, goOn []int // by depth: places that end there, and that lead deeper
	p.count(0, &ends, &goOn)
	sum := 0
	for _, n := range ends {
		sum += n
	}
	depth := len(ends) - 1
	for depth > 0 && sum+goOn[depth] > MaxPaths {
		sum -= ends[depth]
		depth--
	}
	return depth
}

func (p *places) count(depth int, ends, goOn *[]int) {
	if len(*ends) == depth {
		*ends, *goOn = append(*ends, 0), append(*goOn, 0)
	}
	if p.isWhole() {
		(*ends)[depth]++
		return
	}
	(*goOn)[depth]++
	for _, b := range p.below {
		b.count(depth+1, ends, goOn)
	}
}

// list appends the places to paths as JSON Pointers below a base, in their order,
// down to a depth.
func (p *places) list(paths []string, base string, depth int) []string {
	if p.isWhole() || depth == 0 {
		return append(paths, base)
	}
	for i, name := range p.names {
		paths = p.below[i].list(paths, pointer(base, name), depth-1)
	}
	return paths
}
