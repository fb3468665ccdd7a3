# Image of the released package. Run in the folder of cellwire-image-VERSION.tar.gz: docker build -t cellwire .

FROM node:24-bookworm-slim AS install
COPY cellwire.tgz /tmp/
# Also installs the Node version that the service runs on.
RUN npm install --global --prefix /cellwire /tmp/cellwire.tgz \
    && rm -rf /cellwire/lib/node_modules/cellwire/node_modules/better-sqlite3/deps \
    && ln -s ../../packages/server/bin/cellwire.mjs /cellwire/lib/node_modules/cellwire/node_modules/.bin/cellwire

FROM debian:bookworm-slim
# The only library of Node that the base image does not have.
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --no-create-home cellwire \
    && install --directory --owner=cellwire --group=cellwire --mode=700 /data
COPY --from=install /cellwire/lib/node_modules/cellwire /cellwire
ENV PATH=/cellwire/node_modules/.bin:$PATH \
    CELLWIRE_HOST=0.0.0.0 \
    CELLWIRE_PORT=8080 \
    CELLWIRE_DATA=/data \
    NODE_COMPILE_CACHE=/tmp/compile-cache
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["/cellwire/node_modules/.bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.CELLWIRE_PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm in between, so that signals reach the service.
ENTRYPOINT ["/cellwire/node_modules/.bin/node", "/cellwire/packages/server/bin/cellwire.mjs"]
CMD ["serve"]
