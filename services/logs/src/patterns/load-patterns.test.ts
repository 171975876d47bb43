import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEnricher } from './enricher.ts'
import { libraryPatterns } from './library/mod.ts'
import { loadPatterns } from './load-patterns.ts'

const folderWith = async (files: Record<string, string>) => {
  const path = await mkdtemp(join(tmpdir(), 'trellis-patterns-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
const pattern = (change: object) => ({
  tag: 'door_open',
  domain: 'service_health',
  words: ['door'],
  samples: { matches: ['the door is open'] },
  ...change,
})
const problemsOf = async (content: unknown) => {
  await using folder = await folderWith({
    'own.json': typeof content === 'string' ? content : JSON.stringify(content),
  })
  return (await loadPatterns(folder.path)).problems.map(({ file, problem }) => `${file} ${problem}`)
}

test('a folder that is not there leaves the library as it is', async () => {
  expect(await loadPatterns('/none/such')).toMatchObject({ patterns: libraryPatterns, problems: [] })
})

test('the file of the page on patterns does what the page says', async () => {
  const page = await readFile(new URL('../../../../docs/patterns.md', import.meta.url), 'utf8')
  await using folder = await folderWith({ 'page.yaml': /```yaml\n(.*?)```/s.exec(page)?.[1] ?? '' })
  const { patterns, files, problems } = await loadPatterns(folder.path)
  expect(problems).toEqual([])
  expect(patterns.find(({ tag }) => tag === 'disk_full')?.severity).toBe('ERROR')
  expect(patterns.some(({ tag }) => tag === 'privilege_use')).toBe(false)
  expect(files.get('door_open')).toBe('page.yaml')
  const enricher = createEnricher(patterns)
  const all = enricher.words.map((_, index) => index)
  expect(enricher.enrich('gate north still open after 300 s', all, undefined)).toEqual({
    severity: 3,
    patterns: ['door_open'],
  })
  expect(enricher.enrich('gate north closed', all, undefined).patterns).toEqual([])
})

test('words alone are enough, whole ones in any letters', async () => {
  await using folder = await folderWith({
    'own.json': JSON.stringify({
      patterns: [
        pattern({
          words: ['Tür', 'door:'],
          samples: { matches: ['die TÜR ist auf', 'a door opens'], passes: ['a doorman'] },
        }),
      ],
    }),
  })
  const { patterns, problems } = await loadPatterns(folder.path)
  expect(problems).toEqual([])
  expect(patterns.at(-1)?.words).toEqual(['tür', 'door'])
})

test('a word of a script without blanks stands anywhere in a line', async () => {
  const samples = { matches: ['连接数据库失败', '数据库'], passes: ['数据很多'] }
  const content = JSON.stringify({ patterns: [pattern({ words: ['数据库'], samples })] })
  await using folder = await folderWith({ 'own.json': content })
  const { patterns, problems } = await loadPatterns(folder.path)
  expect(problems).toEqual([])
  expect(patterns.at(-1)?.words).toEqual(['数据'])
})

test.each([
  ['YAML that is none', 'patterns: [', /own\.json .*flow/i],
  ['a file of something else', '[1]', /own\.json a file has patterns/],
  ['a key that is not known', { patterns: [pattern({ serverity: 'WARN' })] }, /"serverity" is not known/],
  [
    'a domain that is not known',
    { patterns: [pattern({ domain: 'doors' })] },
    /domain is one of service_health, .*not "doors"/,
  ],
  ['a severity that is not known', { patterns: [pattern({ severity: 'BAD' })] }, /severity is CRITICAL/],
  ['a tag that cannot be one', { patterns: [pattern({ tag: 'Door open' })] }, /tag begins with/],
  ['no words', { patterns: [pattern({ words: [] })] }, /words has 1 to/],
  [
    'two words without blanks within',
    { patterns: [pattern({ words: ['数据 错误'] })] },
    /"数据 错误" in words is not one/,
  ],
  ['half a word', { patterns: [pattern({ words: ['数'] })] }, /"数" in words is not one word/],
  ['a word that is two', { patterns: [pattern({ words: ['left open'] })] }, /"left open" in words is not one word/],
  [
    'an expression that is none',
    { patterns: [pattern({ expression: '(door' })] },
    /expression is no regular expression .*missing closing/,
  ],
  [
    'a sample without the words',
    { patterns: [pattern({ samples: { matches: ['the gate is open'] } })] },
    /has none of the words/,
  ],
  [
    'a sample that is not matched',
    { patterns: [pattern({ expression: 'door shut' })] },
    /"the door is open" is not matched/,
  ],
  [
    'a sample that is matched and should not be',
    { patterns: [pattern({ samples: { matches: ['door'], passes: ['door mat'] } })] },
    /"door mat" is matched, though/,
  ],
  ['a tag that is built in', { patterns: [pattern({ tag: 'disk_full' })] }, /"disk_full" is built in/],
  ['a tag twice', { patterns: [pattern({}), pattern({})] }, /"door_open" is there twice/],
  ['an override of nothing', { overrides: [{ tag: 'door_open', off: true }] }, /no built-in pattern "door_open"/],
  ['an override that changes nothing', { overrides: [{ tag: 'disk_full' }] }, /has a severity, or off: true/],
  [
    'an expression that looks around',
    { patterns: [pattern({ expression: 'door (?!shut)', samples: { matches: ['door is open'] } })] },
    /matched in linear time, which knows neither looking around/,
  ],
])(
  '%s is named with its file',
  async (_, content, expected) => {
    const problems = await problemsOf(content)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(expected)
  },
  30_000,
)

test('what has a mistake is left out, and all else of its file is in use', async () => {
  await using folder = await folderWith({
    'own.json': JSON.stringify({ patterns: [pattern({ domain: 'x' }), pattern({ tag: 'gate_open' })] }),
  })
  const { patterns, problems } = await loadPatterns(folder.path)
  expect(problems).toEqual([{ file: 'own.json', problem: expect.stringContaining('patterns[0] (door_open)') }])
  expect(patterns.at(-1)?.tag).toBe('gate_open')
})
