// Package snowflake takes over Snowflake's semantic models and the YAML of its semantic views.
package snowflake
