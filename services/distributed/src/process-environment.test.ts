import { expect, test } from 'vitest'
import { layOut } from './layout.ts'

/** Settings and secrets of every kind, and something of the person's that is none of ours. */
const environment = {
  PATH: '/usr/bin',
  DATABASE_URL: 'postgresql://trellis:pg-secret@127.0.0.1/trellis',
  NATS_TOKEN: 'nats-secret',
  S3_SECRET_ACCESS_KEY: 's3-secret',
  SERVICE_API_KEY: 'api-secret',
  SERVICE_ORCHARD_ADMIN_KEY: 'admin-secret',
  SERVICE_SETTINGS_KEY: 'settings-secret-of-32-characters-00',
  GATEWAY_JWT_SECRET: 'jwt-secret',
  LICENSE_TOKEN: 'licence-secret',
  MARKETPLACE_CERT_ID: 'marketplace-secret',
  AWS_SECRET_ACCESS_KEY: 'of-the-person',
  LOG_LEVEL: 'warn',
}

/** Secrets that processes of each kind are started with. */
const secretsByKind = async () => {
  const layout = await layOut({ replicas: 1, port: 0, dataDirectory: '/data/distributed', environment, secret: 'rpc' })
  const specs = [...layout.migrations, layout.workloads, ...layout.services, ...layout.edges]
  for (const { reserved = [] } of specs) for (const port of reserved) await port[Symbol.asyncDispose]()
  return new Map(
    specs.map(({ name, environment: own }) => [
      name,
      Object.keys(environment).filter((variable) => variable !== 'PATH' && variable in own),
    ]),
  )
}

test('each process is started with the settings that it reads, and with no secret of another', async () => {
  const secrets = await secretsByKind()
  expect(secrets.get('edge-1')?.toSorted()).toEqual([
    'GATEWAY_JWT_SECRET',
    'LICENSE_TOKEN',
    'LOG_LEVEL',
    'SERVICE_API_KEY',
    'SERVICE_ORCHARD_ADMIN_KEY',
  ])
  expect(secrets.get('logs-1')).toEqual(
    expect.arrayContaining(['DATABASE_URL', 'SERVICE_API_KEY', 'SERVICE_SETTINGS_KEY']),
  )
  expect(secrets.get('music-1')).not.toContain('SERVICE_SETTINGS_KEY')
  expect(secrets.get('workloads')).not.toContain('DATABASE_URL')
  for (const [name, variables] of secrets) {
    expect(variables, name).not.toContain('AWS_SECRET_ACCESS_KEY')
    if (!name.startsWith('edge')) expect(variables, name).not.toContain('SERVICE_ORCHARD_ADMIN_KEY')
  }
})
