import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'

const day = '2026-03-01'
const entry = (time: string, source_id: string, text: string, severity: string | null = null) => ({
  source_id,
  text,
  timestamp_iso: `${day}T${time}Z`,
  severity,
})
const times = (count: number, from: string, source: string, text: (n: number) => string, severity: string) =>
  Array.from({ length: count }, (_, n) => entry(`${from}:${String(n + 10)}`, source, text(n), severity))

/** Several things fail within an hour, one much more often than the others. */
const story = [
  ...times(40, '09:10', 'front:proxy', (n) => `connect to cellar failed while serving /page/${n}`, 'ERROR'),
  ...times(20, '09:15', 'gate:lock', (n) => `Failed password for invalid user kim${n} from 203.0.113.7`, 'ERROR'),
  entry('09:02:00', 'attic:mdadm', 'DeviceError event on /dev/md0, component device /dev/sdc1', 'ERROR'),
  entry('09:02:01', 'attic:mdadm', 'md/raid1:md0: Disk failure on sdc1, disabling device.', 'CRITICAL'),
  ...times(4, '09:01', 'attic:kernel', (n) => `ata3.0${n}: failed command: READ FPDMA QUEUED`, 'ERROR'),
  entry('09:20:00', 'rack:kernel', 'Out of memory: Killed process 4242 (album-server) total-vm:8000000kB', 'CRITICAL'),
  ...times(10, '09:40', 'flat:hub', () => 'Cannot connect to host api.example.net: name resolution failed', 'ERROR'),
  ...times(12, '09:30', 'flat:hub', (n) => `sensor.kitchen unavailable: broker gone (try ${n})`, 'WARN'),
]

const service = await openServiceForTests({ now: () => Date.parse(`${day}T09:50:00Z`) })
const client = service.client(LogsServiceDefinition)
beforeAll(async () => {
  expect(await client.gleanBatch(batchOf(story))).toMatchObject({ accepted: story.length })
})
afterAll(() => service[Symbol.asyncDispose]())

test.each([
  ['of the source that the question names by its host', 'is a disk of the attic broken?', 'disk'],
  ['with the word itself rather than a synonym', 'album crashed', 'memory'],
  ['that only warns, but has more of the words', 'the kitchen sensor is unavailable', 'sensor.kitchen'],
])('the first cause is the one %s', async (_, query, words) => {
  const { suspectedCauses } = await client.diagnose({ query, timezone: 'UTC' })
  expect(suspectedCauses[0]?.title.toLowerCase()).toContain(words)
})
