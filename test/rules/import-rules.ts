/** What may import what. `imports.test.ts` checks every module of the repository against this table. */

/** Packages of the workspace that each package may import. Imports go one way: services meet in the protos and in the kit. */
export const packageImports: Record<string, readonly string[]> = {
  protos: [],
  'services/kit': ['protos'],
  'services/edge': ['protos', 'services/kit'],
  'services/listings': ['protos', 'services/kit'],
  'services/logs': ['protos', 'services/kit'],
  'services/music': ['protos', 'services/kit'],
  'services/branch': ['protos', 'services/kit', 'services/edge', 'services/logs'],
  'services/all-in-one': [
    'protos',
    'services/kit',
    'services/edge',
    'services/listings',
    'services/logs',
    'services/music',
    'services/branch',
  ],
  'services/cli': ['protos'],
  'services/distributed': [
    'protos',
    'services/kit',
    'services/edge',
    'services/listings',
    'services/logs',
    'services/music',
    'services/branch',
  ],
  operator: ['protos', 'services/kit'],
  deploy: ['protos', 'services/kit', 'services/distributed', 'operator'],
}

/** Packages whose tests may import more than their sources do: test helpers, and servers to test against. */
export const testImports: readonly string[] = ['test', 'services/distributed', 'deploy', 'services/logs']

/** Folders whose sources may import a third-party module. Tests, benches and `test/` may import any that their package depends on. */
export const moduleFolders: Record<string, readonly string[]> = {
  '@bufbuild/protobuf': ['protos/plugin'],
  '@bufbuild/protoplugin': ['protos/plugin'],
  '@fastify/busboy': ['services/edge/src/transcode'],
  '@fastify/proxy-addr': ['services/edge/src/admission'],
  '@fastify/swagger': ['services/edge/src/docs'],
  '@fastify/swagger-ui': ['services/edge/src/docs'],
  '@grpc/grpc-js': ['services/kit/src/rpc'],
  '@huggingface/tokenizers': ['services/logs/src/models'],
  '@kubernetes/client-node': ['operator/src/runtime/client'],
  '@modelcontextprotocol/sdk': ['services/cli/src/mcp'],
  '@nats-io/jetstream': ['services/kit/src/bus', 'services/kit/src/files'],
  '@nats-io/transport-node': ['services/kit/src/bus', 'services/kit/src/files'],
  '@wasm-audio-decoders/flac': ['services/music/src/audio'],
  '@wasm-audio-decoders/ogg-vorbis': ['services/music/src/audio'],
  ajv: ['services/edge/src/transcode'],
  'ajv-formats': ['services/edge/src/transcode'],
  cookie: ['services/edge/src/identity'],
  'css-select': ['services/listings/src/marketplace'],
  'csv-parse': ['services/listings/src/blocklist'],
  'csv-stringify': ['services/listings/src/blocklist'],
  domutils: ['services/listings/src/marketplace'],
  'eventsource-parser': ['services/kit/src/language-model'],
  fastify: ['services/edge/src'],
  htmlparser2: ['services/listings/src/marketplace'],
  jose: ['services/edge/src/identity'],
  kysely: [
    'services/kit/src/leases',
    'services/kit/src/store',
    'services/listings/src',
    'services/logs/src',
    'services/music/src',
  ],
  'mpg123-decoder': ['services/music/src/audio'],
  'nice-grpc': ['services/kit/src/rpc'],
  'nice-grpc-common': ['services/kit/src/errors', 'services/kit/src/rpc'],
  'node:sqlite': ['services/kit/src/store'],
  'ogg-opus-decoder': ['services/music/src/audio'],
  'onnxruntime-node': ['services/logs/src/models'],
  pg: ['services/kit/src/store'],
  picomatch: ['services/logs/src/collect'],
  pino: ['services/kit/src/telemetry'],
  'playwright-core': ['services/listings/src/marketplace/browser'],
  'prom-client': ['services/kit/src/telemetry'],
  re2js: ['services/logs/src/formats', 'services/logs/src/patterns'],
  'robots-parser': ['services/listings/src/marketplace'],
  rolldown: ['deploy/images'],
  ssh2: ['services/logs/src/collect'],
  'tar-stream': ['services/logs/src/ingest'],
  tldts: ['services/logs/src/blocklist'],
  undici: ['operator/src/runtime/client', 'services/kit/src/egress'],
  'wasm-media-encoders': ['services/music/src/export'],
  yaml: ['operator/src/crds', 'services/logs/src'],
  yauzl: ['services/logs/src/ingest', 'services/logs/make-model'],
  zod: ['services/kit/src/files'],
}

/** Largest cycles of folders that stand today, by package, as numbers of folders. They may only fall; other packages have none. */
export const cycleCeilings: Record<string, number> = {
  'services/logs': 32,
}
