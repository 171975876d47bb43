# NATS and Postgres for the bundled servers of the chart, from Debian packages and this machine's binary, because a cluster without
# a registry cannot pull the public images.
ARG POSTGRES_IMAGE
FROM ${POSTGRES_IMAGE}
COPY nats-server /usr/local/bin/nats-server
RUN groupadd --gid 10002 database && useradd --uid 10002 --gid 10002 --no-create-home database
ENTRYPOINT []
