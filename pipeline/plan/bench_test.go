package plan_test

import (
	"testing"

	"github.com/pgask/pgask/pipeline/plan"
)

func BenchmarkDecodeValidateCompile(b *testing.B) {
	c := testContext(b)
	source := []byte(examples(b)[12].plan)
	for b.Loop() {
		p, err := plan.Decode(source)
		if err != nil {
			b.Fatal(err)
		}
		checked, err := plan.Validate(p, c)
		if err != nil {
			b.Fatal(err)
		}
		plan.Compile(checked)
	}
}
