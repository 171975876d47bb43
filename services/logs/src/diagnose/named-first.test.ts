import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'

const day = '2026-03-01'
const entry = (minute: number, source_id: string, text: string) => ({
  source_id,
  text,
  timestamp_iso: `${day}T09:${String(minute).padStart(2, '0')}:00Z`,
  severity: 'ERROR',
})

test('entries of the source that the question names come first, even if others have its words more often', async () => {
  await using service = await openServiceForTests({ now: () => Date.parse(`${day}T10:00:00Z`) })
  const client = service.client(LogsServiceDefinition)
  const ofMail = Array.from({ length: 55 }, (_, minute) =>
    entry(minute, 'post', `login failed, login failed for kim${minute}, too many logins failed`),
  )
  const ofWiki = [7, 17].map((minute) => entry(minute, 'wiki', 'Login of kim by the form on the first page has failed'))
  const others = Array.from({ length: 35 }, (_, minute) => entry(minute + 20, 'wiki', `page ${minute} is damaged`))
  await client.gleanBatch(batchOf([...ofMail, ...ofWiki, ...others]))
  const { entries } = await client.diagnose({ query: 'too many failed logins at the wiki', timezone: 'UTC' })
  expect(entries.slice(0, 3).map(({ sourceId, text }) => [sourceId, text.slice(0, 5)])).toEqual([
    ['wiki', 'Login'],
    ['wiki', 'Login'],
    ['post', 'login'],
  ])
})
