package contexts

// Bounds of what is read at once, in bytes.
const (
	// maxText bounds state.json, a manifest and the texts of a context.
	maxText = 16 << 20
	// maxLegacy bounds the whole conversation that the original's first versions
	// kept in one file.
	maxLegacy = 256 << 20
)
