import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'

const failed = (timestamp_iso: string, number: number) => ({
  source_id: 'shop:north:web',
  text: `payment ${number} failed`,
  timestamp_iso,
  severity: 'ERROR',
})
const hour = Array.from({ length: 12 }, (_, index) => failed(`2026-03-01T09:${10 + index}:00Z`, index))
const far = [failed('1970-01-01T00:00:07Z', 70), failed('9999-12-31T00:00:00Z', 99)]

const diagnosisOf = async (entries: readonly object[], query: string, more: object = {}) => {
  await using service = await openServiceForTests({ now: () => Date.parse('2026-03-01T12:00:00Z') })
  const logs = service.client(LogsServiceDefinition)
  await logs.gleanBatch(batchOf(entries))
  return await logs.diagnose({ query, timezone: 'UTC', ...more })
}

test.each(['why do payments fail?', 'what is wrong with shop:north:web?'])(
  'entries with implausible times do not change the timeline of a diagnosis and are counted separately: %s',
  async (query) => {
    const without = await diagnosisOf(hour, query)
    const along = await diagnosisOf([...hour, ...far], query)
    expect(without.timeline).toHaveLength(12)
    expect(without.timelineLeftOut).toEqual({ earlier: 0, later: 0 })
    expect(along.timeline).toEqual(without.timeline)
    expect(along.timelineLeftOut).toEqual({ earlier: 1, later: 1 })
  },
)

test('the timeline of a diagnosis with an explicit window includes all of the window', async () => {
  const window = { since: '1900-01-01T00:00:00Z', until: '9999-12-31T23:59:59Z' }
  const { timeline, timelineLeftOut } = await diagnosisOf([...hour, ...far], 'why do payments fail?', window)
  expect(timeline.reduce((sum, { count }) => sum + count, 0)).toBe(14)
  expect(timelineLeftOut).toEqual({ earlier: 0, later: 0 })
})
