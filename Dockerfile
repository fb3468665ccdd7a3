# Image of the service: docker build -t cellwire .   docs/operations.md, "Containers", says how to run it.

FROM node:24-bookworm-slim AS console
WORKDIR /cellwire
COPY package.json package-lock.json .npmrc openapi.json tsconfig.base.json ./
COPY packages/client/package.json packages/client/
COPY packages/engine/package.json packages/engine/
COPY packages/event-loop/package.json packages/event-loop/
COPY packages/files/package.json packages/files/
COPY packages/server/package.json packages/server/
COPY packages/store/package.json packages/store/
COPY test/generators/package.json test/generators/
COPY packages/engine/src packages/engine/src
COPY packages/console packages/console
COPY docs/clients docs/clients
COPY scripts scripts
# Also builds the console. The build tools are not in the final image.
RUN npm ci --omit=dev

FROM node:24-bookworm-slim AS install
WORKDIR /cellwire
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/engine/package.json packages/engine/
COPY packages/event-loop/package.json packages/event-loop/
COPY packages/files/package.json packages/files/
COPY packages/server/package.json packages/server/
COPY packages/store/package.json packages/store/
COPY packages/console/package.json packages/console/
COPY test/generators/package.json test/generators/
COPY scripts scripts
# Also installs the Node version that the service runs on.
RUN npm ci --omit=dev --workspace packages/engine --workspace packages/event-loop --workspace packages/files --workspace packages/server --workspace packages/store --include-workspace-root && rm -r node_modules/node/node_modules node_modules/better-sqlite3/deps
COPY packages/engine/src packages/engine/src
COPY packages/event-loop/src packages/event-loop/src
COPY packages/files/src packages/files/src
COPY packages/store/src packages/store/src
COPY packages/server/bin packages/server/bin
COPY packages/server/src packages/server/src
# `cellwire --version` prints it: docker build --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=unknown
RUN printf '{"version":"%s","commit":"%s"}' "$(node -p 'require("./packages/server/package.json").version')" "$COMMIT" > packages/server/build.json
COPY --from=console /cellwire/packages/console/dist packages/console/dist
COPY LICENSE ./

FROM debian:bookworm-slim
# The only library of Node that the base image does not have.
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --no-create-home cellwire \
    && install --directory --owner=cellwire --group=cellwire --mode=700 /data
COPY --from=install /cellwire /cellwire
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
