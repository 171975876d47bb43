# All programs that only need Node: edge, listings, logs, music, operator, branches, the demo marketplace, and workers without a
# browser. Build the bundle first: npm run images:bundle
#   docker build -f deploy/images/node.Dockerfile -t trellis:dev deploy/images
ARG NODE_IMAGE=docker.io/library/node:26-bookworm-slim
FROM ${NODE_IMAGE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Trellis" \
      org.opencontainers.image.description="Marketplace searches with trust scores, log analysis, and continuation of audio" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Nothing is installed at run time, so package managers are removed.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
ENV NODE_ENV=production HOST=0.0.0.0 TRELLIS_DATA_DIR=/data LOG_FORMAT=json
COPY app /app
RUN mkdir -p /data && chown 10001:10001 /data
WORKDIR /app
USER 10001:10001
ENTRYPOINT ["node"]
CMD ["/app/edge.js"]
