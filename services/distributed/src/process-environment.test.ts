import { expect, test } from 'vitest'
import { type LayoutOptions, layOut } from './layout.ts'
import { drawPasswords } from './local-servers.ts'
import { natsRoles } from './servers/mod.ts'

/** Settings and secrets of every kind, and a variable of the user that is not ours. */
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
  AWS_SECRET_ACCESS_KEY: 'of-the-user',
  LOG_LEVEL: 'warn',
}

/** The environments of the processes, by name. */
const environments = async (options: Pick<LayoutOptions, 'environment' | 'grants'>) => {
  const layout = await layOut({ replicas: 1, port: 0, dataDirectory: '/data/distributed', secret: 'rpc', ...options })
  const specs = [...layout.migrations, layout.workloads, ...layout.services, ...layout.edges]
  for (const { reserved = [] } of specs) for (const port of reserved) await port[Symbol.asyncDispose]()
  return new Map(specs.map(({ name, environment: own }) => [name, own]))
}

/** The variables of the user's environment in each process, by name. */
const secretsByKind = async () =>
  new Map(
    [...(await environments({ environment }))].map(([name, own]) => [
      name,
      Object.keys(environment).filter((variable) => variable !== 'PATH' && variable in own),
    ]),
  )

test('each process gets the settings that it reads, and no secrets of others', async () => {
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
  expect(secrets.get('listings-1')).not.toContain('S3_SECRET_ACCESS_KEY')
  for (const [name, variables] of secrets) {
    expect(variables, name).not.toContain('AWS_SECRET_ACCESS_KEY')
    if (!name.startsWith('edge')) expect(variables, name).not.toContain('SERVICE_ORCHARD_ADMIN_KEY')
  }
})

test('processes that start workers of music get what those need to know of the GPU, and others do not', async () => {
  const byName = await environments({ environment: { NVIDIA_TF32_OVERRIDE: '0' } })
  const receivers = [...byName].filter(([, own]) => own.NVIDIA_TF32_OVERRIDE === '0').map(([name]) => name)
  expect(receivers.toSorted()).toEqual(['music migrate', 'music-1', 'workloads'])
})

test('each process gets only the NATS password of its role, and the keys of S3 if it uses files', async () => {
  const passwords = drawPasswords()
  const byName = await environments({
    environment: {},
    grants: {
      nats: (role) => ({ NATS_URL: '127.0.0.1:4222', NATS_USER: role, NATS_PASSWORD: passwords[role] }),
      database: { DATABASE_URL: 'postgresql://drawn' },
      files: (role) => ({
        S3_ENDPOINT: 'http://127.0.0.1:9',
        S3_SECRET_ACCESS_KEY: role === 'workloads' ? 'workers-drawn' : 's3-drawn',
        ...(role === 'music' && { WORKER_S3_SECRET_ACCESS_KEY: 'workers-drawn' }),
      }),
    },
  })
  expect(new Set(Object.values(passwords)).size).toBe(natsRoles.length)
  /** The generated credentials of each process: NATS roles and stores. */
  const held = [...byName].map(([name, own]) => {
    const values = Object.values(own).join(' ')
    const stores = ['postgresql://drawn', 's3-drawn', 'workers-drawn'].filter((secret) => values.includes(secret))
    return [name, ...natsRoles.filter((role) => values.includes(passwords[role])), ...stores]
  })
  expect(held.toSorted()).toEqual([
    ['edge-1'],
    ['listings migrate', 'listings', 'postgresql://drawn'],
    ['listings-1', 'listings', 'postgresql://drawn'],
    ['logs migrate', 'logs', 'postgresql://drawn'],
    ['logs-1', 'logs', 'postgresql://drawn', 's3-drawn'],
    ['music migrate', 'music', 'postgresql://drawn'],
    ['music-1', 'music', 'postgresql://drawn', 's3-drawn', 'workers-drawn'],
    ['workloads', 'workloads', 'workers-drawn'],
  ])
})
