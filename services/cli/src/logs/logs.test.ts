import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@trellis/distributed/servers'
import { runCommand, startCommand } from '@trellis/test/support/command-line'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { startTrellis, type Trellis } from '@trellis/test/support/trellis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const key = 'a-key-for-tests'

const resources = new AsyncDisposableStack()
let trellis: Trellis
let keyFile: string
beforeAll(async () => {
  const { path } = resources.use(await temporaryDirectory())
  keyFile = join(path, 'key')
  await writeFile(keyFile, `${key}\n`)
  trellis = resources.use(await startTrellis({ SERVICE_API_KEY: key, LOGS_WATCH: '0' }))
})
afterAll(() => resources.disposeAsync())

type Environment = Record<string, string>

const here = (): Environment => ({ TRELLIS_URL: trellis.origin, SERVICE_API_KEY: key })

/** Starts a command of logs. */
const start = (words: readonly string[], environment = here()) => startCommand(['logs', ...words], environment)

/** Runs a command of logs with some standard input. */
const call = (
  words: readonly string[],
  { input, environment = here() }: { input?: string; environment?: Environment } = {},
) => runCommand(['logs', ...words], environment, input)

describe('trellis logs', () => {
  test('what is sent is found, followed and diagnosed', async () => {
    const tail = start(['tail', 'checkout', '--severity', 'ERROR', '--history', '0'])
    const lines = [
      '2026-03-01T09:15:01Z INFO cart opened',
      '2026-03-01T09:15:02Z ERROR checkout refused: no connection',
    ]
    // The stream may open after the first lines were stored.
    let round = 0
    const isFollowed = async () => {
      round += 1
      const input = lines.map((line) => `${line} ${round}\n`).join('')
      expect(await call(['send', 'shop'], { input })).toEqual({ code: 0, result: 'Stored: 2 lines.\n', notes: '' })
      return tail.result()
    }
    await expect
      .poll(isFollowed)
      .toContain(' 2026-03-01T09:15:02.000Z  ERROR     shop  checkout refused: no connection')
    expect(tail.result()).not.toContain('cart')
    tail.child.kill('SIGINT')
    expect(await tail.closed).toMatchObject({ code: 130, notes: '' })

    const found = await call(['search', 'cart', '--since', '2026-03-01', '--until', '2026-03-02', '--limit', '1'])
    expect(found).toEqual({
      code: 0,
      result: expect.stringMatching(/^ 2026-03-01T09:15:01\.000Z {12}shop {2}cart opened \d+\n$/),
      notes: round === 1 ? '1 found.\n' : `${round} found, 1 printed.\n`,
    })
    expect(await call(['search', 'cart', '--since', '2h'])).toMatchObject({
      code: 0,
      result: '',
      notes: 'Nothing was found.\n',
    })
    const answer = JSON.parse((await call(['search', 'checkout', '--source', 'shop', '--json'])).result)
    expect(answer).toMatchObject({ total: round, entries: [{ source_id: 'shop' }, ...Array(round - 1).fill({})] })

    const diagnosis = await call(['diagnose', 'checkout', 'refused'])
    expect(diagnosis).toMatchObject({
      code: 0,
      notes: '',
      result: expect.stringMatching(/"checkout"[\s\S]*ERROR {5}shop {2}checkout refused/),
    })
  })

  test('equal lines are stored as often as they are sent', async () => {
    const input = 'tick\n'.repeat(3)
    for (let sent = 1; sent <= 2; sent++) {
      expect((await call(['send', 'clock'], { input })).result).toBe('Stored: 3 lines.\n')
      const { total } = JSON.parse((await call(['search', 'tick', '--source', 'clock', '--json'])).result)
      expect(total).toBe(3 * sent)
    }
  })

  test('lines wait for a server that is away, and a tail goes on where it was', async () => {
    await using directory = await temporaryDirectory()
    const port = String(await freePort())
    const environment = { TRELLIS_URL: `http://127.0.0.1:${port}` }
    const installation = { PORT: port, LOGS_WATCH: '0' }
    const options = { dataDirectory: directory.path, form: 'embedded' } as const
    const before = await startTrellis(installation, options)
    const tail = start(['tail', '--history', '1'], environment)
    const send = start(['send', 'pipe'], environment)
    send.child.stdin.write('first\n')
    await expect.poll(tail.result).toContain('pipe  first')
    await before.stop()
    send.child.stdin.write('second\n')
    await expect.poll(send.notes).toContain('The lines wait')
    await expect.poll(tail.notes).toContain('The connection was lost.')
    await using _after = await startTrellis(installation, options)
    await expect.poll(tail.result).toContain('pipe  second')
    send.child.stdin.end('third')
    expect(await send.closed).toMatchObject({ code: 0, result: 'Stored: 3 lines.\n' })
    await expect.poll(tail.result).toContain('pipe  third')
    expect(tail.result().match(/pipe {2}\w+/g)).toEqual(['pipe  first', 'pipe  second', 'pipe  third'])
  })

  test('ended by Ctrl-C, a sender sends what it has read', async () => {
    const send = start(['send', 'ended'])
    send.child.stdin.write('whole\nwithout an end')
    // The second batch waits for its second when the signal comes.
    await expect.poll(async () => (await call(['search', 'whole', '--source', 'ended'])).result).toContain('whole')
    send.child.stdin.write(' of its line\nlast')
    send.child.kill('SIGINT')
    expect(await send.closed).toMatchObject({ code: 0, result: expect.stringMatching(/^Stored: [23] lines\.\n$/) })
  })

  test('the key comes from a file, too, and without one the server refuses', async () => {
    const environment = { TRELLIS_URL: trellis.origin }
    expect((await call(['search', 'x', '--key-file', keyFile], { environment })).code).toBe(0)
    expect((await call(['search', 'x'], { environment: { ...environment, SERVICE_API_KEY_FILE: keyFile } })).code).toBe(
      0,
    )
    for (const words of [['search', 'x'], ['tail'], ['diagnose', 'x']])
      expect(await call(words, { environment })).toMatchObject({
        code: 1,
        result: '',
        notes: expect.stringMatching(/^401: /),
      })
    expect(await call(['send', 'x'], { environment, input: 'y\n' })).toMatchObject({
      code: 1,
      result: '',
      notes: expect.stringMatching(/^401: /),
    })
  })

  test.each([
    ['a symptom that is missing', ['diagnose'], 2, /What went wrong/],
    ['a source that is missing', ['send'], 2, /Which source/],
    ['a source that no source can be named', ['send', ' '], 2, /422: .*source_id/],
    ['a limit that is none', ['search', '--limit', '0'], 2, /--limit must be a whole number from 1 to 1000/],
    ['a time that is none', ['search', 'x', '--since', 'soon'], 2, /422: .*since must be a time/],
    ['a key file that is not there', ['tail', '--key-file', '/none/key'], 1, /There is no file "\/none\/key"/],
    ['a server that is away', ['tail', '--server', 'http://127.0.0.1:9'], 1, /is the server running/],
  ])('%s is explained', async (_, words, code, sentence) => {
    const called = await call(words, { input: 'a line\n' })
    expect(called).toMatchObject({ code, result: '', notes: expect.stringMatching(sentence) })
    expect(called.notes).not.toMatch(/ at .*\.ts:\d/)
  })

  test('--help explains the options of a command', async () => {
    for (const command of ['search', 'tail', 'diagnose', 'send'])
      expect(await call([command, '--help'])).toMatchObject({
        code: 0,
        result: expect.stringMatching(new RegExp(`^Usage: trellis logs ${command} .*\n[\\s\\S]*--key-file`)),
      })
  })
})
