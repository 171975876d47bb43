import { join } from 'node:path'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { ScoringServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/scoring.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { waitFor } from '@trellis/test/support/wait-for'
import { describe, expect, test } from 'vitest'
import { batchBody, type Pushed } from '../branches/stores-for-tests.ts'
import { writeTinyModel } from '../models/tiny-model-for-tests.ts'
import { createKeyValue } from '../replicated/replicas-for-tests.ts'
import { openServiceForTests, type ServiceForTestsOptions } from '../service-for-tests.ts'

const patiently = { timeout: 120_000, interval: 200 }
const begin = Date.parse('2026-03-01T10:00:00Z')

const openService = async (options: ServiceForTestsOptions) => {
  const service = await openServiceForTests(options)
  return {
    logs: service.client(LogsServiceDefinition),
    scoring: service.client(ScoringServiceDefinition),
    [Symbol.asyncDispose]: service[Symbol.asyncDispose],
  }
}
const open = async (environment: Record<string, string> = {}, prepare?: (directory: string) => Promise<unknown>) => {
  await using stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryDirectory())
  await prepare?.(path)
  const settings = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace('{folder}', path)]),
  )
  const service = stack.use(await openService({ dataDirectory: path, environment: settings }))
  const opened = stack.move()
  return { ...service, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
type Opened = Awaited<ReturnType<typeof open>>

const push = ({ logs }: Pick<Opened, 'logs'>, entries: readonly Pushed[]) =>
  logs.gleanBatch(batchBody(entries) as never)
const at = (seconds: number) => new Date(begin + seconds * 1000).toISOString()
const bruteForce = (address: string, from = 0): Pushed[] =>
  Array.from({ length: 6 }, (_, index) => ({
    text: `sshd[7]: Failed password for root from ${address} port 37033 ssh2`,
    timestamp_iso: at(from + index * 2),
    sequence: from + index,
  }))
const detectionsOf = async ({ scoring }: Pick<Opened, 'scoring'>, scorer = '') =>
  (await scoring.listDetections({ scorer })).detections
/** Waits for the end of a run. */
const runOf = async (opened: Pick<Opened, 'logs'>, { taskId }: { taskId: string }) => {
  await waitFor(async () => expect((await opened.logs.getTask({ taskId })).status).not.toBe('running'), patiently)
  return opened.logs.getTask({ taskId })
}

/** A day of a service: a heartbeat each minute, some requests, and what a test adds. */
const day = (more: readonly Pushed[] = []): Pushed[] => [
  ...Array.from({ length: 1_440 }, (_, minute) => ({
    text: 'heartbeat of the scheduler, all well',
    timestamp_iso: at(minute * 60),
    sequence: minute,
  })),
  ...Array.from({ length: 1_440 }, (_, index) => ({
    text: `stored document ${index} of kim`,
    timestamp_iso: at(index * 60 + 7),
    sequence: 10_000 + index,
  })),
  ...more,
]

describe('detections', () => {
  test('new entries are scored without a request, and the entry carries ml_score, ml_label and ml_scored_at', async () => {
    await using opened = await open()
    await push(opened, bruteForce('192.0.2.7'))
    await waitFor(async () => expect(await detectionsOf(opened)).toHaveLength(1), patiently)
    expect(await detectionsOf(opened)).toMatchObject([
      {
        scorer: 'cybersec',
        label: 'brute_force',
        severity: 'ERROR',
        subject: '192.0.2.7',
        sourceId: 'app',
        entryCount: 6,
        acknowledged: false,
        firstSeen: at(0),
        lastSeen: at(10),
      },
    ])
    const { entries } = await opened.logs.search({ q: 'failed', order: '' })
    expect(entries.map(({ mlLabel }) => mlLabel)).toEqual(new Array(6).fill('brute_force'))
    expect(entries[0]).toMatchObject({ mlScore: 0.9, mlScoredAt: expect.stringMatching(/Z$/), anomalyScore: undefined })
  })

  test('detection, unacknowledged: POST /api/anomaly/detections/{id}/acknowledge makes it acknowledged, with notes, once', async () => {
    await using opened = await open()
    await push(opened, bruteForce('192.0.2.7'))
    await runOf(opened, await opened.scoring.runCybersec({}))
    const [{ id = '' } = {}] = await detectionsOf(opened)
    const acknowledged = await opened.scoring.acknowledgeDetection({ id, notes: 'our own scanner' })
    expect(acknowledged).toMatchObject({ id, acknowledged: true, notes: 'our own scanner' })
    expect(await opened.scoring.acknowledgeDetection({ id })).toEqual(acknowledged)
    expect(await opened.scoring.acknowledgeDetection({ id, notes: 'really' })).toEqual({
      ...acknowledged,
      notes: 'really',
    })
    expect((await opened.scoring.listDetections({ scorer: '', acknowledged: false })).detections).toEqual([])
    expect((await opened.scoring.listDetections({ scorer: '', acknowledged: true })).detections).toHaveLength(1)
    await expect(opened.scoring.acknowledgeDetection({ id: 'nothing' })).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a run again finds the same detections, and new entries of an attack extend its detection', async () => {
    await using opened = await open()
    await push(opened, bruteForce('192.0.2.7'))
    await runOf(opened, await opened.scoring.runCybersec({}))
    const first = await detectionsOf(opened)
    await runOf(opened, await opened.scoring.runCybersec({}))
    expect(await detectionsOf(opened)).toEqual(first)
    await push(opened, bruteForce('192.0.2.7', 60))
    await runOf(opened, await opened.scoring.runCybersec({}))
    expect((await opened.scoring.listDetections({ scorer: '', label: 'brute_force' })).detections).toMatchObject([
      { id: first[0]?.id, entryCount: 12, lastSeen: at(70) },
    ])
  })

  test('detections page, newest first, each once', async () => {
    await using opened = await open()
    await push(opened, Array.from({ length: 9 }, (_, index) => bruteForce(`192.0.2.${index}`, index * 100)).flat())
    await runOf(opened, await opened.scoring.runCybersec({}))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await opened.scoring.listCybersecDetections({
        label: 'brute_force',
        limit: 2,
        ...(cursor && { cursor }),
      })
      seen.push(...page.detections.map(({ subject }) => subject))
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(seen.toSorted()).toEqual(Array.from({ length: 9 }, (_, index) => `192.0.2.${index}`))
    await expect(opened.scoring.listDetections({ scorer: '', cursor: 'nonsense' })).rejects.toMatchObject({
      kind: 'invalid',
    })
  })

  test('GET /api/anomaly/detections has an optional scorer filter, GET /api/cybersec/detections a fixed one', async () => {
    await using opened = await open()
    await push(opened, [...bruteForce('192.0.2.7', 86_400), ...day()])
    await runOf(opened, await opened.scoring.runCybersec({}))
    await runOf(opened, await opened.scoring.runAnomaly({}))
    const scorersOf = async (scorer: string) =>
      [...new Set((await detectionsOf(opened, scorer)).map((one) => one.scorer))].toSorted()
    expect(await scorersOf('')).toEqual(['anomaly', 'cybersec'])
    expect(await scorersOf('cybersec')).toEqual(['cybersec'])
    expect(await scorersOf('anomaly')).toEqual(['anomaly'])
    expect(
      (await opened.scoring.listCybersecDetections({})).detections.every(({ scorer }) => scorer === 'cybersec'),
    ).toBe(true)
  })
})

describe('runs', () => {
  test('GET /api/anomaly/status and /api/cybersec/status show the outcome of the last run', async () => {
    await using opened = await open()
    await push(opened, bruteForce('192.0.2.7'))
    const task = await opened.scoring.runCybersec({})
    expect(task).toMatchObject({ kind: 'cybersec-run', status: 'running' })
    expect(await runOf(opened, task)).toMatchObject({
      status: 'done',
      progress: { done: 1, total: 1, unit: 'sources' },
    })
    expect(await opened.scoring.getCybersecStatus({})).toMatchObject({
      scorer: 'cybersec',
      taskId: undefined,
      model: { configured: false, loaded: false, problem: undefined, labels: [], threshold: 0.5 },
      lastRun: { sources: 1 },
      detections: 1,
      unacknowledged: 1,
      unscored: 0,
    })
    expect(await opened.scoring.getAnomalyStatus({})).toMatchObject({ scorer: 'anomaly', detections: 0 })
  })

  test('while one runs another is refused with 409', async () => {
    await using opened = await open()
    await push(opened, day())
    const first = await opened.scoring.runAnomaly({})
    await expect(opened.scoring.runAnomaly({})).rejects.toMatchObject({ kind: 'conflict' })
    await runOf(opened, first)
    await waitFor(
      async () => expect(await opened.scoring.getAnomalyStatus({})).toMatchObject({ taskId: undefined }),
      patiently,
    )
    await runOf(opened, await opened.scoring.runAnomaly({}))
  })

  test('a run with a time range scores only that range', async () => {
    await using opened = await open({})
    await push(opened, [...bruteForce('192.0.2.7'), ...bruteForce('192.0.2.8', 40_000)])
    await runOf(opened, await opened.scoring.runCybersec({ since: at(30_000), until: at(50_000) }))
    const subjects = (await detectionsOf(opened))
      .filter(({ label }) => label === 'brute_force')
      .map(({ subject }) => subject)
    expect(subjects).toContain('192.0.2.8')
    await expect(opened.scoring.runCybersec({ since: at(2), until: at(1) })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(opened.scoring.runCybersec({ since: 'noon' })).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('replicas', () => {
  test('entries pushed to one replica are scored once, and both show the detections', async () => {
    await using stack = new AsyncDisposableStack()
    const { shared, directory } = stack.use(await createKeyValue())
    const options = { store: shared.store, bus: shared.bus, filesLocation: shared.files }
    const one = stack.use(await openService({ ...options, dataDirectory: join(directory, 'one') }))
    const other = stack.use(await openService({ ...options, dataDirectory: join(directory, 'other') }))
    await push(one, bruteForce('192.0.2.7'))
    await push(other, bruteForce('192.0.2.8', 100))
    const both = ['192.0.2.7', '192.0.2.8']
    for (const replica of [one, other])
      await waitFor(async () => {
        const { detections } = await replica.scoring.listDetections({ scorer: 'cybersec', label: 'brute_force' })
        expect(detections.map(({ subject }) => subject).toSorted()).toEqual(both)
      }, patiently)
    const running = one.scoring.runCybersec({})
    const answers = await Promise.allSettled([running, other.scoring.runCybersec({})])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    for (const answer of answers) if (answer.status === 'fulfilled') await runOf(one, answer.value)
  })
})

describe('anomalies by template and frequency', () => {
  const cases: [string, readonly Pushed[], object][] = [
    [
      'a new template',
      [{ text: 'ERROR cannot open the vault of the ledger', timestamp_iso: at(80_000), severity: 'ERROR' }],
      { label: 'new_template', severity: 'ERROR' },
    ],
    [
      'a burst of a rare template',
      Array.from({ length: 460 }, (_, index) => ({
        text: `WARN retry ${index} of the upload`,
        timestamp_iso: index < 60 ? at(index * 1_200) : at(80_000 + (index % 200)),
        severity: 'WARN',
        sequence: 50_000 + index,
      })),
      { label: 'burst', severity: 'WARN' },
    ],
    [
      'a cluster of errors with several templates',
      Array.from({ length: 60 }, (_, index) => ({
        text: `ERROR ${['pump', 'valve', 'ledger'][index % 3]} does not answer`,
        timestamp_iso: index < 6 ? at(index * 4_000) : at(80_000 + index),
        severity: 'ERROR',
        sequence: 60_000 + index,
      })),
      { label: 'error_cluster' },
    ],
  ]
  test.each(cases)(
    '%s is found, and its entries carry anomaly_score, anomaly_label and anomaly_scored_at',
    async (_, more, expected) => {
      await using opened = await open()
      await push(opened, day(more))
      await runOf(opened, await opened.scoring.runAnomaly({}))
      const found = await detectionsOf(opened, 'anomaly')
      expect(found).toContainEqual(expect.objectContaining(expected))
      const [{ entryId = '' } = {}] = found
      const { entries } = await opened.logs.getContext({ entryId, before: 0, after: 0 })
      expect(entries[0]).toMatchObject({
        anomalyScore: expect.any(Number),
        anomalyLabel: expect.any(String),
        mlScore: undefined,
      })
    },
  )

  test('a heartbeat that stops while its source continues is a silence', async () => {
    await using opened = await open()
    await push(
      opened,
      day().filter(({ text, timestamp_iso }) => !text.startsWith('heartbeat') || (timestamp_iso ?? '') < at(60_000)),
    )
    await runOf(opened, await opened.scoring.runAnomaly({}))
    expect(await detectionsOf(opened, 'anomaly')).toMatchObject([{ label: 'silence', severity: 'WARN' }])
  })

  test('a node that falls silent is found, as is a step of a session that is out of place', async () => {
    await using opened = await open()
    const lineOf = (index: number, node: string, step: string, file: number) => ({
      text: `${at(index * 20)} ${node} store[1]: ${step} file_${100_000_000 + file}`,
      timestamp_iso: at(index * 20),
      sequence: index,
    })
    const steps = ['begins to take', 'copies a third time', 'keeps']
    const entries = Array.from({ length: 3_000 }, (_, index) => {
      const node = index > 2_200 && index % 10 === 3 ? 'rack4' : `rack${index % 10}`
      return lineOf(index, node, steps[index % 3] ?? '', Math.floor(index / 3))
    })
    const oddOnes = ['begins to take', 'keeps'].map((step, index) => lineOf(3_000 + index, 'rack5', step, 900_000))
    await push(opened, [...entries, ...oddOnes])
    await runOf(opened, await opened.scoring.runAnomaly({}))
    const found = await detectionsOf(opened, 'anomaly')
    expect(found).toContainEqual(expect.objectContaining({ label: 'node_silence', subject: 'rack3' }))
    expect(found).toContainEqual(expect.objectContaining({ label: 'out_of_place', text: oddOnes[1]?.text }))
  })

  test('a day like any other has none', async () => {
    await using opened = await open()
    await push(opened, day())
    await runOf(opened, await opened.scoring.runAnomaly({}))
    expect(await detectionsOf(opened)).toEqual([])
  })
})

describe('classifiers in a user-provided folder', () => {
  const model = (directory: string) =>
    writeTinyModel(join(directory, 'model'), {
      task: 'classification',
      words: { exfiltration: [0, 6], stored: [6, 0] },
      labels: ['benign', 'data_theft'],
    })
  const lines = [
    { text: 'exfiltration of 7 records to 192.0.2.7', timestamp_iso: at(0) },
    { text: 'stored document 7', timestamp_iso: at(1) },
  ]

  test('SERVICE_CYBERSEC_MODEL adds its labels, from SERVICE_CYBERSEC_THRESHOLD on, except harmless ones', async () => {
    await using opened = await open(
      { SERVICE_CYBERSEC_MODEL: '{folder}/model', SERVICE_CYBERSEC_THRESHOLD: '0.9' },
      model,
    )
    await push(opened, lines)
    await runOf(opened, await opened.scoring.runCybersec({}))
    expect(await detectionsOf(opened)).toMatchObject([
      { scorer: 'cybersec', label: 'data_theft', text: lines[0]?.text },
    ])
    expect(await opened.scoring.getCybersecStatus({})).toMatchObject({
      model: { configured: true, problem: undefined, labels: ['benign', 'data_theft'], threshold: 0.9 },
    })
  })

  test('SERVICE_ANOMALY_MODEL does so for the anomaly scorer', async () => {
    await using opened = await open({ SERVICE_ANOMALY_MODEL: '{folder}/model' }, model)
    await push(opened, lines)
    await runOf(opened, await opened.scoring.runAnomaly({}))
    expect(await detectionsOf(opened)).toMatchObject([{ scorer: 'anomaly', label: 'data_theft' }])
  })

  test.each([
    ['a missing folder', { SERVICE_CYBERSEC_MODEL: '{folder}/nothing' }, /config\.json does not exist/],
    [
      'an unknown device',
      { SERVICE_CYBERSEC_MODEL: '{folder}/model', SERVICE_CYBERSEC_DEVICE: 'abacus' },
      /"abacus" is not available as a device/,
    ],
  ])('with %s the rules continue to work, and the status names the problem', async (_, environment, problem) => {
    await using opened = await open(environment, model)
    await push(opened, bruteForce('192.0.2.7'))
    expect(await runOf(opened, await opened.scoring.runCybersec({}))).toMatchObject({ status: 'done' })
    expect(await detectionsOf(opened)).toMatchObject([{ label: 'brute_force' }])
    expect((await opened.scoring.getCybersecStatus({})).model?.problem).toMatch(problem)
  })
})
