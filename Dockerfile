# Two stages: the parser of Postgres is C, so building needs a compiler and
# running needs no more than glibc.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -trimpath -buildvcs=false -ldflags='-s -w' -o /pgask ./cmd/pgask

FROM debian:bookworm-slim
RUN useradd --system --no-create-home pgask
COPY --from=build /pgask /usr/local/bin/pgask
COPY --from=build /src/configs/demo /etc/pgask
ENV PGASK_LISTEN=0.0.0.0:6432 PGASK_HTTP=0.0.0.0:9432
USER pgask
EXPOSE 6432 9432
ENTRYPOINT ["/usr/local/bin/pgask"]
CMD ["serve", "--config", "/etc/pgask/pgask.yaml"]
