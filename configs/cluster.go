package configs

import (
	"crypto/x509"
	"fmt"
	"os"
	"strconv"
)

// MaxInstance is the largest number of an instance in a cluster: it has eight
// bits of a cancel key.
const MaxInstance = 255

// peers reads where each instance takes the cancel requests of the others.
func peers(dst *map[int]string) setter {
	return func(v value) {
		out := map[int]string{}
		v.entries(func(name string, child value) {
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n > MaxInstance || strconv.Itoa(n) != name {
				child.fault("an instance is a number from 0 to %d, got %q", MaxInstance, name)
				return
			}
			var address string
			text(&address)(child)
			out[n] = address
		})
		*dst = out
	}
}

// cluster checks the addresses of the peers and their authority.
func (k *checker) cluster() {
	for n, address := range k.c.Cluster.Peers {
		k.address("cluster.peers", address, false)
		if address == k.c.Listen && n != k.c.Cluster.Instance {
			k.fault("cluster.peers", fmt.Sprintf("%d has the address of listen, which is this instance's, %d", n, k.c.Cluster.Instance))
		}
	}
	if k.c.Cluster.CA == "" {
		return
	}
	data, err := os.ReadFile(k.c.Cluster.CA)
	switch {
	case err != nil:
		k.fault("cluster.ca", "cannot read it: "+fileError(err))
	case !x509.NewCertPool().AppendCertsFromPEM(data):
		k.fault("cluster.ca", "holds no PEM certificate")
	}
}
