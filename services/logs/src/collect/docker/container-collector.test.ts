import { type Engine, engineMissing, startEngine } from '@trellis/test/support/container-engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runLocally } from '../command.ts'
import { readEntry, withCollector } from '../records/collect-for-tests.ts'
import { until } from '../until-for-tests.ts'
import { choosesContainer } from './chooses-container.ts'
import { collectContainers, createContainerCollector } from './container-collector.ts'
import { createEngineCommands } from './engine-commands.ts'

describe('a choice of containers', () => {
  const web = {
    id: 'f7559cce2fb2'.padEnd(64, '0'),
    name: 'shop-web-1',
    labels: { app: 'shop', tier: 'web' },
    isRunning: true,
  }
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
  ])('%j selects shop-web-1: %s', (selectors, isSelected) => {
    expect(choosesContainer(selectors)(web)).toBe(isSelected)
  })
})

const engines = [
  { name: 'docker', missing: engineMissing('docker') },
  { name: 'podman', missing: engineMissing('podman') },
] as const
const titled = engines.map(({ name, missing }) => ({
  name,
  missing,
  title: missing === undefined ? name : `${name} [skipped: ${missing}]`,
}))

describe.each(titled)('a container engine: $title', ({ name, missing }) => {
  let started: Engine | undefined
  beforeAll(async () => {
    if (missing === undefined) started = await startEngine(name)
  })
  afterAll(() => started?.[Symbol.asyncDispose]())
  const engineOf = (skip: (reason: string) => void): Engine => {
    if (!started) skip(missing ?? `${name} does not start here`)
    if (!started) throw new Error(`${name} does not start here`)
    return started
  }
  const setUp = async ({ socket }: Engine, containers: string[]) => ({
    ...(await withCollector(createContainerCollector({ now: Date.now }))),
    source: readEntry({ id: 'box', transport: 'local', glean_type: name, socket, containers }),
  })

  test('reads containers as sources, with the timestamps of the engine, and uses stderr only as a hint', async ({
    skip,
  }) => {
    const engine = engineOf(skip)
    const { runContainer } = engine
    runContainer(
      'first',
      'echo "level=info msg=up left=3" >&2; sleep 0.01; echo listening >&2; sleep 0.01; echo listening',
    )
    await using dependencies = await setUp(engine, ['first'])
    expect(await dependencies.glean(dependencies.source)).toMatchObject({
      lines: 3,
      entries: 3,
      formats: { logfmt: 1, plain: 2 },
      problems: [],
    })
    const entries = await dependencies.entries()
    // Lines that are written to both outputs at about the same time are in any order.
    const shown = entries.map(({ origin, text, severity }) => [origin.sourceId, text, severity].join(' '))
    expect(shown.toSorted()).toEqual([
      'box:attic:first level=info msg=up left=3 ',
      'box:attic:first listening ',
      'box:attic:first listening WARN',
    ])
    expect(Math.abs((entries[0]?.time ?? 0) - Date.now())).toBeLessThan(600_000)
  })

  test('joins the parts of lines longer than 16 KiB', async ({ skip }) => {
    const engine = engineOf(skip)
    engine.runContainer('long', 'head -c 50000 /dev/zero | tr "\\0" x; echo; echo end')
    await using dependencies = await setUp(engine, ['long'])
    expect(await dependencies.glean(dependencies.source)).toMatchObject({ lines: 2, problems: [] })
    expect((await dependencies.entries()).map(({ text }) => text).toSorted()).toEqual(['end', 'x'.repeat(50_000)])
  })

  test('joins the parts of terminal lines; podman leaves times of parts that it cannot distinguish from text', async ({
    skip,
  }) => {
    const engine = engineOf(skip)
    engine.runContainer('long-terminal', 'head -c 50000 /dev/zero | tr "\\0" x; echo; echo end', ['--tty'])
    await using dependencies = await setUp(engine, ['long-terminal'])
    expect(await dependencies.glean(dependencies.source)).toMatchObject({ lines: 2, problems: [] })
    const texts = (await dependencies.entries()).map(({ text }) => text)
    const cleaned = name === 'docker' ? texts : texts.map((text) => text.replaceAll(/\d{4}-[^ x]{10,30}Z /g, ''))
    expect(cleaned.toSorted()).toEqual(['end', 'x'.repeat(50_000)])
  })

  test('is read from the last stored line on, and a recreated container from its start', async ({ skip }) => {
    const engine = engineOf(skip)
    const { runContainer } = engine
    runContainer('again', 'echo one; echo two')
    await using dependencies = await setUp(engine, ['again'])
    expect(await dependencies.glean(dependencies.source)).toMatchObject({ entries: 2 })
    expect(await dependencies.glean(dependencies.source)).toMatchObject({ lines: 0 })
    engine.engine('start', '--attach', 'again')
    expect(await dependencies.glean(dependencies.source)).toMatchObject({ entries: 2, duplicates: 0 })
    engine.engine('rm', 'again')
    runContainer('again', 'echo three')
    expect(await dependencies.glean(dependencies.source)).toMatchObject({ entries: 1 })
    expect(await dependencies.glean(dependencies.source, { force: true })).toMatchObject({ entries: 0, duplicates: 1 })
    expect((await dependencies.entries()).map(({ text }) => text).toSorted()).toEqual([
      'one',
      'one',
      'three',
      'two',
      'two',
    ])
  })

  test.for<[string, string[]]>([
    ['on its output', []],
    ['on a terminal', ['--tty']],
  ])(
    'last words without a line end %s are a line, which a restart does not continue',
    async ([, options], { skip }) => {
      const engine = engineOf(skip)
      const container = `last-words${options.join('')}`
      engine.runContainer(container, 'echo one; printf two', options)
      await using dependencies = await setUp(engine, [container])
      expect(await dependencies.glean(dependencies.source)).toMatchObject({ entries: 2, problems: [] })
      expect(await dependencies.glean(dependencies.source)).toMatchObject({ lines: 0 })
      engine.engine('start', '--attach', container)
      expect(await dependencies.glean(dependencies.source)).toMatchObject({ entries: 2, duplicates: 0 })
      expect((await dependencies.entries()).map(({ text }) => text).toSorted()).toEqual(['one', 'one', 'two', 'two'])
    },
  )

  test('joins traces, and preserves the order of lines', async ({ skip }) => {
    const engine = engineOf(skip)
    const { runContainer } = engine
    runContainer('trace', 'echo "Traceback (most recent call last):"; echo "  File 1"; echo "ValueError: no"; echo on')
    runContainer('many', 'i=0; while [ $i -lt 5000 ]; do echo "n $i"; i=$((i+1)); done')
    await using dependencies = await setUp(engine, ['trace', 'many'])
    await dependencies.glean(dependencies.source)
    const texts = (await dependencies.entries()).map(({ text }) => text)
    expect(texts).toContain('Traceback (most recent call last):\n  File 1\nValueError: no')
    const numbers = texts.filter((text) => text.startsWith('n ')).map((text) => Number(text.slice(2)))
    expect(numbers).toEqual(Array.from({ length: 5_000 }, (_, index) => index))
  })

  test('is read through its command-line program with the same lines', async ({ skip }) => {
    const { programs, runContainer } = engineOf(skip)
    runContainer('by-command', 'echo one; sleep 0.01; head -c 40000 /dev/zero | tr "\\0" y; echo; echo three')
    const run: typeof runLocally = (words, signal) =>
      runLocally(['env', `PATH=${programs}:${process.env.PATH}`, ...words], signal)
    const commands = createEngineCommands(run, name)
    await using dependencies = await withCollector({
      collect: (request) => collectContainers(request as never, { engine: commands, now: Date.now }),
    })
    const source = readEntry({ id: 'box', transport: 'local', glean_type: name, containers: ['by-command'] })
    expect(await dependencies.glean(source)).toMatchObject({ entries: 3, problems: [] })
    expect(await dependencies.glean(source)).toMatchObject({ lines: 0 })
    const texts = (await dependencies.entries()).map(({ text }) => text)
    expect(texts).toEqual(['one', 'y'.repeat(40_000), 'three'])
  })

  test('is followed, as is a container that is started meanwhile', async ({ skip }) => {
    const engine = engineOf(skip)
    const { socket } = engine
    const collector = createContainerCollector({
      now: Date.now,
      flush: { milliseconds: 5, records: 100 },
      pollMilliseconds: 20,
    })
    await using dependencies = await withCollector(collector)
    const source = readEntry({ id: 'box', transport: 'local', glean_type: name, socket, containers: ['live'] })
    const following = dependencies.follow(source)
    const script = 'echo one; sleep 0.2; echo two; sleep 600'
    engine.engine('run', '--detach', '--network=none', '--name', 'live', 'small:1', '/bin/sh', '-c', script)
    const entries = await until(dependencies.entries, (stored) => stored.length === 2)
    expect(entries.map(({ text }) => text)).toEqual(['one', 'two'])
    engine.engine('kill', 'live')
    expect(await following.stop()).toMatchObject({ counts: { entries: 2, duplicates: 0 } })
    expect(following.problems).toEqual([])
  })

  test('is read to its end when it is followed, however long the log of a container that has ended is', async ({
    skip,
  }) => {
    const engine = engineOf(skip)
    const line = 'x'.repeat(100)
    engine.runContainer('ended', `i=0; while [ $i -lt 30000 ]; do echo "$i ${line}"; i=$((i+1)); done`)
    await using dependencies = await withCollector(createContainerCollector({ now: Date.now }))
    const source = readEntry({
      id: 'box',
      transport: 'local',
      glean_type: name,
      socket: engine.socket,
      containers: ['ended'],
    })
    const following = dependencies.follow(source)
    await until(dependencies.entries, (stored) => stored.some(({ text }) => text.startsWith('29999 ')))
    expect(await following.stop()).toMatchObject({ counts: { entries: 30_000, duplicates: 0 } })
  })

  test('reports a container whose driver stores no logs, and reads the others', async ({ skip }) => {
    const engine = engineOf(skip)
    const { runContainer } = engine
    runContainer('silent', 'echo lost', ['--log-driver=none'])
    runContainer('logged', 'echo logged')
    await using dependencies = await setUp(engine, ['silent', 'logged'])
    const result = await dependencies.glean(dependencies.source)
    expect(result).toMatchObject({ entries: 1, problems: [expect.stringContaining('silent: ')] })
  })
})

describe('an engine that does not exist', () => {
  test('is reported with its socket', async () => {
    await using dependencies = await withCollector(createContainerCollector({ now: Date.now }))
    const source = readEntry({ id: 'podman', transport: 'local', glean_type: 'podman', socket: '/not/there.sock' })
    await expect(dependencies.glean(source)).rejects.toThrow(
      '/not/there.sock cannot be connected to: it does not exist',
    )
  })
})
