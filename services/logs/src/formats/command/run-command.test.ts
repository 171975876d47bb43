import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { runFormatsCommand } from './run-command.ts'

const format = `name: tilde
pattern: '^~(?<level>\\w+) (?<message>.*)'
samples:
  - line: '~ERROR no room'
    severity: ERROR
`

const withFiles = async (files: Record<string, string | Buffer>) => {
  const folder = await temporaryDirectory()
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder.path, name), content)
  const run = async (...words: string[]) => {
    const lines: string[] = []
    const code = await runFormatsCommand({
      words: ['formats', ...words],
      formatsDirectory: join(folder.path, 'none'),
      print: (line) => lines.push(line),
      now: Date.UTC(2026, 2, 1),
    })
    return { code, text: lines.join('\n') }
  }
  return { run, path: (name: string) => join(folder.path, name), [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

test('says for a log how many lines each format has, and shows those that none knows', async () => {
  const log = '2024/03/01 09:15:02 [error] 71#71: *5 open() failed\n~ERROR no room\n~WARN little room\n'
  await using files = await withFiles({ 'x.log.gz': gzipSync(log), 'tilde.yaml': format })
  const { code, text } = await files.run('test', files.path('x.log.gz'))
  expect(code).toBe(0)
  expect(text).toContain('3 lines, 3 entries')
  expect(text).toMatch(/nginx-error +1\n/)
  expect(text).toMatch(/plain +2 {2}\(no format knows them\)/)
  expect(text).toContain('line 2: ~ERROR no room')
  const folder = join(files.path('x.log.gz'), '..')
  const own = await files.run('test', '--formats', folder, files.path('x.log.gz'))
  expect(own.text).toMatch(/tilde +2 {2}\(yours\)/)
  expect(own.text).not.toContain('Not known')
  expect((await files.run('list', '--formats', folder)).text).toMatch(/^tilde\n/)
})

test('says for a format file whether it is valid, with how each sample came out', async () => {
  await using files = await withFiles({
    'tilde.yaml': format,
    'wrong.yaml': format.replace('severity: ERROR', 'severity: WARN'),
    'broken.yaml': 'name: 7\n',
  })
  expect(await files.run('test', files.path('tilde.yaml'))).toEqual({
    code: 0,
    text: 'Format "tilde" is valid.\n  right  ~ERROR no room',
  })
  const wrong = await files.run('test', files.path('wrong.yaml'))
  expect(wrong).toMatchObject({
    code: 1,
    text: expect.stringContaining('WRONG  ~ERROR no room\n         has severity ERROR, not WARN'),
  })
  expect(await files.run('test', files.path('broken.yaml'))).toMatchObject({
    code: 1,
    text: expect.stringContaining('broken.yaml, line 1: name must be'),
  })
})

test('says what it can do to whoever asks for something else, and names a file that is not there', async () => {
  await using files = await withFiles({})
  expect(await files.run('tset', 'x')).toMatchObject({ code: 2, text: expect.stringContaining('formats test FILE') })
  expect(await files.run('test', '/nowhere.log')).toMatchObject({
    code: 1,
    text: expect.stringContaining('/nowhere.log'),
  })
})
