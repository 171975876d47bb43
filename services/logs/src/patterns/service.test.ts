import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { openServiceForTests } from '../service-for-tests.ts'

const ownFile = `
patterns:
  - { tag: door_open, domain: service_health, severity: WARN, words: [door], samples: { matches: [the door is open] } }
  - { tag: gate_open, domain: gates, words: [gate], samples: { matches: [the gate is open] } }
overrides:
  - { tag: disk_full, severity: WARN }
`

test('GET /api/patterns shows built-in, changed and own patterns and problems; entries get their tags', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-patterns-'))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  await mkdir(join(directory, 'own'))
  await writeFile(join(directory, 'own', 'doors.yaml'), ownFile)
  const service = opened.use(
    await openServiceForTests({
      environment: { SERVICE_PATTERNS_DIR: join(directory, 'own') },
      dataDirectory: directory,
    }),
  )
  const client = service.client(LogsServiceDefinition)
  const { patterns, problems } = await client.listPatterns({})
  const shown = (tag: string) => patterns.find((pattern) => pattern.tag === tag)
  expect(shown('disk_error')).toMatchObject({ source: 'built_in' })
  expect(shown('disk_full')).toMatchObject({ source: 'changed', severity: 'WARN', file: 'doors.yaml' })
  expect(shown('door_open')).toMatchObject({ source: 'user', domain: 'service_health', file: 'doors.yaml' })
  expect(problems).toMatchObject([{ file: 'doors.yaml', problem: expect.stringContaining('gate_open') }])
  await client.gleanBatch(
    (async function* () {
      yield { part: { $case: 'parameters' as const, value: { sourceId: 'house' } } }
      const texts = ['the door is open', 'write: No space left on device']
      const entries = texts.map((text) => JSON.stringify({ text }))
      yield { part: { $case: 'chunk' as const, value: Buffer.from(entries.join('\n')) } }
    })(),
  )
  const search = (more: object) => client.search({ order: '', ...more })
  expect((await search({ domain: 'service_health' })).entries).toMatchObject([
    { text: 'the door is open', matchedPatterns: ['door_open'], severity: 'WARN' },
  ])
  expect((await search({ pattern: 'disk_full' })).entries).toMatchObject([{ severity: 'WARN' }])
})
