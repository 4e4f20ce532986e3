# The worker: Debian, because the Temporal SDK's native part needs glibc (no Alpine).
FROM node:24-bookworm-slim

# What commands of a coding agent expect. Add your project's own tools in an image made from this one.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git procps python3 ripgrep \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/tempi
COPY package.json package-lock.json .npmrc ./
# The optional packages are the bundler's native parts, which are needed, and Node's own, which the image has already.
RUN npm ci --omit=dev --ignore-scripts \
    && rm -rf node_modules/node-linux-* node_modules/.bin/node \
    && npm cache clean --force
COPY bin ./bin
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
RUN ln -s /opt/tempi/bin/tempi /usr/local/bin/tempi \
    && install -d -o node -g node -m 0700 /var/lib/tempi \
    && install -d -o node -g node /workspace

ENV TEMPI_HOME=/var/lib/tempi
# uid of `node`
USER 1000
VOLUME ["/var/lib/tempi"]
WORKDIR /workspace
# Only the worker: whoever runs the container restarts it.
CMD ["sh", "-c", "exec node /opt/tempi/src/main/worker.ts --address \"$TEMPORAL_ADDRESS\" --namespace \"$TEMPORAL_NAMESPACE\""]
