import type { NatsBusOptions } from '../bus/mod.ts'
import { ConfigError, read, secret, setting, type ValuesOf } from '../config/mod.ts'
import { type FilesLocation, natsFilesNames } from '../files/mod.ts'
import type { RpcSecurity } from '../rpc/mod.ts'
import { isPostgres, postgresLimits, type StoreLocation } from '../store/mod.ts'

const optionalText = read.optional(read.text)

/** The database of every process that stores rows. Without one, rows are in files in the data directory. */
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
    60,
    'Time limit of a statement, including up to 30 s in which it waits for locks.',
  ),
}

/** The file store of every process that reads or writes files. */
export const filesConfig = {
  natsFilesBucket: setting(
    'NATS_FILES_BUCKET',
    read.text,
    'trellis-files',
    'The NATS object store for files, without S3.',
  ),
  natsFilesApi: setting(
    'NATS_FILES_API',
    optionalText,
    undefined,
    'Prefix of JetStream requests for that store, where it is in another account; default $JS.API.',
  ),
  s3Endpoint: setting('S3_ENDPOINT', read.optional(read.url), undefined, 'An S3-compatible store for all files.'),
  s3Region: setting('S3_REGION', read.text, 'us-east-1', 'Its region.'),
  s3Bucket: setting('S3_BUCKET', read.text, 'trellis', 'The bucket, which must exist.'),
  s3Prefix: setting('S3_PREFIX', read.text, '', 'Prefix of every key, for a shared bucket.'),
  s3AccessKeyId: secret('S3_ACCESS_KEY_ID', optionalText, undefined, 'The id of the access key.'),
  s3SecretAccessKey: secret('S3_SECRET_ACCESS_KEY', optionalText, undefined, 'The secret of the access key.'),
  s3SessionToken: secret('S3_SESSION_TOKEN', optionalText, undefined, 'The session token of temporary credentials.'),
  s3PathStyle: setting('S3_PATH_STYLE', read.flag, true, 'The bucket is in the path, not in the host name.'),
  s3Checksums: setting(
    'S3_CHECKSUMS',
    read.flag,
    true,
    'The store verifies a CRC-32 of each file; 0 if it rejects that.',
  ),
}

/** The file store of audio workers that a process starts, where they have credentials of their own. */
export const workerFilesConfig = {
  workerS3AccessKeyId: secret(
    'WORKER_S3_ACCESS_KEY_ID',
    optionalText,
    undefined,
    'The id of the access key of audio workers, which need not delete files; unset: S3_ACCESS_KEY_ID.',
  ),
  workerS3SecretAccessKey: secret(
    'WORKER_S3_SECRET_ACCESS_KEY',
    optionalText,
    undefined,
    'The secret of that access key.',
  ),
  workerNatsUser: setting(
    'WORKER_NATS_USER',
    optionalText,
    undefined,
    'The user for the NATS object store of audio workers, in an account that imports its API; unset: NATS_USER.',
  ),
  workerNatsPassword: secret('WORKER_NATS_PASSWORD', optionalText, undefined, 'The password of that user.'),
}

/** Settings for the servers that a process of a distributed installation depends on. */
export const connectionsConfig = {
  ...databaseConfig,
  natsServers: setting('NATS_URL', read.list, [], 'NATS servers with JetStream, comma-separated.'),
  natsToken: secret('NATS_TOKEN', optionalText, undefined, 'The token for NATS.'),
  natsUser: setting('NATS_USER', optionalText, undefined, 'The user for NATS.'),
  natsPassword: secret('NATS_PASSWORD', optionalText, undefined, 'The password of that user.'),
  natsTlsAuthorityFile: setting(
    'NATS_TLS_CA_FILE',
    optionalText,
    undefined,
    'The authority of the certificate of NATS (PEM).',
  ),
  natsTlsCertificateFile: setting(
    'NATS_TLS_CERT_FILE',
    optionalText,
    undefined,
    'The client certificate for NATS (PEM).',
  ),
  natsTlsKeyFile: setting('NATS_TLS_KEY_FILE', optionalText, undefined, 'Its key.'),
  natsPrefix: setting('NATS_PREFIX', read.text, 'trellis', 'Prefix of streams and subjects, for a shared NATS.'),
  natsReplicas: setting('NATS_REPLICAS', read.integer(1, 5), 1, 'NATS servers that store a copy of each event.'),
  natsStreamMegabytes: setting(
    'NATS_STREAM_MB',
    read.optional(read.integer(1, 16_777_216)),
    undefined,
    'Maximum size of a stream, past which its oldest events are dropped; required by accounts with limits.',
  ),
  ...filesConfig,
  ...workerFilesConfig,
}

/** How processes authenticate their calls to each other. */
export const rpcConfig = {
  rpcSecrets: secret(
    'RPC_SECRET',
    read.list,
    [],
    'The secret of calls between processes; a comma-separated list during a rotation.',
  ),
  certificateFile: setting('RPC_TLS_CERT_FILE', optionalText, undefined, 'The certificate of this process (PEM).'),
  keyFile: setting('RPC_TLS_KEY_FILE', optionalText, undefined, 'Its key.'),
  authorityFile: setting('RPC_TLS_CA_FILE', optionalText, undefined, 'The authority of all certificates.'),
  callers: setting('RPC_TLS_CALLERS', read.list, ['edge'], 'Names in certificates whose holders may set the caller.'),
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

/** The database if one is configured, otherwise the data directory. Throws ConfigError. */
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
 * The location of a store with a separate setting: a Postgres database, a folder, or, if unset, that of the
 * other rows. Throws ConfigError for any other URL, and does not echo it, because it may hold a password.
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

/** Divides the connections of a process among its stores in one database: a fifth, at least one, to each but the first, which gets the rest. */
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

/** TLS settings of connections to NATS, if any are set. */
const natsTls = (config: ConnectionsConfig) => {
  const tls = {
    ...(config.natsTlsAuthorityFile === undefined ? {} : { caFile: config.natsTlsAuthorityFile }),
    ...(config.natsTlsCertificateFile === undefined ? {} : { certFile: config.natsTlsCertificateFile }),
    ...(config.natsTlsKeyFile === undefined ? {} : { keyFile: config.natsTlsKeyFile }),
  }
  return Object.keys(tls).length > 0 ? { tls } : {}
}

/** Options for connecting to the bus. Throws ConfigError. */
export const busOptions = (config: ConnectionsConfig): Omit<NatsBusOptions, 'name' | 'log'> => {
  const { natsServers, natsToken, natsUser, natsPassword, natsReplicas, natsPrefix, natsStreamMegabytes } = config
  if (natsServers.length === 0) throw new ConfigError('NATS_URL must be set: separate processes require NATS.')
  // The address is not echoed: the part before the @ is a secret.
  if (natsServers.some((server) => server.includes('@')))
    throw new ConfigError(
      'NATS_URL holds a user or a password. Set those in NATS_USER and NATS_PASSWORD, or NATS_TOKEN.',
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

/** The variables of an environment that configure the bus, for a child process that connects to it. */
export const busEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('NATS_') && value !== undefined ? [[name, value]] : [],
    ),
  )

/** S3 if it is configured, otherwise the object store of NATS. Throws ConfigError. */
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

/**
 * The file store of audio workers that a process starts: its own, with the credentials of workers where they are set. Throws
 * ConfigError.
 */
export const workerFilesLocation = (config: ConnectionsConfig): FilesLocation => {
  const { workerS3AccessKeyId, workerS3SecretAccessKey, workerNatsUser, workerNatsPassword } = config
  if ((workerS3AccessKeyId === undefined) !== (workerS3SecretAccessKey === undefined))
    throw new ConfigError('WORKER_S3_ACCESS_KEY_ID and WORKER_S3_SECRET_ACCESS_KEY must be set together.')
  if ((workerNatsUser === undefined) !== (workerNatsPassword === undefined))
    throw new ConfigError('WORKER_NATS_USER and WORKER_NATS_PASSWORD must be set together.')
  const location = filesLocation(config)
  if (location.kind === 's3' && workerS3AccessKeyId !== undefined && workerS3SecretAccessKey !== undefined) {
    // A session token belongs to the other key.
    const { sessionToken: _, ...store } = location
    return { ...store, accessKeyId: workerS3AccessKeyId, secretAccessKey: workerS3SecretAccessKey }
  }
  if (location.kind !== 'nats' || workerNatsUser === undefined || workerNatsPassword === undefined) return location
  const { token: _, ...store } = location
  const apiPrefix = natsFilesNames(config.natsPrefix, config.natsFilesBucket).importedApi
  return { ...store, user: workerNatsUser, password: workerNatsPassword, apiPrefix }
}

/** Secrets and certificates. Throws ConfigError where only some of the certificate settings are set. */
export const rpcSecurity = (config: RpcConfig): RpcSecurity => {
  const { certificateFile, keyFile, authorityFile, callers, serverName, rpcSecrets: secrets } = config
  if (certificateFile === undefined && keyFile === undefined && authorityFile === undefined) return { secrets }
  if (certificateFile === undefined || keyFile === undefined || authorityFile === undefined)
    throw new ConfigError('RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE must be set together.')
  return { secrets, tls: { certificateFile, keyFile, authorityFile, callers, serverName } }
}
