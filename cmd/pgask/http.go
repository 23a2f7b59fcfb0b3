package main

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/pgask/pgask/proxy/socket"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// serveHTTP serves /metrics, /healthz (the process lives), /readyz (it accepts
// clients) and /cache/clear, which only this machine may ask for; nil where
// nothing listens.
func (s *service) serveHTTP(ln *socket.Listener) *http.Server {
	if ln == nil {
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !s.ready.Load() {
			http.Error(w, "not accepting clients", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ready\n")
	})
	mux.HandleFunc("POST /cache/clear", s.serveClear)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	go func() {
		if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("http server ended", "error", err)
		}
	}()
	s.log.Info("serving metrics", "http", ln.Addr().String())
	return server
}
