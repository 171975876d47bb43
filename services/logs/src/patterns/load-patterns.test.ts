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

test('a folder that does not exist leaves the library unchanged', async () => {
  expect(await loadPatterns('/none/such')).toMatchObject({ patterns: libraryPatterns, problems: [] })
})

test('the example of the documentation page does what the page describes', async () => {
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

test('words are enough, matched as whole words in any case', async () => {
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

test('a word of a script without spaces matches anywhere in a line', async () => {
  const samples = { matches: ['连接数据库失败', '数据库'], passes: ['数据很多'] }
  const content = JSON.stringify({ patterns: [pattern({ words: ['数据库'], samples })] })
  await using folder = await folderWith({ 'own.json': content })
  const { patterns, problems } = await loadPatterns(folder.path)
  expect(problems).toEqual([])
  expect(patterns.at(-1)?.words).toEqual(['数据'])
})

test.each([
  ['invalid YAML', 'patterns: [', /own\.json .*flow/i],
  ['a file of something else', '[1]', /own\.json a file must have patterns/],
  ['an unknown key', { patterns: [pattern({ serverity: 'WARN' })] }, /"serverity" is not known/],
  [
    'an unknown domain',
    { patterns: [pattern({ domain: 'doors' })] },
    /domain must be one of service_health, .*not "doors"/,
  ],
  ['an unknown severity', { patterns: [pattern({ severity: 'BAD' })] }, /severity must be CRITICAL/],
  ['an invalid tag', { patterns: [pattern({ tag: 'Door open' })] }, /tag must begin with/],
  ['no words', { patterns: [pattern({ words: [] })] }, /words must have 1 to/],
  [
    'two words without a space between them',
    { patterns: [pattern({ words: ['数据 错误'] })] },
    /"数据 错误" in words is not one/,
  ],
  ['half a word', { patterns: [pattern({ words: ['数'] })] }, /"数" in words is not one word/],
  ['a word that is two', { patterns: [pattern({ words: ['left open'] })] }, /"left open" in words is not one word/],
  [
    'an invalid expression',
    { patterns: [pattern({ expression: '(door' })] },
    /expression is not a regular expression .*missing closing/,
  ],
  [
    'a sample without the words',
    { patterns: [pattern({ samples: { matches: ['the gate is open'] } })] },
    /contains none of the words/,
  ],
  [
    'a sample that does not match',
    { patterns: [pattern({ expression: 'door shut' })] },
    /"the door is open" does not match/,
  ],
  [
    'a counterexample that matches',
    { patterns: [pattern({ samples: { matches: ['door'], passes: ['door mat'] } })] },
    /"door mat" matches, although/,
  ],
  ['a tag of a built-in pattern', { patterns: [pattern({ tag: 'disk_full' })] }, /"disk_full" is built in/],
  ['a tag twice', { patterns: [pattern({}), pattern({})] }, /"door_open" is defined twice/],
  ['an override of nothing', { overrides: [{ tag: 'door_open', off: true }] }, /no built-in pattern "door_open"/],
  ['an override that changes nothing', { overrides: [{ tag: 'disk_full' }] }, /needs a severity or off: true/],
  [
    'an expression with lookaround',
    { patterns: [pattern({ expression: 'door (?!shut)', samples: { matches: ['door is open'] } })] },
    /linear-time matching, which supports neither lookaround/,
  ],
])(
  '%s is reported with its file',
  async (_, content, expected) => {
    const problems = await problemsOf(content)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(expected)
  },
  30_000,
)

test('an invalid pattern is omitted, and the rest of its file is used', async () => {
  await using folder = await folderWith({
    'own.json': JSON.stringify({ patterns: [pattern({ domain: 'x' }), pattern({ tag: 'gate_open' })] }),
  })
  const { patterns, problems } = await loadPatterns(folder.path)
  expect(problems).toEqual([{ file: 'own.json', problem: expect.stringContaining('patterns[0] (door_open)') }])
  expect(patterns.at(-1)?.tag).toBe('gate_open')
})
