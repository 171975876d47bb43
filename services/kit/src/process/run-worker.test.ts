import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort, type NatsRole, type NatsServer, natsRoles, startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import {
  assignmentsOf,
  inputsOf,
  prepareWorkerTopics,
  type Report,
  watchRun,
  workerEvents,
} from '@trellis/kit/workloads'
import type { RunEvent } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ProbeTask } from '@trellis/test/probe/task'
import { asStarted } from '@trellis/test/support/as-started'
import { collect } from '@trellis/test/support/collect'
import { modulePath } from '@trellis/test/support/module-path'
import { natsCommand, natsMissing } from '@trellis/test/support/programs'
import { reportsSoFar } from '@trellis/test/support/reports'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

const module = await modulePath('test/probe/pod.ts')

/** A worker in its own process, as in a pod; the test acts as the operator. */
type Pod = {
  uid: string
  metricsPort: number
  child: ChildProcess
  exit: Promise<number | null>
  isReady: Promise<void>
}

describe.skipIf(natsMissing !== undefined)(natsMissing ? `(skipped: ${natsMissing})` : 'a worker in a pod', () => {
  let server: NatsServer
  let bus: Bus
  const until = new AbortController()
  const pods: Pod[] = []
  let unique = 0

  beforeAll(async () => {
    const passwords = Object.fromEntries(natsRoles.map((role) => [role, `k-${role}`])) as Record<NatsRole, string>
    server = await startNatsServer({ command: natsCommand, passwords })
    const credentials = { user: 'operator', password: passwords.operator }
    bus = await connectNatsBus({ servers: [server.address], name: 'test', credentials, log: silentLog })
    await prepareWorkerTopics(bus)
    // A queue is created by its worker.
    const created = new AbortController()
    await bus.enqueue(workerEvents.search, { runId: 'prepared', event: null })
    await bus.work(workerEvents.search, async () => created.abort(), { signal: created.signal })
  })
  afterEach(() => {
    for (const { child } of pods.splice(0)) child.kill('SIGKILL')
  })
  afterAll(async () => {
    until.abort()
    await bus?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const startPod = async (environment: Record<string, string> = {}): Promise<Pod> => {
    unique += 1
    const uid = `uid-${unique}`
    const metricsPort = await freePort()
    const child = spawn(process.execPath, [module], {
      env: {
        ...asStarted,
        POD_UID: uid,
        POD_NAME: `pod-${unique}`,
        NATS_URL: server.address,
        NATS_USER: 'search',
        NATS_PASSWORD: 'k-search',
        METRICS_PORT: String(metricsPort),
        WORKER_LINGER_SECONDS: '0',
        LOG_LEVEL: 'silent',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pod = {
      uid,
      metricsPort,
      child,
      exit: once(child, 'exit').then(([code]) => code as number | null),
      isReady: once(child.stdout, 'data').then(() => undefined),
    }
    pods.push(pod)
    return pod
  }

  const publishInput = async (task: ProbeTask): Promise<string> => {
    unique += 1
    const runId = `run-${unique}`
    await bus.publish(inputsOf.search(runId), { runId, input: Buffer.from(JSON.stringify(task)) })
    return runId
  }
  const assign = (pod: Pod, runId: string) => bus.publish(assignmentsOf.search(pod.uid), { runId, ends: false })
  const reportsOf = (runId: string) => collect(watchRun(bus, { kind: 'search', runId }, until.signal))
  const started = async (runId: string) => {
    for await (const report of watchRun(bus, { kind: 'search', runId }, until.signal))
      if (report.$case === 'started') return
  }
  const kinds = (reports: readonly Report[]) => reports.map(({ $case }) => $case).filter((kind) => kind !== 'progress')
  const status = async ({ metricsPort }: Pod, path: string) =>
    (await fetch(`http://127.0.0.1:${metricsPort}${path}`)).status

  test('a worker is ready when it receives assignments, does a run, and exits with 0', async () => {
    const pod = await startPod()
    await pod.isReady
    expect([await status(pod, '/health'), await status(pod, '/ready'), await status(pod, '/metrics')]).toEqual([
      200, 200, 200,
    ])
    const runId = await publishInput({ do: 'work', steps: 2 })
    await assign(pod, runId)
    const reports = await reportsOf(runId)
    expect(kinds(reports)).toEqual(['started', 'output', 'output', 'completed'])
    expect(reports[0]).toMatchObject({ value: { warm: true } })
    expect(await pod.exit).toBe(0)
  })

  test('a worker is alive but not ready while NATS is unavailable', async () => {
    const away = await startNatsServer({ command: natsCommand })
    {
      await using operator = await connectNatsBus({ servers: [away.address], name: 'test', log: silentLog })
      await prepareWorkerTopics(operator)
    }
    await away.stop()
    const pod = await startPod({ NATS_URL: away.address })
    await expect.poll(() => status(pod, '/health').catch(() => 0)).toBe(200)
    expect(await status(pod, '/ready')).toBe(503)
    await away.start()
    await pod.isReady
    expect(await status(pod, '/ready')).toBe(200)
    pod.child.kill('SIGTERM')
    expect(await pod.exit).toBe(0)
    await away[Symbol.asyncDispose]()
  })

  test('a worker waits for NATS up to WORKER_REPORT_SECONDS, and SIGTERM ends the wait', async () => {
    const away = await startNatsServer({ command: natsCommand })
    await away.stop()
    const [impatient, patient] = [
      await startPod({ NATS_URL: away.address, WORKER_REPORT_SECONDS: '1' }),
      await startPod({ NATS_URL: away.address }),
    ]
    expect(await impatient.exit).toBe(1)
    await expect.poll(() => status(patient, '/health').catch(() => 0)).toBe(200)
    patient.child.kill('SIGTERM')
    expect(await patient.exit).toBe(143)
    await away[Symbol.asyncDispose]()
  })

  test('a worker exits with 10 after a failed run, and with 1 after an unreported internal error', async () => {
    const [failing, broken] = [await startPod(), await startPod()]
    const refused = await publishInput({ do: 'fail', kind: 'invalid', detail: 'It cannot be done.' })
    const fault = await publishInput({ do: 'fail', kind: 'internal', detail: 'A fault.' })
    await assign(failing, refused)
    await assign(broken, fault)
    expect(await failing.exit).toBe(10)
    expect(kinds(await reportsOf(refused))).toEqual(['started', 'failed'])
    expect(await broken.exit).toBe(1)
    expect(kinds(await reportsSoFar(bus, fault))).toEqual(['started'])
  })

  test('a run whose worker is killed is done by the next worker', async () => {
    const first = await startPod()
    const runId = await publishInput({ do: 'pace', steps: 20, milliseconds: 25 })
    const reports = reportsOf(runId)
    await assign(first, runId)
    await started(runId)
    first.child.kill('SIGKILL')
    expect(await first.exit).toBeNull()
    const second = await startPod()
    await assign(second, runId)
    const all = kinds(await reports)
    expect(all.slice(all.lastIndexOf('started'))).toEqual(['started', ...Array(20).fill('output'), 'completed'])
    expect(all.filter((kind) => kind === 'started')).toHaveLength(2)
    expect(await second.exit).toBe(0)
  })

  test('a worker that is stopped during a run exits with 143 and does not report an end', async () => {
    const pod = await startPod()
    const runId = await publishInput({ do: 'wait' })
    await assign(pod, runId)
    await started(runId)
    pod.child.kill('SIGTERM')
    expect(await pod.exit).toBe(143)
    expect(kinds(await reportsSoFar(bus, runId))).toEqual(['started'])
  })

  test('a restart of NATS during a run loses no output', async () => {
    const pod = await startPod()
    const runId = await publishInput({ do: 'pace', steps: 40, milliseconds: 50 })
    await assign(pod, runId)
    const reports = reportsOf(runId)
    await started(runId)
    await server.stop('SIGKILL')
    await server.start()
    const outputs = (await reports).flatMap((report) =>
      report.$case === 'output' ? [Buffer.from(report.value).toString()] : [],
    )
    expect(outputs).toEqual(Array.from({ length: 40 }, (_, index) => `step ${index + 1}`))
    expect(await pod.exit).toBe(0)
    const received: RunEvent[] = []
    const enough = new AbortController()
    await bus.work(
      workerEvents.search,
      async ({ value }) => {
        if (value.runId === runId) received.push(value)
        if (received.at(-1)?.event?.$case === 'worked') enough.abort()
      },
      { signal: enough.signal },
    )
    expect(received[0]?.event?.$case).toBe('started')
  })
})
