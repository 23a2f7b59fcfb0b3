// Package socket opens and inherits listening sockets, closes them without
// losing who waits in their queues, and notices peers that can't be reached.
package socket
