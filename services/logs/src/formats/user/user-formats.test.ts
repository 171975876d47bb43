import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLog } from '@trellis/kit/telemetry'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { startTrellis, type Trellis } from '@trellis/test/support/trellis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { knownFormatNames } from '../active-formats.ts'
import { describeEntry } from '../describe-entry.ts'
import { openUserFormats } from './user-formats.ts'

const formatFile = (name: string, mark: string, more = '') =>
  `name: ${name}\npattern: '^${mark}(?<level>\\w+) (?<message>.*)'\nlevels: {oops: ERROR}\n${more}samples:\n  - line: '${mark}oops no room'\n    severity: ERROR\n`

const withFolder = async (files: Record<string, string>) => {
  const folder = await temporaryDirectory()
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder.path, name), content)
  return folder
}

describe('formats of a user', () => {
  test('are those of the folder; a faulty file is named, and the rest works', async () => {
    await using folder = await withFolder({
      'a.yaml': formatFile('first', '~'),
      'b.yml': formatFile('second', '%', 'nonsense: 1\n'),
      'c.json': JSON.stringify({ name: 'third', pattern: '^@(?<message>.*)', samples: [{ line: '@x' }] }),
      'd.yaml': formatFile('fourth', '~'),
      'notes.txt': 'no format',
    })
    await using formats = await openUserFormats({ directory: folder.path, log: silentLog })
    expect(await formats.list()).toMatchObject([
      { file: 'a.yaml', name: 'first', error: undefined },
      { file: 'b.yml', error: expect.stringContaining('b.yml, line 4: nonsense is not known') },
      { file: 'c.json', name: 'third', error: undefined },
      { file: 'd.yaml', name: 'fourth', error: expect.stringContaining('is read as first') },
    ])
    expect(knownFormatNames().slice(0, 3)).toEqual(['first', 'third', expect.any(String)])
    expect(describeEntry('first', '~oops no room')).toMatchObject({ message: 'no room', fields: { level: 'oops' } })
  })

  test('are read anew when a file comes, changes or goes', async () => {
    await using folder = await withFolder({ 'a.yaml': formatFile('first', '~') })
    await using formats = await openUserFormats({ directory: folder.path, log: silentLog })
    const names = async () => (await formats.list()).map(({ name }) => name)
    expect(await names()).toEqual(['first'])
    await writeFile(join(folder.path, 'b.yaml'), formatFile('second', '%'))
    expect(await names()).toEqual(['first', 'second'])
    await writeFile(join(folder.path, 'a.yaml'), formatFile('renamed', '~~'))
    expect(await names()).toEqual(['renamed', 'second'])
    await rm(join(folder.path, 'a.yaml'))
    expect(await names()).toEqual(['second'])
    expect(knownFormatNames()).not.toContain('first')
  })

  test('need not be there', async () => {
    await using formats = await openUserFormats({ directory: '/nowhere/at/all', log: silentLog })
    expect(await formats.list()).toEqual([])
  })
})

describe('formats of a user in a running service', () => {
  let trellis: Trellis
  let directory: string
  beforeAll(async () => {
    trellis = await startTrellis({}, { form: 'embedded' })
    directory = join(trellis.dataDirectory, 'formats')
    await mkdir(directory, { recursive: true })
  })
  afterAll(() => trellis?.[Symbol.asyncDispose]())

  const get = async (path: string) => (await (await fetch(`${trellis.origin}/logs/api/${path}`)).json()) as never
  const upload = async (content: string, query = '') => {
    const body = new FormData()
    body.append('file', new Blob([content]), 'worker.log')
    const response = await fetch(`${trellis.origin}/logs/api/ingest/upload?wait=true${query}`, { method: 'POST', body })
    return {
      status: response.status,
      task: (await response.json()) as { formats: Record<string, number>; detail?: string },
    }
  }

  test('the worked example of the page on formats is read by its format as soon as the file is there, without a restart', async () => {
    const page = await readFile(new URL('../../../../../docs/formats.md', import.meta.url), 'utf8')
    const [, log = ''] = /```\n(\[07[\s\S]*?)```/.exec(page) ?? []
    const [, format = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
    // The built-in format that the page names.
    const [, builtIn = ''] = /test worker\.log` reports `([\w-]+)`/.exec(page) ?? []
    expect((await upload(log, '&source_id=before')).task.formats).toEqual({ [builtIn]: 3 })
    const before = (await get('search?q=aisle&source=before')) as { entries: Record<string, unknown>[] }
    expect(before.entries).toMatchObject([{ timestamp_iso: null, severity: null }])
    expect((await upload(log, '&format=shop-worker')).status).toBe(422)
    await writeFile(join(directory, 'shop-worker.yaml'), format)
    const { formats } = (await get('formats')) as { formats: Record<string, unknown>[] }
    expect(formats[0]).toMatchObject({ name: 'shop-worker', source: 'user', file: 'shop-worker.yaml', error: null })
    expect(formats.at(-1)).toMatchObject({ source: 'built_in', file: null })
    expect((await upload(log, '&source_id=again&timezone=UTC')).task.formats).toEqual({ 'shop-worker': 3 })
    expect((await upload(log, '&source_id=named&format=shop-worker')).status).toBe(200)
    const { entries } = (await get('search?q=aisle&source=again')) as { entries: Record<string, unknown>[] }
    expect(entries).toMatchObject([
      {
        severity: 'ERROR',
        timestamp_iso: '2024-05-07T10:20:30.000Z',
        format: 'shop-worker',
        message: 'no room in aisle 4\n    at Aisle.place',
        fields: { part: 'basket', order: '417' },
      },
    ])
  })

  test('GET /api/formats says of a faulty file what is wrong and where', async () => {
    await writeFile(join(directory, 'wrong.yaml'), 'name: wrong\npattern: "^("\nsamples: []\n')
    const { formats } = (await get('formats')) as { formats: Record<string, unknown>[] }
    expect(formats.filter(({ source }) => source === 'user')).toMatchObject([
      { name: 'shop-worker', error: null },
      {
        name: null,
        file: 'wrong.yaml',
        error: expect.stringContaining('wrong.yaml, line 2: pattern is no regular expression'),
      },
    ])
  })
})
