// Package cube takes over the cubes of Cube's data models that are written in YAML.
package cube
