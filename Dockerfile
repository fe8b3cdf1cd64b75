# syntax=docker/dockerfile:1
FROM rust:1.95-slim-bookworm AS build
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    cargo build --release --locked --bin blazon \
    && install -D --strip target/release/blazon /out/blazon

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Blazon" \
      org.opencontainers.image.description="Self-hosted brand intelligence and web extraction" \
      org.opencontainers.image.licenses="Apache-2.0"
# Removed again: drivers of graphics cards, a quarter of the image, which the
# browser depends on and is told not to use.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates chromium-headless-shell fonts-liberation tini \
    && rm -rf /usr/lib/*-linux-gnu/dri /usr/lib/*-linux-gnu/libLLVM-* /usr/lib/chromium/libVkLayer_* \
    && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/debconf/*-old \
    && useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin blazon \
    && install -d -o blazon -g blazon -m 700 /data
COPY --from=build /out/blazon /usr/local/bin/blazon

ENV NODE_ENV=production \
    DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 3001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["blazon", "healthcheck"]
# tini reaps what a browser that crashed leaves behind.
ENTRYPOINT ["tini", "--", "blazon"]
CMD ["serve"]
