# The generation worker. Requirements of a model besides Node (a runtime, GPU drivers) come with NODE_IMAGE; the recombining generator
# has none.
#   docker build -f deploy/images/generation.Dockerfile -t trellis-generation-worker:dev deploy/images
ARG NODE_IMAGE=docker.io/library/node:26-bookworm-slim
FROM ${NODE_IMAGE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Trellis generation worker" \
      org.opencontainers.image.description="Continues a piece of audio" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
ENV NODE_ENV=production HOST=0.0.0.0 TRELLIS_DATA_DIR=/data LOG_FORMAT=json
COPY app /app
RUN mkdir -p /data && chown 10001:10001 /data
WORKDIR /app
USER 10001:10001
ENTRYPOINT ["node"]
CMD ["/app/generation-worker.js"]
