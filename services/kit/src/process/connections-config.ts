import type { NatsBusOptions } from '../bus/mod.ts'
import { ConfigError, read, secret, setting, type ValuesOf } from '../config/mod.ts'
import type { FilesLocation } from '../files/mod.ts'
import type { RpcSecurity } from '../rpc/mod.ts'
import { isPostgres, postgresLimits, type StoreLocation } from '../store/mod.ts'

const optionalText = read.optional(read.text)

/** Where the database is, for every process that keeps rows. Without it, files in the data directory. */
export const databaseConfig = {
  databaseUrl: secret(
    'DATABASE_URL',
    optionalText,
    undefined,
    'A Postgres database for all rows; without it, SQLite files in the data directory.',
  ),
  databaseConnections: setting(
    'DATABASE_CONNECTIONS',
    read.integer(1, 1_000),
    10,
    'Connections to the database that a process may hold.',
  ),
  databaseStatementSeconds: setting(
    'DATABASE_STATEMENT_SECONDS',
    read.integer(1, 3_600),
    30,
    'The longest that one statement may run.',
  ),
}

/** Where files are, for every process that reads or writes them. */
export const filesConfig = {
  natsFilesBucket: setting('NATS_FILES_BUCKET', read.text, 'trellis-files', 'The object store for files without S3.'),
  natsFilesApi: setting(
    'NATS_FILES_API',
    optionalText,
    undefined,
    'What requests to JetStream about that store start with, where it is in another account; $JS.API unless set.',
  ),
  s3Endpoint: setting('S3_ENDPOINT', read.optional(read.url), undefined, 'An S3-compatible store for all files.'),
  s3Region: setting('S3_REGION', read.text, 'us-east-1', 'Its region.'),
  s3Bucket: setting('S3_BUCKET', read.text, 'trellis', 'The bucket, which must exist.'),
  s3Prefix: setting('S3_PREFIX', read.text, '', 'What every key starts with, where a bucket is shared.'),
  s3AccessKeyId: secret('S3_ACCESS_KEY_ID', optionalText, undefined, 'The id of the access key.'),
  s3SecretAccessKey: secret('S3_SECRET_ACCESS_KEY', optionalText, undefined, 'And its secret.'),
  s3SessionToken: secret('S3_SESSION_TOKEN', optionalText, undefined, 'Comes with temporary credentials.'),
  s3PathStyle: setting('S3_PATH_STYLE', read.flag, true, 'The bucket is in the path, not in the host name.'),
  s3Checksums: setting(
    'S3_CHECKSUMS',
    read.flag,
    true,
    'The store keeps a CRC-32 of each file; 0 for one that refuses.',
  ),
}

/** What a process of a distributed installation is told of the servers that it stands on. */
export const connectionsConfig = {
  ...databaseConfig,
  natsServers: setting('NATS_URL', read.list, [], 'NATS servers with JetStream, commas between.'),
  natsToken: secret('NATS_TOKEN', optionalText, undefined, 'The token that NATS asks for.'),
  natsUser: setting('NATS_USER', optionalText, undefined, 'The user that NATS asks for.'),
  natsPassword: secret('NATS_PASSWORD', optionalText, undefined, 'And the password.'),
  natsTlsAuthorityFile: setting('NATS_TLS_CA_FILE', optionalText, undefined, 'The authority of its certificate (PEM).'),
  natsTlsCertificateFile: setting('NATS_TLS_CERT_FILE', optionalText, undefined, 'The certificate shown to NATS.'),
  natsTlsKeyFile: setting('NATS_TLS_KEY_FILE', optionalText, undefined, 'Its key.'),
  natsPrefix: setting(
    'NATS_PREFIX',
    read.text,
    'trellis',
    'What its streams and subjects start with, where it is shared.',
  ),
  natsReplicas: setting('NATS_REPLICAS', read.integer(1, 5), 1, 'NATS servers that keep a copy of each event.'),
  natsStreamMegabytes: setting(
    'NATS_STREAM_MB',
    read.optional(read.integer(1, 16_777_216)),
    undefined,
    'What one stream may take, past which its oldest events go; accounts with limits demand it.',
  ),
  ...filesConfig,
}

/** How processes call each other, and why they believe each other. */
export const rpcConfig = {
  rpcSecrets: secret(
    'RPC_SECRET',
    read.list,
    [],
    'What calls between processes carry; a comma list while changing it.',
  ),
  certificateFile: setting('RPC_TLS_CERT_FILE', optionalText, undefined, 'The certificate of this process (PEM).'),
  keyFile: setting('RPC_TLS_KEY_FILE', optionalText, undefined, 'Its key.'),
  authorityFile: setting('RPC_TLS_CA_FILE', optionalText, undefined, 'The authority of all certificates.'),
  callers: setting(
    'RPC_TLS_CALLERS',
    read.list,
    ['edge'],
    'Names in the certificates of those who may say on whose behalf they call.',
  ),
  serverName: setting(
    'RPC_TLS_SERVER_NAME',
    optionalText,
    undefined,
    'The name in the certificates of services, where they are called at IP addresses.',
  ),
}

export type DatabaseConfig = ValuesOf<typeof databaseConfig>
export type ConnectionsConfig = ValuesOf<typeof connectionsConfig>
export type RpcConfig = ValuesOf<typeof rpcConfig>

const isPostgresUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//.test(text)

/** The database where there is one, else the data directory. Throws ConfigFailure. */
export const storeLocation = (
  { databaseUrl, databaseConnections, databaseStatementSeconds }: DatabaseConfig,
  dataDirectory: string,
): StoreLocation => {
  if (databaseUrl === undefined) return { dataDirectory }
  if (!isPostgresUrl(databaseUrl)) throw new ConfigError('DATABASE_URL must start with postgresql://, but does not.')
  return {
    databaseUrl,
    limits: { connections: databaseConnections, statementMilliseconds: databaseStatementSeconds * 1_000 },
  }
}

/**
 * Where a setting of its own places a store: at the address of a Postgres database, in a folder, or, where it says nothing,
 * with the other rows. Throws ConfigFailure for the address of anything else, which is not echoed: it may hold a password.
 */
export const storeElsewhere = (
  { variable, value }: { variable: string; value: string | undefined },
  main: StoreLocation,
): StoreLocation => {
  if (value === undefined) return main
  if (isPostgresUrl(value))
    return { ...(isPostgres(main) && main.limits && { limits: main.limits }), databaseUrl: value }
  if (/^[a-z][a-z0-9+.-]+:/i.test(value))
    throw new ConfigError(`${variable} must start with postgresql://, or be the path of a folder.`)
  return { dataDirectory: value }
}

/** Stores of one process in one database share its connections, of which the first takes what the others leave: a fifth each, and one at least. */
export const shareConnections = (locations: readonly StoreLocation[]): StoreLocation[] => {
  const [main] = locations
  if (!main || !isPostgres(main)) return [...locations]
  const whole = main.limits?.connections ?? postgresLimits.connections
  const part = Math.max(1, Math.floor(whole / 5))
  const guests = locations.slice(1).filter((other) => isPostgres(other) && other.databaseUrl === main.databaseUrl)
  const rest = Math.max(1, whole - guests.length * part)
  return locations.map((location, index) => {
    if (!isPostgres(location) || location.databaseUrl !== main.databaseUrl) return location
    return { ...location, limits: { ...location.limits, connections: index === 0 ? rest : part } }
  })
}

/** How connections to NATS are encrypted, where anything is told of it. */
const natsTls = (config: ConnectionsConfig) => {
  const tls = {
    ...(config.natsTlsAuthorityFile === undefined ? {} : { caFile: config.natsTlsAuthorityFile }),
    ...(config.natsTlsCertificateFile === undefined ? {} : { certFile: config.natsTlsCertificateFile }),
    ...(config.natsTlsKeyFile === undefined ? {} : { keyFile: config.natsTlsKeyFile }),
  }
  return Object.keys(tls).length > 0 ? { tls } : {}
}

/** How a process joins the bus. Throws ConfigFailure. */
export const busOptions = (config: ConnectionsConfig): Omit<NatsBusOptions, 'name' | 'log'> => {
  const { natsServers, natsToken, natsUser, natsPassword, natsReplicas, natsPrefix, natsStreamMegabytes } = config
  if (natsServers.length === 0) throw new ConfigError('NATS_URL must be set: processes of their own need NATS.')
  // Not echoed: what stands before the @ is a secret.
  if (natsServers.some((server) => server.includes('@')))
    throw new ConfigError(
      'NATS_URL holds a user or a password; NATS_USER and NATS_PASSWORD, or NATS_TOKEN, are for those.',
    )
  if ((natsUser === undefined) !== (natsPassword === undefined))
    throw new ConfigError('NATS_USER and NATS_PASSWORD must be set together.')
  const credentials = natsToken === undefined ? undefined : { token: natsToken }
  return {
    servers: natsServers,
    prefix: natsPrefix,
    storage: {
      kind: 'file',
      replicas: natsReplicas,
      maxStreamBytes: natsStreamMegabytes === undefined ? undefined : natsStreamMegabytes * 1024 * 1024,
    },
    ...(credentials ? { credentials } : {}),
    ...(natsUser !== undefined && natsPassword !== undefined
      ? { credentials: { user: natsUser, password: natsPassword } }
      : {}),
    ...natsTls(config),
  }
}

/** What tells a process of the bus, out of an environment: for a child that is to join it, too. */
export const busEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('NATS_') && value !== undefined ? [[name, value]] : [],
    ),
  )

/** S3 where it is told of, else the object store of NATS. Throws ConfigFailure. */
export const filesLocation = (config: ConnectionsConfig): FilesLocation => {
  const { s3Endpoint: endpoint, s3AccessKeyId, s3SecretAccessKey, natsServers } = config
  if (endpoint === undefined) {
    return {
      kind: 'nats',
      servers: [...natsServers],
      bucket: config.natsFilesBucket,
      replicas: config.natsReplicas,
      prefix: config.natsPrefix,
      ...(config.natsFilesApi === undefined ? {} : { apiPrefix: config.natsFilesApi }),
      ...natsTls(config),
      ...(config.natsToken === undefined ? {} : { token: config.natsToken }),
      ...(config.natsUser === undefined ? {} : { user: config.natsUser }),
      ...(config.natsPassword === undefined ? {} : { password: config.natsPassword }),
    }
  }
  if (s3AccessKeyId === undefined || s3SecretAccessKey === undefined)
    throw new ConfigError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set where S3_ENDPOINT is.')
  return {
    kind: 's3',
    endpoint,
    region: config.s3Region,
    bucket: config.s3Bucket,
    prefix: config.s3Prefix,
    accessKeyId: s3AccessKeyId,
    secretAccessKey: s3SecretAccessKey,
    ...(config.s3SessionToken === undefined ? {} : { sessionToken: config.s3SessionToken }),
    forcePathStyle: config.s3PathStyle,
    checksums: config.s3Checksums,
  }
}

/** Secrets and certificates as they were told. Throws ConfigFailure where only a part of what belongs together was. */
export const rpcSecurity = (config: RpcConfig): RpcSecurity => {
  const { certificateFile, keyFile, authorityFile, callers, serverName, rpcSecrets: secrets } = config
  if (certificateFile === undefined && keyFile === undefined && authorityFile === undefined) return { secrets }
  if (certificateFile === undefined || keyFile === undefined || authorityFile === undefined)
    throw new ConfigError('RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE must be set together.')
  return { secrets, tls: { certificateFile, keyFile, authorityFile, callers, serverName } }
}
