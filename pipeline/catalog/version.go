package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// version digests what a plan or a verdict can depend on: names, kinds,
// columns, types, keys and other objects, but neither estimates nor samples.
func version(tables []*Table, types []UserType, o *Objects) string {
	h := sha256.New()
	for _, t := range tables {
		fmt.Fprintf(h, "t%q %q %d %c %v %q\n", t.Name.Schema, t.Name.Table, t.OID, t.Kind, t.Partition, t.Comment)
		for _, c := range t.Columns {
			fmt.Fprintf(h, "c%q %d %d %v %v %q\n", c.Name, c.Attnum, c.Type.OID, c.NotNull, c.Generated, c.Comment)
			if c.Collation != "" {
				fmt.Fprintf(h, "l%q\n", c.Collation)
			}
		}
		fmt.Fprintf(h, "k%q %q\n", t.PrimaryKey, t.Unique)
		for _, f := range t.ForeignKeys {
			fmt.Fprintf(h, "f%q %q %q %q %q\n", f.Name, f.Columns, f.Ref.Schema, f.Ref.Table, f.RefColumns)
		}
	}
	for _, t := range types {
		fmt.Fprintf(h, "y%q %q %c %q\n", t.Schema, t.Name, t.Kind, t.Labels)
	}
	for _, t := range o.System {
		fmt.Fprintf(h, "s%q %q %d %d\n", t.Name.Schema, t.Name.Table, t.OID, len(t.Columns))
	}
	fmt.Fprintf(h, "o%v\n%v\n%v\n%v\n%v\n%q\n%v\n", o.Schemas, o.Indexes, o.Constraints, o.Functions, o.Types, o.Added, o.Code)
	return hex.EncodeToString(h.Sum(nil)[:8])
}
