import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { journalMissing, writeJournal } from '@trellis/test/support/journal'
import { describe, expect, test } from 'vitest'
import type { Collector } from '../collector.ts'
import { type RunCommand, runLocally } from '../command.ts'
import { readEntry, withCollector } from '../records/collect-for-tests.ts'
import type { LocalJournalEntry } from '../source-entry.ts'
import { until } from '../until-for-tests.ts'
import { collectJournal, createJournalCollector } from './journald-collector.ts'

const named = journalMissing === undefined ? '' : ` [skipped: ${journalMissing}]`
const start = 1_717_495_200_000_000
const boot = '0123456789abcdef0123456789abcdef'
const entry = (number: number, more: Record<string, string> = {}) =>
  `${Object.entries({
    __REALTIME_TIMESTAMP: `${start + number * 1_000}`,
    __MONOTONIC_TIMESTAMP: `${number * 1_000}`,
    _BOOT_ID: boot,
    _SYSTEMD_UNIT: 'app.service',
    PRIORITY: '6',
    MESSAGE: `number ${number}`,
    ...more,
  })
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n\n`
const some = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => entry(from + index)).join('')

/** Processes of this machine with a word in their command lines. */
const processesNaming = async (word: string): Promise<string[]> => {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const commands = await Promise.all(
    numbers.map((number) => readFile(`/proc/${number}/cmdline`, 'utf8').catch(() => '')),
  )
  return commands.filter((words) => words.includes('journalctl') && words.includes(word))
}

const setUp = async () => {
  const collector = createJournalCollector({ now: Date.now, flush: { milliseconds: 100, records: 100 } })
  const dependencies = await withCollector(collector)
  const directory = join(dependencies.directory, 'journal')
  await mkdir(directory)
  const source = (more: Record<string, unknown> = {}) =>
    readEntry({ id: 'journald', transport: 'local', glean_type: 'journald', path: directory, ...more })
  return { ...dependencies, collector, journal: directory, source }
}

describe.skipIf(journalMissing !== undefined)(`the journal${named}`, () => {
  test('is collected with its units as sources, its priorities as severities, and its times', async () => {
    await using dependencies = await setUp()
    const printed = entry(3, { _SYSTEMD_UNIT: 'ssh.service', PRIORITY: '3', MESSAGE: 'broken' })
    const bytes = Buffer.from('MESSAGE\n\x08\0\0\0\0\0\0\0a\nb\xff\x1b[1m\n', 'latin1')
    const binary = Buffer.concat([
      Buffer.from(entry(4, { _SYSTEMD_UNIT: 'blob.service' }).replace(/MESSAGE=.*\n\n/, '')),
      bytes,
      Buffer.from('\n'),
    ])
    writeJournal(dependencies.journal, Buffer.concat([Buffer.from(some(0, 3) + printed), binary]))
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ entries: 5, duplicates: 0, problems: [] })
    const entries = await dependencies.entries()
    expect(entries.map(({ origin, text, severity }) => [origin.sourceId, text, severity])).toEqual([
      ['journald:attic:app', 'number 0', null],
      ['journald:attic:app', 'number 1', null],
      ['journald:attic:app', 'number 2', null],
      ['journald:attic:ssh', 'broken', 'ERROR'],
      ['journald:attic:blob', 'a\nb�', null],
    ])
    expect(entries[0]?.time).toBe(start / 1_000)
    expect(entries[3]?.sender?.fields).toMatchObject({ PRIORITY: '3', _BOOT_ID: boot })
  })

  test('is continued after the last stored entry, also after a reboot, without duplicates', async () => {
    await using dependencies = await setUp()
    writeJournal(dependencies.journal, some(0, 5))
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ entries: 5 })
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ lines: 0, problems: [] })
    writeJournal(
      dependencies.journal,
      entry(5, { _BOOT_ID: `f${boot.slice(1)}`, __MONOTONIC_TIMESTAMP: '7' }) + some(6, 8),
    )
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ lines: 3, entries: 3, problems: [] })
    expect(await dependencies.glean(dependencies.source(), { force: true })).toMatchObject({
      entries: 0,
      duplicates: 8,
    })
    expect(await dependencies.entries()).toHaveLength(8)
  })

  test('that has lost the entry that was read last reports it, and is continued', async () => {
    await using dependencies = await setUp()
    writeJournal(dependencies.journal, some(0, 5))
    await dependencies.glean(dependencies.source())
    await rm(dependencies.journal, { recursive: true })
    await mkdir(dependencies.journal)
    writeJournal(dependencies.journal, some(7, 9))
    const result = await dependencies.glean(dependencies.source())
    expect(result.problems).toEqual([expect.stringContaining('may be missing')])
    expect((await dependencies.entries()).map(({ text }) => text)).toEqual(
      expect.arrayContaining(['number 7', 'number 8']),
    )
  })

  test('is stored completely if its reading is stopped and started again', async () => {
    await using dependencies = await setUp()
    writeJournal(dependencies.journal, some(0, 9_000))
    const stop = new AbortController()
    const stopping = dependencies.glean(dependencies.source(), { signal: stop.signal })
    await expect.poll(async () => (await dependencies.entries()).length, { interval: 5 }).toBeGreaterThan(0)
    stop.abort(new Error('stopped'))
    await stopping.catch(() => undefined)
    await dependencies.glean(dependencies.source())
    expect(await dependencies.entries()).toHaveLength(9_000)
  })

  test('is followed: new entries arrive live, and later runs store no duplicates', async () => {
    await using dependencies = await setUp()
    writeJournal(dependencies.journal, some(0, 3))
    await dependencies.glean(dependencies.source())
    const following = dependencies.follow(dependencies.source())
    writeJournal(dependencies.journal, some(3, 5))
    await until(dependencies.entries, (entries) => entries.length === 5)
    writeJournal(dependencies.journal, some(5, 6))
    await until(dependencies.entries, (entries) => entries.length === 6)
    expect(await following.stop()).toMatchObject({ counts: { entries: 3, duplicates: 0 } })
    expect(following.problems).toEqual([])
    writeJournal(dependencies.journal, some(6, 8))
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ entries: 2, duplicates: 0 })
    expect((await dependencies.entries()).map(({ text }) => text)).toEqual(
      Array.from({ length: 8 }, (_, index) => `number ${index}`),
    )
  })

  test.for([true, false])('is followed with what earlier boots wrote; its folder is named: %s', async (isNamed) => {
    await using dependencies = await setUp()
    const { journal, source } = dependencies
    // Without a folder it is the system's journal, whose files are elsewhere here.
    const run: RunCommand = ([program = '', ...words], signal) =>
      runLocally([program, ...words, ...(isNamed ? [] : [`--directory=${journal}`])], signal)
    const flush = { milliseconds: 5, records: 100 }
    await using opened = await withCollector<LocalJournalEntry>({
      collect: (request) => collectJournal(request, { run, now: Date.now }),
      follow: (request) => collectJournal(request, { run, now: Date.now, flush }),
    })
    const followed = source(isNamed ? {} : { path: undefined })
    writeJournal(journal, some(0, 3))
    await opened.glean(followed)
    const later = [5, 6].map((number) => entry(number, { _BOOT_ID: `f${boot.slice(1)}` })).join('')
    writeJournal(journal, some(3, 5) + later)
    const following = opened.follow(followed)
    const entries = await until(opened.entries, (stored) => stored.length === 7)
    expect(entries.map(({ text }) => text)).toEqual(Array.from({ length: 7 }, (_, index) => `number ${index}`))
    expect(await following.stop()).toMatchObject({ counts: { entries: 4, duplicates: 0 } })
    expect(following.problems).toEqual([])
  })

  test('with a damaged file is collected as far as it can be read, and the file is reported', async () => {
    await using dependencies = await setUp()
    writeJournal(dependencies.journal, some(0, 3))
    await writeFile(join(dependencies.journal, 'damaged.journal'), 'no journal')
    const problems = [expect.stringMatching(/^Entries in the journal of attic cannot be read: .*damaged\.journal/)]
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ entries: 3, problems })
  })

  test('is followed by a journalctl that ends with its reader', async () => {
    await using dependencies = await setUp()
    writeJournal(dependencies.journal, some(0, 3))
    const stopping = new AbortController()
    const chunks = dependencies.collector.follow?.({
      source: dependencies.source() as LocalJournalEntry,
      checkpoints: dependencies.checkpoints('journald'),
      force: false,
      signal: stopping.signal,
      onProblem: (problem) => expect.unreachable(problem),
    })
    if (!chunks) throw new TypeError('A journal can be followed.')
    // The reader stops without aborting the signal.
    for await (const taken of chunks) {
      expect(taken).toMatchObject({ entries: 3 })
      break
    }
    await until(
      () => processesNaming(dependencies.journal),
      (processes) => processes.length === 0,
    )
  })

  test.skipIf(process.getuid?.() !== 0)('of which a user sees only its own entries is reported', async () => {
    const asOther = '--reuid=65534 --regid=65534 --clear-groups'.split(' ')
    const collector: Collector<LocalJournalEntry> = {
      collect: (request) =>
        collectJournal(request, {
          run: (words, signal) => runLocally(['setpriv', ...asOther, ...words], signal),
          now: Date.now,
        }),
    }
    await using dependencies = await withCollector(collector)
    const source = readEntry({
      id: 'journald',
      transport: 'local',
      glean_type: 'journald',
      path: dependencies.directory,
    })
    await chmod(dependencies.directory, 0o755)
    writeJournal(dependencies.directory, some(0, 2))
    const [own, system] = ['test.journal', 'system.journal'].map((name) => join(dependencies.directory, name))
    await chmod(own ?? '', 0o644)
    expect(await dependencies.glean(source)).toMatchObject({ entries: 2, problems: [] })
    await copyFile(own ?? '', system ?? '')
    await chmod(system ?? '', 0o600)
    const problems = [expect.stringMatching(/^In the journal of attic, only the entries of one user can be read\. /)]
    expect(await dependencies.glean(source)).toMatchObject({ lines: 0, problems })
  })

  test('has a line in one entry that journald divided, and loses no part of one that is incomplete at the end', async () => {
    await using dependencies = await setUp()
    const part = (number: number, MESSAGE: string, more: Record<string, string> = {}) =>
      entry(number, { _TRANSPORT: 'stdout', _STREAM_ID: 'f00', _PID: '7', MESSAGE, ...more })
    const divided = { _LINE_BREAK: 'line-max' }
    writeJournal(dependencies.journal, part(0, 'ERROR: one, ', divided) + part(1, 'two, ', divided) + part(2, 'three'))
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ entries: 1, problems: [] })
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ lines: 0, problems: [] })
    writeJournal(dependencies.journal, part(3, 'four, ', divided))
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ entries: 1 })
    writeJournal(dependencies.journal, part(4, 'five'))
    expect(await dependencies.glean(dependencies.source())).toMatchObject({ entries: 1, duplicates: 0, problems: [] })
    const texts = (await dependencies.entries()).map(({ text }) => text)
    expect(texts).toEqual(['ERROR: one, two, three', 'four, ', 'five'])
  })

  test('has the format and the rule for joining of its source', async () => {
    await using dependencies = await setUp()
    const lines = ['2026-03-01 09:15:02 ERROR failed', '  at main', '2026-03-01 09:15:02 INFO served']
    const printed = lines.map((MESSAGE, index) => entry(index, { _TRANSPORT: 'stdout', _PID: '7', MESSAGE }))
    writeJournal(dependencies.journal, printed.join(''))
    expect(await dependencies.glean(dependencies.source({ id: 'detected' }))).toMatchObject({ entries: 2 })
    const configured = dependencies.source({ id: 'configured', format: 'plain', multiline: 'never' })
    expect(await dependencies.glean(configured)).toMatchObject({ entries: 3, formats: { plain: 3 } })
  })

  test('is collected only for the units of a source, whatever characters their names have', async () => {
    await using dependencies = await setUp()
    writeJournal(dependencies.journal, some(0, 2) + entry(3, { _SYSTEMD_UNIT: 'ssh.service' }))
    expect(await dependencies.glean(dependencies.source({ units: ['ssh.service'] }))).toMatchObject({ entries: 1 })
    const strange = dependencies.source({ id: 'strange', units: ['$(touch x);--file=/etc/passwd'] })
    expect(await dependencies.glean(strange)).toMatchObject({ entries: 0 })
  })
})
