import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dockerMissing, type Engine, startDockerd } from '../../../../../test/support/container-engine.ts'
import { runLocally } from '../command.ts'
import { readEntry, withCollector } from '../records/collect-for-tests.ts'
import { choosesContainer, collectContainers, createContainerCollector } from './container-collector.ts'
import { createEngineCommands } from './engine-commands.ts'

describe('a choice of containers', () => {
  const web = { id: 'f7559cce2fb2'.padEnd(64, '0'), name: 'shop-web-1', labels: { app: 'shop', tier: 'web' } }
  test.each([
    [[], true],
    [['shop-*'], true],
    [['other'], false],
    [['f7559cce2fb2'], true],
    [['label:app'], true],
    [['label:app=shop'], true],
    [['label:app=bank'], false],
    [['!label:tier=web'], false],
    [['shop-*', '!*-web-*'], false],
    [['!other'], true],
  ])('%j means shop-web-1: %s', (chosen, isMeant) => {
    expect(choosesContainer(chosen)(web)).toBe(isMeant)
  })
})

const missing = dockerMissing
const named = missing === undefined ? '' : ` [skipped: ${missing}]`

describe.skipIf(missing !== undefined)(`a container engine${named}`, () => {
  let started: Engine | undefined
  beforeAll(async () => {
    started = await startDockerd()
  })
  afterAll(() => started?.[Symbol.asyncDispose]())
  const engine = (skip: (reason: string) => void): Engine => {
    if (!started) skip('dockerd does not start here')
    if (!started) throw new Error('dockerd does not start here')
    return started
  }
  const setUp = async ({ socket }: Engine, containers: string[]) => ({
    ...(await withCollector(createContainerCollector({ now: Date.now }))),
    source: readEntry({ id: 'docker', transport: 'local', glean_type: 'docker', socket, containers }),
  })

  test('gives its containers as sources, with times of its own and stderr as a hint alone', async ({ skip }) => {
    const { runContainer, ...rest } = engine(skip)
    runContainer(
      'first',
      'echo "level=info msg=up left=3" >&2; sleep 0.01; echo listening >&2; sleep 0.01; echo listening',
    )
    await using world = await setUp({ runContainer, ...rest }, ['first'])
    expect(await world.glean(world.source)).toMatchObject({
      lines: 3,
      entries: 3,
      formats: { logfmt: 1, plain: 2 },
      problems: [],
    })
    const entries = await world.entries()
    expect(entries.map(({ origin, text, severity }) => [origin.sourceId, text, severity])).toEqual([
      ['docker:attic:first', 'level=info msg=up left=3', null],
      ['docker:attic:first', 'listening', 'WARN'],
      ['docker:attic:first', 'listening', null],
    ])
    expect(Math.abs((entries[0]?.time ?? 0) - Date.now())).toBeLessThan(600_000)
  })

  test('has lines of more than 16 KiB come together again, with a terminal and without', async ({ skip }) => {
    const { runContainer, ...rest } = engine(skip)
    const script = 'head -c 50000 /dev/zero | tr "\\0" x; echo; echo end'
    runContainer('long', script)
    runContainer('long-terminal', script, ['--tty'])
    await using world = await setUp({ runContainer, ...rest }, ['long', 'long-terminal'])
    expect(await world.glean(world.source)).toMatchObject({ lines: 4, problems: [] })
    const texts = (await world.entries()).map(({ text }) => text)
    expect(texts.filter((text) => text === 'x'.repeat(50_000))).toHaveLength(2)
    expect(texts.filter((text) => text === 'end')).toHaveLength(2)
  })

  test('is read on behind what is stored, and a container that is made anew is read from its start', async ({
    skip,
  }) => {
    const { runContainer, docker, ...rest } = engine(skip)
    runContainer('again', 'echo one; echo two')
    await using world = await setUp({ runContainer, docker, ...rest }, ['again'])
    expect(await world.glean(world.source)).toMatchObject({ entries: 2 })
    expect(await world.glean(world.source)).toMatchObject({ lines: 0 })
    docker('start', '--attach', 'again')
    expect(await world.glean(world.source)).toMatchObject({ entries: 2, duplicates: 0 })
    docker('rm', 'again')
    runContainer('again', 'echo three')
    expect(await world.glean(world.source)).toMatchObject({ entries: 1 })
    expect(await world.glean(world.source, { force: true })).toMatchObject({ entries: 0, duplicates: 1 })
    expect((await world.entries()).map(({ text }) => text).toSorted()).toEqual(['one', 'one', 'three', 'two', 'two'])
  })

  test('keeps traces together, and lines in their order', async ({ skip }) => {
    const { runContainer, ...rest } = engine(skip)
    runContainer('trace', 'echo "Traceback (most recent call last):"; echo "  File 1"; echo "ValueError: no"; echo on')
    runContainer('many', 'i=0; while [ $i -lt 5000 ]; do echo "n $i"; i=$((i+1)); done')
    await using world = await setUp({ runContainer, ...rest }, ['trace', 'many'])
    await world.glean(world.source)
    const texts = (await world.entries()).map(({ text }) => text)
    expect(texts).toContain('Traceback (most recent call last):\n  File 1\nValueError: no')
    const numbers = texts.filter((text) => text.startsWith('n ')).map((text) => Number(text.slice(2)))
    expect(numbers).toEqual(Array.from({ length: 5_000 }, (_, index) => index))
  })

  test('is read by its own program, too, with the same lines', async ({ skip }) => {
    const { socket, runContainer } = engine(skip)
    runContainer('by-command', 'echo one; sleep 0.01; head -c 40000 /dev/zero | tr "\\0" y; echo; echo three')
    const run: typeof runLocally = (words, signal) =>
      runLocally(['env', `DOCKER_HOST=unix://${socket}`, ...words], signal)
    const commands = createEngineCommands(run, 'docker')
    await using world = await withCollector({
      collect: (request) => collectContainers(request as never, { engine: commands, now: Date.now }),
    })
    const source = readEntry({ id: 'docker', transport: 'local', glean_type: 'docker', containers: ['by-command'] })
    expect(await world.glean(source)).toMatchObject({ entries: 3, problems: [] })
    expect(await world.glean(source)).toMatchObject({ lines: 0 })
    const texts = (await world.entries()).map(({ text }) => text)
    expect(texts).toEqual(['one', 'y'.repeat(40_000), 'three'])
  })

  test('whose driver keeps no logs is a problem of that container alone', async ({ skip }) => {
    const { runContainer, ...rest } = engine(skip)
    runContainer('silent', 'echo lost', ['--log-driver=none'])
    runContainer('heard', 'echo kept')
    await using world = await setUp({ runContainer, ...rest }, ['silent', 'heard'])
    const result = await world.glean(world.source)
    expect(result).toMatchObject({ entries: 1, problems: [expect.stringContaining('silent: ')] })
  })
})

describe('an engine that is not there', () => {
  test('is said with its socket', async () => {
    await using world = await withCollector(createContainerCollector({ now: Date.now }))
    const source = readEntry({ id: 'podman', transport: 'local', glean_type: 'podman', socket: '/not/there.sock' })
    await expect(world.glean(source)).rejects.toThrow('/not/there.sock cannot be connected to: it is not there')
  })
})
