import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TailFrame } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { waitFor } from '@trellis/test/support/wait-for'
import { expect, test, vi } from 'vitest'
import { knownFormatNames } from '../formats/active-formats.ts'
import { type ServedBranch, serveBranch } from './stores-for-tests.ts'

const day = 86_400_000

const textsOf = async ({ active }: ServedBranch): Promise<string[]> => {
  const answer = await active.client?.searchBranch({ limit: 100, order: 'oldest' })
  return (answer?.entries ?? []).map(({ entry }) => entry?.text ?? '')
}

test('a branch stores what it receives under its slug and tenant, and reports the number of entries', async () => {
  await using folder = await temporaryDirectory()
  const notices: BranchEvent[] = []
  const options = {
    dataDirectory: folder.path,
    noticeMilliseconds: 20,
    notify: async (notice: BranchEvent) => void notices.push(notice),
    now: () => 1_772_000_000_000,
  }
  {
    await using barn = await serveBranch('barn', { BRANCH_TENANT_ID: 'acme' }, options)
    await waitFor(() => expect(notices).toEqual([{ slug: 'barn', entryCount: 0, lastSeen: null }]))
    expect(
      await barn.push([
        { text: 'one', sequence: 1 },
        { text: 'two', sequence: 2 },
      ]),
    ).toMatchObject({ accepted: 2, duplicates: 0 })
    expect(
      await barn.push([
        { text: 'one', sequence: 1 },
        { text: 'two', sequence: 2 },
      ]),
    ).toMatchObject({ accepted: 0, duplicates: 2 })
    const answer = await barn.active.client?.searchBranch({ limit: 10, order: 'oldest' })
    expect(answer?.entries.map(({ entry }) => entry)).toMatchObject([
      { branch: 'barn', tenantId: 'acme', anonymized: false },
      { branch: 'barn', tenantId: 'acme' },
    ])
    const lastSeen = '2026-02-25T06:13:20.000Z'
    await waitFor(() => expect(notices.at(-1)).toEqual({ slug: 'barn', entryCount: 2, lastSeen }))
    expect(await barn.active.client?.countEntries({})).toEqual({ entryCount: 2, lastSeen })
  }
  await using again = await serveBranch('barn', {}, options)
  expect(await textsOf(again)).toEqual(['one', 'two'])
  expect(await again.active.client?.countEntries({})).toMatchObject({ entryCount: 2 })
})

test('a notification that fails is sent again', async () => {
  let attempts = 0
  await using barn = await serveBranch(
    'barn',
    {},
    {
      noticeMilliseconds: 10,
      notify: async () => {
        attempts++
        if (attempts < 3) throw new Error('unreachable')
      },
    },
  )
  await waitFor(() => expect(attempts).toBe(3))
  await barn.push([{ text: 'one' }])
  await waitFor(() => expect(attempts).toBe(4))
})

test('with BRANCH_ANONYMIZE, names get pseudonyms on arrival, and a repeated entry is still a duplicate', async () => {
  await using folder = await temporaryDirectory()
  await using barn = await serveBranch('barn', { BRANCH_ANONYMIZE: '1' }, { dataDirectory: folder.path })
  const entries = [{ text: 'login of user=ann from 192.0.2.7', source_id: 'gate:192.0.2.9' }]
  expect(await barn.push(entries)).toMatchObject({ accepted: 1 })
  expect(await barn.push(entries)).toMatchObject({ accepted: 0, duplicates: 1 })
  expect(await textsOf(barn)).toEqual([expect.stringMatching(/^login of user=user-\w{12} from ip4-\w{12}$/)])
  const sources = await barn.active.client?.countBranchSources({})
  expect(sources?.sources.map(({ sourceId }) => sourceId)).toEqual([expect.stringMatching(/^gate:ip4-\w{12}$/)])
  expect(await barn.active.client?.anonymizeEntries({})).toEqual({ entriesChanged: 0, addresses: 0, usernames: 0 })
})

test('pseudonyms survive a restart, and differ between branches', async () => {
  await using folder = await temporaryDirectory()
  const entry = (sequence: number) => [{ text: 'from 192.0.2.7', sequence }]
  const once = async (sequence: number) => {
    await using barn = await serveBranch('barn', {}, { dataDirectory: folder.path })
    await barn.push(entry(sequence))
    await barn.active.client?.anonymizeEntries({})
    return await textsOf(barn)
  }
  await once(1)
  const [first, second] = await once(2)
  expect(first).toMatch(/^from ip4-\w{12}$/)
  expect(second).toBe(first)
  expect((await stat(join(folder.path, 'pseudonym-key'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder.path, 'pseudonym-key'))).toHaveLength(32)
  await using other = await serveBranch('attic')
  await other.push(entry(1))
  await other.active.client?.anonymizeEntries({})
  expect(await textsOf(other)).not.toEqual([first])
})

test('templates that contain names are removed when a branch is pseudonymized', async () => {
  await using barn = await serveBranch('barn')
  const templates = async () =>
    (await barn.active.client?.countBranchTemplates({ bucketCount: 0, bucketMilliseconds: 1, start: 0 }))?.templates ??
    []
  await barn.push([{ text: 'session opened for user ann by 7' }, { text: 'session opened for user ann by 8' }])
  expect(await templates()).toMatchObject([{ template: 'session opened for user ann by <*>', count: 2 }])
  await barn.active.client?.anonymizeEntries({})
  expect(await templates()).toEqual([])
  await barn.push([{ text: 'disk 7 is slow' }])
  expect(await templates()).toMatchObject([{ template: 'disk <*> is slow', count: 1 }])
})

test('a tail that resumes after the branch was pseudonymized reports a gap in place of the names', async () => {
  await using barn = await serveBranch('barn')
  const { client } = barn.active
  const read = async (max: number, lastEventId: string) => {
    const left = new AbortController()
    const frames: TailFrame[] = []
    for await (const frame of client?.tailBranch({ lastEventId }, { signal: left.signal }) ?? []) {
      frames.push(frame)
      if (frames.length === 1) await barn.push([{ text: `login of user=ann from 192.0.2.${frames.length + max}` }])
      if (frames.length === max) break
    }
    left.abort()
    return frames
  }
  const [begun] = await read(2, '')
  await client?.anonymizeEntries({})
  const [, missed, next] = await read(3, begun?.eventId ?? '')
  expect(missed?.event?.$case).toBe('gap')
  expect(next?.event).toMatchObject({ value: { text: 'login of user=ann from 192.0.2.4' } })
})

test('entries are deleted after the retention, counted from their arrival', async () => {
  await using folder = await temporaryDirectory()
  vi.useFakeTimers({ toFake: ['setInterval'] })
  try {
    let now = 1_772_000_000_000
    const options = { dataDirectory: folder.path, now: () => now }
    await using barn = await serveBranch('barn', { BRANCH_RETENTION_DAYS: '2' }, options)
    await barn.push([{ text: 'first', timestamp_iso: '2020-01-01T00:00:00Z' }])
    now += day
    await barn.push([{ text: 'second', timestamp_iso: '2020-01-01T00:00:00Z' }])
    now += 1.5 * day
    vi.advanceTimersByTime(3_600_000)
    await waitFor(async () => expect(await textsOf(barn)).toEqual(['second']))
  } finally {
    vi.useRealTimers()
  }
})

test('a branch reads formats and tags entries as the logs service does, also those that a user has added', async () => {
  await using folder = await temporaryDirectory()
  const [formats, patterns] = [join(folder.path, 'formats'), join(folder.path, 'patterns')]
  await mkdir(formats)
  await mkdir(patterns)
  await writeFile(
    join(patterns, 'doors.yaml'),
    `patterns:
  - tag: door_open
    domain: service_health
    severity: ERROR
    words: [gate]
    samples: {matches: ['gate north open'], passes: ['north']}
`,
  )
  await writeFile(
    join(formats, 'doors.yaml'),
    `name: doors\npattern: '^~(?<level>\\w+) (?<message>.*)'\nsamples:\n  - line: '~oops no room'\n`,
  )
  const environment = { SERVICE_FORMATS_DIR: formats, SERVICE_PATTERNS_DIR: patterns }
  await using barn = await serveBranch('barn', environment, { dataDirectory: join(folder.path, 'data') })
  await barn.push([{ text: 'the gate in the north', sequence: 1 }])
  const answer = await barn.active.client?.searchBranch({ limit: 10, order: 'oldest' })
  expect(answer?.entries.map(({ entry }) => entry)).toMatchObject([
    { matchedPatterns: ['door_open'], severity: 'ERROR' },
  ])
  expect(knownFormatNames()).toContain('doors')
})
