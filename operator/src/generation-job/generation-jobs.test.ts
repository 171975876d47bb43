import { createMemoryBus } from '@trellis/kit/bus'
import { connectInProcess } from '@trellis/kit/rpc'
import { assignmentsOf, generationPlanRequests, inputsOf, runTopic } from '@trellis/kit/workloads'
import {
  type PlanRequest,
  type RunReport,
  WorkloadsServiceDefinition,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { waitFor } from '@trellis/test/support/wait-for'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findControlPlane } from '../../test/control-plane.ts'
import { eventually } from '../../test/eventually.ts'
import { type KindsPlane, startKindsPlane, untilIs } from '../../test/kinds-plane.ts'
import { recordLog } from '../../test/log-lines.ts'
import { operate, remember } from '../../test/operate.ts'
import { runEventsFor } from '../../test/run-events-for.ts'
import { setQuota } from '../../test/set-quota.ts'
import {
  type GenerationJob,
  type GenerationJobSpecInput,
  generationJobs,
  type WarmPool,
  warmPools,
} from '../crds/mod.ts'
import type { KindSurroundings } from '../operator.ts'
import type { RunEventOf } from '../runs/mod.ts'
import {
  type Clock,
  conditionOf,
  isNotFound,
  type KubeObject,
  ownerReference,
  type Resource,
  systemClock,
} from '../runtime/mod.ts'
import { type Pod, pods as podKind } from '../workers/mod.ts'
import { type BatchJob, batchJobs } from './batch-job.ts'
import { generationKind } from './mod.ts'
import { template } from './test-support.ts'

const programs = findControlPlane()
const reason = typeof programs === 'string' ? ` (skipped: ${programs})` : ''
const instance = 'home'
const templates = { search: template, generation: template }
const queueLabel = 'kueue.x-k8s.io/queue-name'

/** A clock that can be advanced; advancing it wakes no sleeper. */
const movableClock = () => {
  let ahead = 0
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead }
  return { clock, forward: (milliseconds: number) => (ahead += milliseconds) }
}

describe.skipIf(typeof programs === 'string')(`generations on a real kube-apiserver${reason}`, () => {
  let plane: KindsPlane

  beforeAll(async () => {
    if (typeof programs !== 'string') plane = await startKindsPlane(programs)
  })

  afterAll(() => plane?.[Symbol.asyncDispose]())

  /**
   * An operator for the runs of a namespace; the test acts as the Job controller, the worker and the music service.
   */
  const studio = async ({ maxRuns = 10 } = {}) => {
    const { client } = plane
    const namespace = await plane.newNamespace()
    const bus = createMemoryBus()
    const { log, lines } = recordLog()
    const { clock, forward } = movableClock()
    const stop = new AbortController()
    const { kind, added } = remember(generationKind())
    let offers: KindSurroundings['gpus']['offers'] = () => undefined
    const watchGpus = ({ gpus }: KindSurroundings) => {
      offers = gpus.offers
      return {}
    }
    const options = { client, bus, log, namespace, clock, instance, templates, maxRuns }
    const operator = operate(options, [kind, watchGpus])
    const { controller } = added()
    const planRequests: PlanRequest[] = []
    const receiving = bus.work(generationPlanRequests, async ({ value }) => void planRequests.push(value), {
      signal: stop.signal,
    })
    const ref = (name: string) => ({ name, namespace })
    const read = (name: string) => client.get(generationJobs, ref(name))
    const jobsOf = async ({ metadata: { uid } }: KubeObject): Promise<readonly BatchJob[]> =>
      (await client.list(batchJobs, { namespace })).items.filter(
        (one) => one.metadata.ownerReferences?.[0]?.uid === uid,
      )
    return {
      client,
      namespace,
      bus,
      planRequests,
      lines,
      ref,
      read,
      jobsOf,
      rpc: connectInProcess(WorkloadsServiceDefinition, operator.workloads),
      gpusAreKnown: () => eventually(() => offers({ resource: 'x', amount: 1 }) !== undefined, 'the nodes are known'),
      /** Advances the clock and enqueues a run. */
      pass: (milliseconds: number, name: string) => {
        forward(milliseconds)
        controller.queue.add(`${namespace}/${name}`)
      },
      createRun: (name: string, spec: Partial<GenerationJobSpecInput> = {}, labels: Record<string, string> = {}) =>
        client.create<GenerationJob>(generationJobs, {
          metadata: { name, namespace, labels },
          spec: { chainId: 'c1', nodeId: 'n1', ...spec },
        } as never),
      until: (name: string, phase: string, why: string) =>
        untilIs(
          () => read(name),
          ({ status }) => status.phase === phase && conditionOf(status.conditions, 'Ready')?.reason === why,
          `${name} is ${phase} (${why})`,
        ),
      jobOf: async (owner: GenerationJob, isSo: (job: BatchJob) => boolean = () => true): Promise<BatchJob> => {
        let found: BatchJob | undefined
        await eventually(async () => {
          found = (await jobsOf(owner)).find((job) => isSo(job))
          return found !== undefined
        }, 'there is a Job')
        return found as BatchJob
      },
      /** Creates a pod as the Job controller would. */
      startPod: async (job: BatchJob, status: NonNullable<Pod['status']> = { phase: 'Running' }) => {
        const pod = await client.create<Pod>(podKind, {
          metadata: {
            generateName: `${job.metadata.name}-`,
            namespace,
            labels: job.spec?.template.metadata.labels ?? {},
            ownerReferences: [ownerReference(batchJobs, job)],
          },
          spec: job.spec?.template.spec as never,
        })
        return client.patch(podKind, pod.metadata, { type: 'merge', body: { status } }, { subresource: 'status' })
      },
      /** Fails a Job as the Job controller would; the server validates conditions of Jobs. */
      failJob: (job: BatchJob, why: string) => {
        const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
        const condition = {
          status: 'True',
          reason: why,
          message: 'It failed.',
          lastTransitionTime: at,
          lastProbeTime: at,
        }
        const conditions = [
          { type: 'FailureTarget', ...condition },
          { type: 'Failed', ...condition },
        ]
        const status = { startTime: at, failed: 1, conditions }
        return client.patch(batchJobs, job.metadata, { type: 'merge', body: { status } }, { subresource: 'status' })
      },
      /** Does what the garbage collector does once the pods of a Job being deleted are gone. */
      collect: async (job: BatchJob) => {
        for (const pod of (await client.list(podKind, { namespace })).items)
          if (pod.metadata.ownerReferences?.[0]?.uid === job.metadata.uid)
            await client.delete(podKind, pod.metadata, { gracePeriodSeconds: 0 })
        await client.patch(batchJobs, job.metadata, { type: 'merge', body: { metadata: { finalizers: null } } })
      },
      publish: (runId: string, event: RunEventOf) => bus.enqueue(runEventsFor('generation', event), { runId, event }),
      firstOf: async <T>(topic: Parameters<typeof bus.subscribe<T>>[0]): Promise<T> => {
        for await (const delivery of bus.subscribe(topic, { after: 'start', signal: AbortSignal.timeout(60_000) }))
          if (delivery.kind === 'event') return delivery.event
        throw new Error('No event arrived.')
      },
      isGone: async <T extends KubeObject>(kind: Resource<T>, name: string) => {
        try {
          await client.get(kind, ref(name))
          return false
        } catch (error) {
          if (isNotFound(error)) return true
          throw error
        }
      },
      [Symbol.asyncDispose]: async () => {
        stop.abort()
        await operator.stop()
        await receiving
        await bus[Symbol.asyncDispose]()
      },
    }
  }

  const runOf = ({ metadata }: GenerationJob) => `obj-${metadata.uid}`
  const reasonOf = (report: RunReport) => (report.report?.$case === 'failed' ? report.report.value.reason : undefined)

  test("a run is planned, assigned to a Job's pod, reported in its status and removed after its TTL", async () => {
    await using s = await studio()
    const requested = await s.createRun('song', { durationSeconds: 12, prompt: 'slower' })
    const runId = runOf(requested)
    const job = await s.jobOf(requested)
    await eventually(() => s.planRequests.length > 0, 'its plan is requested')
    expect(s.planRequests[0]).toMatchObject({
      runId,
      generation: { chainId: 'c1', nodeId: 'n1', durationSeconds: 12, prompt: 'slower' },
    })
    await s.until('song', 'Pending', 'Starting')

    const pod = await s.startPod(job)
    expect(await s.firstOf(assignmentsOf.generation(pod.metadata.uid))).toMatchObject({ runId })
    await s.publish(runId, { $case: 'started', value: { worker: pod.metadata.name, warm: false } })
    const running = await s.until('song', 'Running', 'Running')
    expect(running.status).toMatchObject({ podName: pod.metadata.name, attempts: 1, startTime: expect.any(String) })
    expect(conditionOf(running.status.conditions, 'Reconciling')?.status).toBe('True')
    await s.publish(runId, { $case: 'progress', value: { fraction: 0.504, detail: '' } })
    await untilIs(
      () => s.read('song'),
      ({ status }) => status.progress === 0.5,
      'it is half done',
    )
    await s.publish(runId, { $case: 'worked', value: {} })
    await s.until('song', 'Running', 'Finished')
    const seam = { distancePercentile: 62, loudnessStepLu: 0.4, beatErrorMs: 9 }
    await s.publish(runId, {
      $case: 'concluded',
      value: { outputKey: 'audio/n1', outputSeconds: 12, ...seam } as never,
    })
    const done = await s.until('song', 'Complete', 'Finished')
    await expect
      .poll(() => s.lines('a run ended'))
      .toMatchObject([
        {
          workload: 'generation',
          runId,
          object: `${s.namespace}/song`,
          phase: 'Complete',
          reason: 'Finished',
          seconds: expect.any(Number),
          pod: pod.metadata.name,
        },
      ])
    expect(done.status).toMatchObject({
      progress: 1,
      output: { key: 'audio/n1', seconds: 12 },
      seam,
      completionTime: expect.any(String),
    })
    expect(['Ready', 'Complete'].map((type) => conditionOf(done.status.conditions, type)?.status)).toEqual([
      'True',
      'True',
    ])
    expect(await s.jobsOf(requested)).toHaveLength(1)

    s.pass(3_700_000, 'song')
    await eventually(() => s.isGone(generationJobs, 'song'), 'it is removed after its TTL')
  })

  test('a run that the worker reports as impossible fails for the reason of its service', async () => {
    await using s = await studio()
    const requested = await s.createRun('song')
    const runId = runOf(requested)
    const job = await s.jobOf(requested)
    const ended = {
      phase: 'Failed',
      containerStatuses: [
        {
          name: 'worker',
          ready: false,
          restartCount: 0,
          image: 'x',
          imageID: 'x',
          state: { terminated: { exitCode: 10 } },
        },
      ],
    } as const
    await s.startPod(job, ended)
    await s.failJob(job, 'PodFailurePolicy')
    const failure = {
      reason: 'NodeNotFound',
      detail: 'There is no node n1.',
      kind: 'not_found',
      retryAfterSeconds: null,
    }
    await s.publish(runId, { $case: 'concluded', value: { failure } as never })
    const failed = await s.until('song', 'Failed', 'NodeNotFound')
    expect(conditionOf(failed.status.conditions, 'Stalled')).toMatchObject({
      status: 'True',
      message: 'There is no node n1.',
    })
    await eventually(
      async () => (await plane.reasonsOf(s.namespace, 'song')).includes('NodeNotFound'),
      'the event is recorded',
    )
  })

  test('a run whose pods exceed their memory fails with its Job, and listeners are notified', async () => {
    await using s = await studio()
    const requested = await s.createRun('song', { backoffLimit: 0 })
    const job = await s.jobOf(requested)
    const killed = {
      phase: 'Failed',
      containerStatuses: [
        {
          name: 'worker',
          ready: false,
          restartCount: 0,
          image: 'x',
          imageID: 'x',
          state: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        },
      ],
    } as const
    await s.startPod(job, killed)
    await s.failJob(job, 'BackoffLimitExceeded')
    await s.until('song', 'Failed', 'OOMKilled')
    // A Job that ended by itself is retained with its logs.
    expect((await s.client.get(batchJobs, job.metadata)).metadata.deletionTimestamp).toBeUndefined()
    expect(reasonOf(await s.firstOf(runTopic.generation(runOf(requested))))).toBe('OOMKilled')
  })

  test('a run continues without a GPU that no node has, once its first Job is gone', async () => {
    await using s = await studio()
    await s.gpusAreKnown()
    const requested = await s.createRun('song', { resources: { class: 'NVIDIA-H100', memory: '2Gi' } })
    const withGpu = await s.jobOf(requested)
    expect(withGpu.spec?.template.spec.nodeSelector).toEqual({ 'nvidia.com/gpu.product': 'NVIDIA-H100' })
    const message = '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.'
    await s.startPod(withGpu, {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    })
    await s.until('song', 'Pending', 'Unschedulable')
    expect((await s.read('song')).status.attempts).toBe(0)
    s.pass(61_000, 'song')
    const fallen = await untilIs(
      () => s.read('song'),
      ({ status }) => conditionOf(status.conditions, 'GPUFallback') !== undefined,
      'it has fallen back',
    )
    expect(conditionOf(fallen.status.conditions, 'GPUFallback')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('NVIDIA-H100'),
    })
    const isDeleted = async () =>
      (await s.client.get(batchJobs, withGpu.metadata)).metadata.deletionTimestamp !== undefined
    await eventually(isDeleted, 'the first Job is being deleted')
    // Repeated reconciles create no second Job besides the first.
    s.pass(0, 'song')
    await s.createRun('other')
    await s.until('other', 'Pending', 'Starting')
    expect(await s.jobsOf(requested)).toHaveLength(1)
    await s.collect(withGpu)
    const onCpu = await s.jobOf(requested, ({ metadata }) => metadata.uid !== withGpu.metadata.uid)
    expect(onCpu.spec?.template.spec.nodeSelector).toBeUndefined()
    expect(onCpu.spec?.template.spec.containers[0]?.resources?.limits).toEqual({ memory: '2Gi' })
    const pod = await s.startPod(onCpu)
    await s.publish(runOf(requested), { $case: 'started', value: { worker: pod.metadata.name, warm: false } })
    expect((await s.until('song', 'Running', 'Running')).status).toMatchObject({
      attempts: 1,
      podName: pod.metadata.name,
    })
  })

  test('a run that requires a GPU waits for it beyond its deadline', async () => {
    await using s = await studio()
    await s.gpusAreKnown()
    const requested = await s.createRun('song', { resources: { gpuRequired: true }, activeDeadlineSeconds: 30 })
    const job = await s.jobOf(requested)
    await s.startPod(job, {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'No.' }],
    })
    await s.until('song', 'Pending', 'Unschedulable')
    s.pass(40_000, 'song')
    await s.createRun('other')
    await s.until('other', 'Pending', 'Starting')
    const waiting = await s.read('song')
    expect(waiting.status).toMatchObject({ phase: 'Pending' })
    expect(waiting.status.startTime).toBeUndefined()
    expect(conditionOf(waiting.status.conditions, 'GPUFallback')).toBeUndefined()
  })

  test('a run with a queue waits until the queue admits its Job', async () => {
    await using s = await studio({ maxRuns: 1 })
    await s.createRun('busy')
    await s.until('busy', 'Pending', 'Starting')
    const requested = await s.createRun('song', {}, { [queueLabel]: 'music' })
    const job = await s.jobOf(requested)
    expect(job.spec?.suspend).toBe(true)
    expect(job.metadata.labels?.[queueLabel]).toBe('music')
    const held = await s.until('song', 'Pending', 'Unschedulable')
    expect(conditionOf(held.status.conditions, 'Reconciling')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('Queue: music'),
    })
    expect(held.status.startTime).toBeUndefined()
    await s.client.patch(batchJobs, job.metadata, { type: 'merge', body: { spec: { suspend: false } } })
    expect((await s.until('song', 'Pending', 'Starting')).status.startTime).toBeDefined()
  })

  test('a run claims an idle worker, and a Job replaces one that is lost', async () => {
    await using s = await studio()
    await s.client.create<WarmPool>(warmPools, {
      metadata: { name: 'ready', namespace: s.namespace },
      spec: { workload: 'generation', replicas: 1 },
    } as never)
    let waiting: Pod | undefined
    await eventually(async () => {
      waiting = (await s.client.list(podKind, { namespace: s.namespace })).items[0]
      return waiting !== undefined
    }, 'a pod is idle')
    const pod = waiting as Pod
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await s.client.patch(podKind, pod.metadata, { type: 'merge', body: { status: ready } }, { subresource: 'status' })
    await untilIs(
      () => s.client.get(warmPools, s.ref('ready')),
      ({ status }) => status.readyReplicas === 1,
      'it is ready',
    )

    const requested = await s.createRun('song')
    const runId = runOf(requested)
    expect(await s.firstOf(assignmentsOf.generation(pod.metadata.uid))).toMatchObject({ runId })
    await s.publish(runId, { $case: 'started', value: { worker: pod.metadata.name, warm: true } })
    expect((await s.until('song', 'Running', 'Running')).status).toMatchObject({
      podName: pod.metadata.name,
      attempts: 1,
    })
    expect((await s.client.get(podKind, pod.metadata)).metadata.ownerReferences).toMatchObject([
      { kind: 'GenerationJob', uid: requested.metadata.uid },
    ])
    expect(await s.jobsOf(requested)).toEqual([])

    await s.client.delete(podKind, pod.metadata, { gracePeriodSeconds: 0 })
    const job = await s.jobOf(requested)
    const second = await s.startPod(job)
    expect(await s.firstOf(assignmentsOf.generation(second.metadata.uid))).toMatchObject({ runId })
    await s.publish(runId, { $case: 'started', value: { worker: second.metadata.name, warm: false } })
    await untilIs(
      () => s.read('song'),
      ({ status }) => status.podName === second.metadata.name && status.attempts === 2,
      'the second worker has it',
    )
    await expect
      .poll(() => s.lines('repair: a lost worker is replaced'))
      .toMatchObject([{ runId, object: `${s.namespace}/song`, because: `Its pod ${pod.metadata.name} is gone.` }])
  })

  test('a pod that its Job replaces is logged as a repair, once', async () => {
    await using s = await studio()
    const requested = await s.createRun('song')
    const runId = runOf(requested)
    const job = await s.jobOf(requested)
    const first = await s.startPod(job)
    await s.publish(runId, { $case: 'started', value: { worker: first.metadata.name, warm: false } })
    await s.until('song', 'Running', 'Running')
    const terminated = { exitCode: 139, reason: 'Error' }
    const container = { name: 'worker', ready: false, restartCount: 0, image: 'x', imageID: 'x', state: { terminated } }
    const status = { phase: 'Failed', containerStatuses: [container] } as const
    await s.client.patch(podKind, first.metadata, { type: 'merge', body: { status } }, { subresource: 'status' })
    const second = await s.startPod(job)
    await s.publish(runId, { $case: 'started', value: { worker: second.metadata.name, warm: false } })
    await untilIs(
      () => s.read('song'),
      ({ status: { podName, phase } }) => podName === second.metadata.name && phase === 'Running',
      'the second worker has it',
    )
    await s.publish(runId, { $case: 'concluded', value: { outputKey: 'audio/n1', outputSeconds: 12 } as never })
    await s.until('song', 'Complete', 'Finished')
    await expect
      .poll(() => s.lines('repair: a lost worker is replaced'))
      .toMatchObject([
        {
          runId,
          object: `${s.namespace}/song`,
          because: `Its Job made ${second.metadata.name} in place of ${first.metadata.name}.`,
        },
      ])
  })

  test('a run that requests more resources than idle workers have does not claim one', async () => {
    await using s = await studio()
    await s.client.create<WarmPool>(warmPools, {
      metadata: { name: 'ready', namespace: s.namespace },
      spec: { workload: 'generation', replicas: 1 },
    } as never)
    const requested = await s.createRun('song', { resources: { memory: '4Gi' } })
    expect((await s.jobOf(requested)).spec?.template.spec.containers[0]?.resources?.limits).toEqual({ memory: '4Gi' })
  })

  test('a cancelled run and one beyond its deadline end with their Jobs', async () => {
    await using s = await studio()
    const [first, second] = [await s.createRun('first'), await s.createRun('second', { activeDeadlineSeconds: 20 })]
    const jobs = [await s.jobOf(first), await s.jobOf(second)]
    for (const job of jobs) await s.startPod(job)
    await s.rpc.cancel({ runId: runOf(first) })
    await s.until('first', 'Failed', 'Cancelled')
    await s.until('second', 'Pending', 'Starting')
    s.pass(21_000, 'second')
    await s.until('second', 'Failed', 'DeadlineExceeded')
    for (const { metadata } of jobs)
      await untilIs(
        () => s.client.get(batchJobs, metadata),
        (job) => job.metadata.deletionTimestamp !== undefined,
        'the Job is being deleted',
      )
    expect([
      reasonOf(await s.firstOf(runTopic.generation(runOf(first)))),
      reasonOf(await s.firstOf(runTopic.generation(runOf(second)))),
    ]).toEqual(['Cancelled', 'DeadlineExceeded'])
  })

  test('listeners are notified of the deletion of a run', async () => {
    await using s = await studio()
    const requested = await s.createRun('song')
    await s.until('song', 'Pending', 'Starting')
    await s.client.delete(generationJobs, s.ref('song'))
    expect(reasonOf(await s.firstOf(runTopic.generation(runOf(requested))))).toBe('Cancelled')
    await expect
      .poll(() => s.lines('a run ended'))
      .toMatchObject([
        {
          workload: 'generation',
          runId: runOf(requested),
          object: `${s.namespace}/song`,
          phase: 'Failed',
          reason: 'Cancelled',
          seconds: expect.any(Number),
          detail: 'The GenerationJob was deleted.',
        },
      ])
  })

  test('a run whose Job a quota rejects reports it', async () => {
    await using s = await studio()
    await setQuota(s.client, s.namespace, { 'count/jobs.batch': '0' })
    const requested = await s.createRun('song')
    const waiting = await s.until('song', 'Pending', 'Unschedulable')
    expect(conditionOf(waiting.status.conditions, 'Ready')?.message).toMatch(
      /^Quota or policy: the API server refused the worker: .*exceeded quota: few/,
    )
    expect(await s.jobsOf(requested)).toEqual([])
  })

  test('a run beyond the limit starts when another ends', async () => {
    await using s = await studio({ maxRuns: 1 })
    const first = await s.createRun('first')
    await s.until('first', 'Pending', 'Starting')
    const second = await s.createRun('second')
    const waiting = await s.until('second', 'Pending', 'Unschedulable')
    expect(conditionOf(waiting.status.conditions, 'Ready')?.message).toBe(
      'Run limit: 1 generations, the maximum, have workers. This one starts when one of them ends.',
    )
    expect(await s.jobsOf(second)).toEqual([])
    await s.rpc.cancel({ runId: runOf(first) })
    await s.until('first', 'Failed', 'Cancelled')
    await s.jobOf(second)
  })

  test('a run that a service requests is created once, under its id, and not planned again', async () => {
    await using s = await studio()
    const generation = { chainId: 'c1', nodeId: 'n1', durationSeconds: 10, generator: 'recombine' }
    const request = {
      runId: 'run-7',
      workload: 'WORKLOAD_GENERATION' as const,
      input: Buffer.from('do it'),
      activeDeadlineSeconds: 60,
      generation,
    }
    expect(await s.rpc.run(request)).toEqual({ queued: true })
    await s.rpc.run(request)
    const made = (await s.client.list(generationJobs, { namespace: s.namespace })).items
    expect(made).toHaveLength(1)
    const [requested] = made as [GenerationJob]
    expect(requested).toMatchObject({
      metadata: { labels: { 'trellis.dev/run-id': 'run-7' } },
      spec: { generator: 'recombine', activeDeadlineSeconds: 60 },
    })
    expect(Buffer.from((await s.firstOf(inputsOf.generation('run-7'))).input).toString()).toBe('do it')
    const pod = await s.startPod(await s.jobOf(requested))
    expect(await s.firstOf(assignmentsOf.generation(pod.metadata.uid))).toMatchObject({ runId: 'run-7' })
    await s.publish('run-7', { $case: 'started', value: { worker: pod.metadata.name, warm: false } })
    await s.until(requested.metadata.name, 'Running', 'Running')
    expect(s.planRequests).toEqual([])
    // The operator counts from its cache, which lags a moment behind its writes.
    await waitFor(async () =>
      expect(await s.rpc.capacity({ workload: 'WORKLOAD_GENERATION' })).toMatchObject({
        running: 1,
        queued: 0,
        total: 10,
      }),
    )
  })
})
