# The search worker with a browser, for pages that are rendered by scripts. If NODE_IMAGE already contains Debian's Chromium, nothing is
# installed here.
#   docker build -f deploy/images/chromium.Dockerfile -t trellis-search-worker:dev deploy/images
ARG NODE_IMAGE=docker.io/library/node:26-bookworm-slim
FROM ${NODE_IMAGE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Trellis search worker" \
      org.opencontainers.image.description="Reads the pages of a marketplace, with a browser if they need one" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
RUN command -v chromium || command -v chromium-headless-shell || \
    { apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell fonts-liberation && rm -rf /var/lib/apt/lists/*; }
RUN ln -s "$(command -v chromium-headless-shell || command -v chromium)" /usr/local/bin/page-browser
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
# The browser has no direct network access. Its sandbox needs user namespaces, which the pod security level "restricted" forbids.
ENV NODE_ENV=production HOST=0.0.0.0 TRELLIS_DATA_DIR=/data LOG_FORMAT=json HOME=/tmp \
    LISTINGS_CHROMIUM=/usr/local/bin/page-browser LISTINGS_CHROMIUM_SANDBOX=0
COPY app /app
RUN mkdir -p /data && chown 10001:10001 /data
WORKDIR /app
USER 10001:10001
ENTRYPOINT ["node"]
CMD ["/app/search-worker.js"]
