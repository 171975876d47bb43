/** A JSON schema (draft 7, which every version of Helm supports). */
export type Schema = { readonly [keyword: string]: unknown }

const text: Schema = { type: 'string' }
const nonEmpty: Schema = { type: 'string', minLength: 1 }
const flag: Schema = { type: 'boolean' }
const choice = (...values: string[]): Schema => ({ enum: values })
const count = (minimum: number, maximum?: number): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
})
const port = count(1, 65_535)
const list = (items: Schema): Schema => ({ type: 'array', items })
const texts = list(text)
const map: Schema = { type: 'object', additionalProperties: { type: 'string' } }
/** An object that Kubernetes defines and validates. */
const open: Schema = { type: 'object' }
const quantity: Schema = {
  type: ['string', 'number'],
  pattern: '^[0-9.]+([eE][0-9]+|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$',
}
/** A size as the configuration of NATS writes it: fractions are not read. */
const natsSize: Schema = { type: ['string', 'integer'], pattern: '^[0-9]+(k|M|G|T|Ki|Mi|Gi|Ti)?$' }
const address: Schema = { type: 'string', pattern: '^(https?://[^/].*[^/])?$' }
/** An address that paths are appended to, or empty. */
const baseAddress: Schema = { type: 'string', pattern: String.raw`^(https?://[^/?#@\s]+(/[^?#\s]*[^/?#\s])?)?$` }
/** The name of an existing object, or empty. */
const name: Schema = { type: 'string', pattern: '^([a-z0-9]([a-z0-9.-]*[a-z0-9])?)?$' }
const origin: Schema = { type: 'string', pattern: '^https?://[^/]+$' }
const namespaceName: Schema = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' }
const pullPolicy = choice('Always', 'IfNotPresent', 'Never')

/** An object with these properties only, so that misspelt names are rejected. */
const only = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
})

const quantities: Schema = { type: 'object', additionalProperties: quantity }
const resources = only({ requests: quantities, limits: quantities, claims: list(open) })
const variables = list({
  type: 'object',
  required: ['name'],
  properties: { name: nonEmpty, value: text, valueFrom: open },
  additionalProperties: false,
})

const placement = { priorityClassName: text, nodeSelector: map, tolerations: list(open) }
const image = (repository: Schema, policy: Schema) =>
  only({
    registry: text,
    repository,
    tag: text,
    digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
    pullPolicy: policy,
  })
const ownImage = image(text, { enum: ['', 'Always', 'IfNotPresent', 'Never'] })

/** The components of the chart, as networkPolicy.publicFrom names them. */
const networkComponent = choice(
  'edge',
  'listings',
  'logs',
  'music',
  'operator',
  'branch',
  'search-worker',
  'generation-worker',
  'migrate',
)
const logLevel = choice('debug', 'info', 'warn', 'error', 'silent')
const extras = {
  podLabels: map,
  podAnnotations: map,
  extraEnv: variables,
  extraEnvFrom: list(open),
  extraVolumes: list(open),
  extraVolumeMounts: list(open),
}

/** A Go duration. */
const duration: Schema = { type: 'string', pattern: '^([0-9]+(h|m|s))+$' }
/** The service account of a service. */
const serviceAccount = only({ create: flag, annotations: map })

/** The values of a Deployment, with additional ones. */
const component = (more: Record<string, Schema> = {}): Schema =>
  only({
    replicas: count(0, 100),
    resources,
    logLevel,
    preStopSeconds: count(0, 600),
    shutdownSeconds: count(0, 600),
    disruptionBudget: only({ enabled: flag, maxUnavailable: { type: ['integer', 'string'] } }),
    temporarySize: quantity,
    dataSize: quantity,
    ...placement,
    affinity: open,
    topologySpreadConstraints: list(open),
    strategy: open,
    ...extras,
    ...more,
  })

const workerFields = {
  image: ownImage,
  logLevel,
  resources,
  ...placement,
  affinity: open,
  topologySpreadConstraints: list(open),
  runtimeClassName: text,
  serviceAccountName: name,
  ...extras,
}
const worker = only(workerFields)

/** Values above a billion are reserved for the system. */
const priority: Schema = { type: 'integer', minimum: -2_147_483_648, maximum: 1_000_000_000 }
const amount: Schema = { type: 'number', minimum: 0 }
/** Texts by file name, which is also part of a ConfigMap's key. */
const files: Schema = {
  type: 'object',
  patternProperties: { '^[A-Za-z0-9][A-Za-z0-9._-]{0,200}\\.(ya?ml|json)$': nonEmpty },
  additionalProperties: false,
}
/** A folder of a volume. */
const folder: Schema = { type: 'string', pattern: '^([A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*)?$' }
const receiver = only({ endpoint: address, existingSecret: name, tokenKey: nonEmpty })

/** The values of the listings service. */
const listingsFields = {
  enabled: flag,
  searchesPerUser: count(1, 500),
  monitorsAtOnce: count(1, 64),
  photoWaitSeconds: count(0, 120),
  retention: only({
    days: count(0, 36_500),
    guestDays: count(1, 36_500),
    listingsPerUser: count(1_000, 100_000_000),
  }),
  alerts: only({
    privateAddresses: { enum: ['', true, false] },
    smtp: only({
      from: { type: 'string', pattern: '^([^@<>\\r\\n]*<?[^@\\s<>]+@[^@\\s<>]+>?)?$' },
      existingSecret: name,
      urlKey: text,
    }),
  }),
  feedback: only({
    url: address,
    repository: { type: 'string', pattern: '^([\\w.-]{1,100}/[\\w.-]{1,100})?$' },
    kind: choice('forgejo', 'github'),
    existingSecret: name,
    tokenKey: text,
  }),
  community: only({ existingSecret: name, urlKey: text }),
  demoMode: flag,
}

const logsFields = {
  enabled: flag,
  stores: only({ existingSecret: name }),
  files: only({ sources: text, formats: files, patterns: files }),
  collect: only({ intervalSeconds: count(1, 86_400), watch: flag }),
  retention: only({ days: { ...amount, maximum: 36_500 }, gigabytes: { ...amount, maximum: 1_000_000 } }),
  incidents: only({ automatic: flag, threshold: count(1, 1_000_000), windowSeconds: count(1, 86_400) }),
  bundles: receiver,
  submit: receiver,
  ssh: only({ existingSecret: name }),
  models: only({
    existingClaim: name,
    embedding: folder,
    anomaly: folder,
    security: folder,
    securityThreshold: { type: 'number', minimum: 0, maximum: 1 },
  }),
  blockPrivateUpstreams: flag,
  maximumUploadMegabytes: count(1),
}

/** A bundled server. */
const bundled = (more: Record<string, Schema>): Schema =>
  only({
    image: ownImage,
    runAsUser: { ...count(1), type: ['integer', 'null'] },
    storage: quantity,
    storageClass: text,
    resources,
    ...placement,
    affinity: open,
    podAnnotations: map,
    ...more,
  })

const natsRoles = ['operator', 'listings', 'logs', 'music', 'search', 'generation', 'branch'] as const
const natsCredentials = only({ existingSecret: name, tokenKey: text, userKey: text, passwordKey: text })

const job = { resources, ...placement }
const monitor = only({ enabled: flag, interval: { type: 'string', pattern: '^[0-9]+(ms|s|m)$' }, labels: map })

/** The schema of the chart's values. */
export const valuesSchema: Schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Values of the chart trellis',
  ...only({
    fullnameOverride: { type: 'string', maxLength: 40, pattern: '^([a-z]([a-z0-9-]*[a-z0-9])?)?$' },
    nameOverride: { type: 'string', maxLength: 30, pattern: '^([a-z]([a-z0-9-]*[a-z0-9])?)?$' },
    commonLabels: map,
    extraObjects: list(open),
    hostAliases: list(open),
    dnsConfig: open,
    podSecurityContext: open,
    // As a subchart, this chart receives all globals of its parent, so other properties are allowed.
    global: { type: 'object', properties: { imageRegistry: text, imagePullSecrets: list(open) } },
    image: image(nonEmpty, pullPolicy),
    crds: only({ enabled: flag, keep: flag }),
    publicUrl: baseAddress,
    secrets: only({ existingSecret: name, ...job }),
    rpc: only({
      tls: only({
        issuerRef: only({ name, kind: text, group: text }),
        duration,
        renewBefore: duration,
        existingSecret: name,
      }),
    }),
    migrations: only({ enabled: flag, ...job }),
    edge: component({
      serviceAccount,
      service: only({ type: choice('ClusterIP', 'NodePort', 'LoadBalancer'), port, annotations: map }),
      autoscaling: only({
        enabled: flag,
        minReplicas: count(1),
        maxReplicas: count(1),
        targetCpuPercent: count(1, 100),
      }),
      corsOrigins: list(origin),
      musicCorsOrigins: list(origin),
      hosts: list({ type: 'string', pattern: '^[^/:,\\s]+$' }),
      trustedProxies: list({ type: 'string', pattern: '^[^,\\s]+$' }),
      maximumStreams: count(1, 1_000_000),
    }),
    ingress: only({
      enabled: flag,
      className: text,
      hosts: { type: 'array', items: nonEmpty, minItems: 1 },
      tls: list(open),
      streamAnnotations: flag,
      maximumUpload: text,
      annotations: map,
    }),
    httpRoute: {
      ...only({ enabled: flag, parentRefs: list(open), hostnames: texts, annotations: map }),
      // A route without a Gateway receives no requests.
      if: { properties: { enabled: { const: true } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
      then: { properties: { parentRefs: { minItems: 1 } } },
    },
    listings: component({ ...listingsFields, serviceAccount }),
    logs: component({ ...logsFields, serviceAccount }),
    music: component({
      enabled: flag,
      models: only({
        existingClaim: name,
        stems: folder,
        generator: folder,
        device: choice('auto', 'cpu', 'cuda'),
      }),
      serviceAccount,
    }),
    operator: component({
      maximumRuns: count(1, 10_000),
      maximumQueuedRuns: count(0, 100_000),
      runTtlSeconds: count(0, 31_536_000),
      searchUsers: list({ type: 'string', pattern: '^[^,]+$' }),
      watchNamespaces: list(namespaceName),
      rbac: only({ create: flag }),
      serviceAccount: only({ create: flag, name, annotations: map }),
    }),
    gpu: only({ clusterRead: flag }),
    priorityClasses: only({ enabled: flag, runs: priority, pools: priority }),
    workers: only({ search: worker, generation: worker, branch: only({ ...workerFields, storageClass: name }) }),
    marketplace: only({
      baseUrl: address,
      apiUrl: address,
      platform: { type: 'string', pattern: '^([a-z][a-z0-9-]{0,39})?$' },
      environment: choice('production', 'sandbox'),
      siteId: text,
      profileUrl: address,
      currency: { type: 'string', pattern: '^([A-Z]{3})?$' },
      userAgent: text,
      affiliateCampaign: text,
      render: choice('', 'never', 'needed', 'always'),
      requestGapMilliseconds: count(0, 60_000),
      photoGapMilliseconds: count(0, 60_000),
      notifications: only({ endpoint: address, existingSecret: name, tokenKey: text, verifySignatures: flag }),
      existingSecret: name,
    }),
    demoMarketplace: component(),
    cloud: only({
      enabled: flag,
      existingSecret: name,
      jwtSecretKey: text,
      licenseUrl: address,
      licenseTokenKey: text,
    }),
    keys: only({ existingSecret: name, optional: flag }),
    llm: only({ baseUrl: address, model: text, visionModel: text, existingSecret: name, apiKeyKey: text }),
    nats: only({
      url: { type: 'string', pattern: '^[^@]*$' },
      existingSecret: name,
      tokenKey: text,
      userKey: text,
      passwordKey: text,
      roles: only(Object.fromEntries(natsRoles.map((role) => [role, natsCredentials]))),
      tlsAuthoritySecret: name,
      prefix: nonEmpty,
      replicas: count(1, 5),
      streamMegabytes: count(0),
      bundled: bundled({
        command: { ...texts, minItems: 1 },
        accounts: choice('auto', 'on'),
        maximumFileStore: natsSize,
        maximumMemoryStore: natsSize,
      }),
    }),
    database: only({
      existingSecret: name,
      urlKey: nonEmpty,
      connections: count(1, 1_000),
      bundled: bundled({
        settings: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
      }),
    }),
    s3: only({
      endpoint: address,
      region: text,
      bucket: text,
      prefix: text,
      pathStyle: flag,
      checksums: flag,
      existingSecret: name,
      accessKeyIdKey: text,
      secretAccessKeyKey: text,
      workers: only({ existingSecret: name, accessKeyIdKey: text, secretAccessKeyKey: text }),
    }),
    networkPolicy: only({
      enabled: flag,
      edgeFrom: list(open),
      metricsFrom: list(open),
      publicFrom: list(networkComponent),
      notPublic: only({ ipv4: texts, ipv6: texts }),
      servers: list(open),
      outside: list(open),
    }),
    monitoring: only({
      podMonitor: monitor,
      serviceMonitor: monitor,
      rules: only({ enabled: flag, labels: map }),
      dashboard: only({ enabled: flag, labels: map }),
    }),
  }),
}
