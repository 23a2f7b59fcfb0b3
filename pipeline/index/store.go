package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/pgask/pgask/pipeline/catalog"
)

// Edition is what a store is to keep of a database.
type Edition struct {
	Database string
	// Digest is equal for equal chunks of one embedder.
	Digest   string
	Embedder string
	Chunks   []Chunk
}

// NewEdition is the edition of chunks by an embedder.
func NewEdition(database string, e Embedder, chunks []Chunk) Edition {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", e.Name())
	for _, c := range chunks {
		fmt.Fprintf(h, "%q %q %q %q %q\n", c.Kind, c.Table.Schema, c.Table.Table, c.Name, c.Text)
	}
	return Edition{Database: database, Digest: hex.EncodeToString(h.Sum(nil)[:16]), Embedder: e.Name(), Chunks: chunks}
}

// Built says what an update of a store did.
type Built struct {
	// Changed is false where the store had this edition already.
	Changed bool
	// Chunks are all, Embedded the texts that the edition before didn't have.
	Chunks, Embedded int
}

// Near is a chunk that a search found. Likeness is the cosine of its vector and
// the question's.
type Near struct {
	Kind     Kind
	Table    catalog.Name
	Name     string
	Likeness float64
}

// Query is a search in a store.
type Query struct {
	Database string
	// Embedder is who made the vector; what another one made isn't searched.
	Embedder string
	Vector   []float32
	// Tables bounds the search to these tables' chunks; nil for all.
	Tables []catalog.Name
	// Most is how many chunks are wanted.
	Most int
}

// Store keeps vectors of chunks, one edition of each database. It is safe for
// concurrent use; searches go on in the old edition while a new one is made, and
// in the new one from then on.
type Store interface {
	// Update makes the edition unless it is there. Texts that the edition
	// before had are not embedded again.
	Update(ctx context.Context, ed Edition, e Embedder) (Built, error)
	// Search gives the nearest chunks, nearest first; none where there is no
	// edition of the embedder.
	Search(ctx context.Context, q Query) ([]Near, error)
	// Close ends what the store holds open.
	Close()
}
