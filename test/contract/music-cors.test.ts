import { createEdge, edgeConfig } from '@trellis/edge'
import { readConfig } from '@trellis/kit/config'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import openapi from '../probe/gen/edge/openapi.json' with { type: 'json' }

/** The origins that may read an answer of a mount, of those that request it. */
const allowedOrigins = async (environment: Record<string, string>, mount: string, origins: readonly string[]) => {
  await using edge = await createEdge({
    config: readConfig(edgeConfig, { SHUTDOWN_SECONDS: '1', ...environment }),
    routes: [],
    backends: ['/music', '/logs'].map((path) => ({ name: path, mount: path, heartbeat: 'keepalive', client: {} })),
    openapi: openapi as never,
    missing: () => ({}),
    log: silentLog,
    metrics: createMetrics({ processMetrics: false }),
  })
  const answers = origins.map(async (origin) => {
    const { headers } = await edge.server.inject({ url: `${mount}/api/x`, headers: { origin } })
    return headers['access-control-allow-origin'] ?? null
  })
  return Promise.all(answers)
}

const studio = 'https://studio.example'
const other = 'https://elsewhere.example'

test.each<[string, Record<string, string>, (string | null)[]]>([
  ['no page by default', {}, [null, null]],
  ['the pages of MUSIC_CORS_ORIGINS', { MUSIC_CORS_ORIGINS: studio }, [studio, null]],
  ['the same in production', { MUSIC_CORS_ORIGINS: studio, NODE_ENV: 'production' }, [studio, null]],
  ['no page that only CORS_ORIGINS lists', { CORS_ORIGINS: studio }, [null, null]],
  ['any page in development', { NODE_ENV: 'development', MUSIC_CORS_ORIGINS: studio }, ['*', '*']],
])('answers of music may be read by %s', async (_, environment, expected) => {
  expect(await allowedOrigins(environment, '/music', [studio, other])).toEqual(expected)
})

test('MUSIC_CORS_ORIGINS opens music only', async () => {
  expect(await allowedOrigins({ MUSIC_CORS_ORIGINS: studio }, '/logs', [studio])).toEqual([null])
})
