package contexts

// describe adds what is known of contexts, in the place of what was known of them. Each was
// last used when the later of both says.
func (f *stateFile) describe(list []contextState) {
	at := map[string]int{}
	for i, e := range f.Contexts {
		at[e.Name] = i
	}
	for _, e := range list {
		if i, ok := at[e.Name]; ok {
			e.LastActivityAt = max(e.LastActivityAt, f.Contexts[i].LastActivityAt)
			f.Contexts[i] = e
			continue
		}
		f.Contexts = append(f.Contexts, e)
	}
	f.sort()
}
