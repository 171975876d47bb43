import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../config/mod.ts'
import {
  busOptions,
  connectionsConfig,
  filesLocation,
  rpcConfig,
  rpcSecurity,
  shareConnections,
  storeElsewhere,
  storeLocation,
  workerFilesLocation,
} from './connections-config.ts'

const connections = (environment: Record<string, string>) => readConfig(connectionsConfig, environment)

describe('locations of rows and files', () => {
  test('rows are in the database if one is configured, otherwise in the data directory', () => {
    expect(storeLocation(connections({}), './data')).toEqual({ dataDirectory: './data' })
    const settings = connections({ DATABASE_URL: 'postgresql://db/trellis', DATABASE_CONNECTIONS: '3' })
    expect(storeLocation(settings, './data')).toMatchObject({
      databaseUrl: 'postgresql://db/trellis',
      limits: { connections: 3, statementMilliseconds: 60_000 },
    })
    expect(() => storeLocation(connections({ DATABASE_URL: 'mysql://db' }), './data')).toThrow(ConfigError)
  })

  test('a separate setting places rows in another database, in a folder, or with the other rows', () => {
    const main = { databaseUrl: 'postgresql://db/trellis', limits: { connections: 10 } }
    const placed = (value: string | undefined) => storeElsewhere({ variable: 'OTHER_DB', value }, main)
    expect(placed(undefined)).toBe(main)
    expect(placed('postgres://other/db')).toEqual({ databaseUrl: 'postgres://other/db', limits: { connections: 10 } })
    expect(placed('/srv/rows')).toEqual({ dataDirectory: '/srv/rows' })
    const refused = () => placed('mysql://me:secret@db')
    expect(refused).toThrow(/OTHER_DB must start with postgresql:/)
    expect(refused).not.toThrow(/secret/)
  })

  test('stores in one database share the connections of the process', () => {
    const main = { databaseUrl: 'postgresql://db/trellis', limits: { connections: 10 } }
    const elsewhere = { databaseUrl: 'postgresql://other/db', limits: { connections: 10 } }
    const counts = shareConnections([main, main, elsewhere, { dataDirectory: '/srv' }]).map((location) =>
      'limits' in location ? location.limits?.connections : undefined,
    )
    expect(counts).toEqual([8, 2, 10, undefined])
  })

  test('files are on S3 if it is configured with its keys, otherwise on NATS', () => {
    expect(filesLocation(connections({ NATS_URL: 'a:4222,b:4222' }))).toMatchObject({
      kind: 'nats',
      servers: ['a:4222', 'b:4222'],
    })
    const s3 = { S3_ENDPOINT: 'http://s3:9000', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }
    expect(filesLocation(connections(s3))).toMatchObject({ kind: 's3', endpoint: 'http://s3:9000', bucket: 'trellis' })
    expect(() => filesLocation(connections({ S3_ENDPOINT: 'http://s3:9000' }))).toThrow(/S3_ACCESS_KEY_ID/)
  })

  test('audio workers use the same store, with their own credentials if they have some', () => {
    const s3 = {
      S3_ENDPOINT: 'http://s3:9000',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
      S3_SESSION_TOKEN: 'of-the-owner',
    }
    const nats = { NATS_URL: 'a:4222', NATS_USER: 'music', NATS_PASSWORD: 'm', NATS_PREFIX: 'own' }
    for (const environment of [s3, nats])
      expect(workerFilesLocation(connections(environment))).toEqual(filesLocation(connections(environment)))
    const keys = { WORKER_S3_ACCESS_KEY_ID: 'audio', WORKER_S3_SECRET_ACCESS_KEY: 'less' }
    const onS3 = workerFilesLocation(connections({ ...s3, ...keys }))
    expect(onS3).toMatchObject({ bucket: 'trellis', accessKeyId: 'audio', secretAccessKey: 'less' })
    expect(onS3).not.toHaveProperty('sessionToken')
    const user = { WORKER_NATS_USER: 'audio', WORKER_NATS_PASSWORD: 'a' }
    expect(workerFilesLocation(connections({ ...nats, ...user }))).toMatchObject({
      servers: ['a:4222'],
      user: 'audio',
      password: 'a',
      apiPrefix: 'own.js',
    })
    expect(() => workerFilesLocation(connections({ ...s3, WORKER_S3_ACCESS_KEY_ID: 'audio' }))).toThrow(
      /WORKER_S3_SECRET_ACCESS_KEY/,
    )
    expect(() => workerFilesLocation(connections({ ...nats, WORKER_NATS_USER: 'audio' }))).toThrow(
      /WORKER_NATS_PASSWORD/,
    )
  })
})

describe('settings that must be set together', () => {
  test('the bus requires servers, and a user requires a password', () => {
    expect(() => busOptions(connections({}))).toThrow(/NATS_URL/)
    expect(() => busOptions(connections({ NATS_URL: 'a:4222', NATS_USER: 'u' }))).toThrow(/NATS_PASSWORD/)
    expect(() => busOptions(connections({ NATS_URL: 'nats://me:secret@a:4222' }))).toThrow(
      /NATS_USER and NATS_PASSWORD/,
    )
    const settings = { NATS_URL: 'a:4222', NATS_USER: 'u', NATS_PASSWORD: 'p', NATS_STREAM_MB: '2' }
    expect(busOptions(connections(settings))).toMatchObject({
      credentials: { user: 'u', password: 'p' },
      storage: { maxStreamBytes: 2 * 1024 * 1024 },
    })
  })

  test('TLS requires certificate, key and authority', () => {
    expect(rpcSecurity(readConfig(rpcConfig, { RPC_SECRET: 'new,old' }))).toEqual({ secrets: ['new', 'old'] })
    expect(() => rpcSecurity(readConfig(rpcConfig, { RPC_TLS_CERT_FILE: '/c' }))).toThrow(/RPC_TLS_KEY_FILE/)
  })
})
