import { spawn } from 'node:child_process'
import { readConfig } from '@trellis/kit/config'
import { type FilesLocation, openFiles } from '@trellis/kit/files'
import { type Caller, connectInProcess, type Handlers } from '@trellis/kit/rpc'
import { silentLog } from '@trellis/kit/telemetry'
import { generationPlanRequests, runTopic } from '@trellis/kit/workloads'
import { serveAssignments } from '@trellis/kit/workloads/pod'
import { type Chain, MusicServiceDefinition } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import type { GenerationSubject } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { asStarted } from '@trellis/test/support/as-started'
import { buses, type RunningBus } from '@trellis/test/support/buses'
import { drawnBackend } from '@trellis/test/support/exploration'
import { modulePath } from '@trellis/test/support/module-path'
import { playOperator } from '@trellis/test/support/played-operator'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { wavOf } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { local, nodeOf, settled, upload } from '../../test/open-service.ts'
import { nodeFile } from '../audio/files-layout.ts'
import { createMusicService, generationWorker, musicConfig } from '../mod.ts'
import { audioWork } from '../worker/audio-work.ts'

const podModule = await modulePath('services/music/src/worker/pod.ts')
const RATE = 22_050
const ada: Caller = { userId: 'ada', kind: 'account', tier: 'paid' }

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close()
})

/** Starts pods: separate processes if there is a server that they can join. None start while `isHeld`. */
const podsOn = ({ bus, address }: RunningBus, files: FilesLocation) => {
  const ending = new AbortController()
  const ended: Promise<unknown>[] = []
  cleanUp.push(async () => {
    ending.abort()
    await Promise.all(ended)
  })
  const asProcess = (podUid: string, server: string) => {
    const env = {
      ...asStarted,
      NATS_URL: server,
      POD_UID: podUid,
      METRICS_PORT: '0',
      LOG_LEVEL: 'silent',
      WORKER_LINGER_SECONDS: '0',
    }
    const child = spawn(process.execPath, [podModule], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    ended.push(new Promise((resolve) => child.once('exit', resolve)))
    ending.signal.addEventListener('abort', () => child.kill('SIGKILL'))
  }
  const inProcess = (podUid: string) => {
    const limits = { lingerMilliseconds: 0, reportWithinMilliseconds: 10_000, flushWithinMilliseconds: 100 }
    const own = {
      kind: 'generation' as const,
      podUid,
      worker: podUid,
      signal: ending.signal,
      log: silentLog,
      onReady: () => undefined,
    }
    ended.push(serveAssignments({ bus, work: audioWork(files), ...limits, ...own }))
  }
  const pods = {
    isHeld: false,
    start: (podUid: string) => {
      if (!pods.isHeld) address === undefined ? inProcess(podUid) : asProcess(podUid, address)
    },
  }
  return pods
}

const placeFiles = ({ address }: RunningBus, directory: string): FilesLocation =>
  address === undefined
    ? { kind: 'directory', path: directory }
    : { kind: 'nats', servers: [address], bucket: 'trellis-files', replicas: 1, prefix: 'trellis' }

/** The service where runs are objects, with an operator that the test simulates, and a chain of 6 s. */
const open = async (
  ground: RunningBus,
  { environment = {}, caller = local }: { environment?: Record<string, string>; caller?: Caller } = {},
) => {
  const asOwner = { caller }
  const directory = await temporaryDirectory()
  cleanUp.push(async () => directory[Symbol.asyncDispose]())
  const location = placeFiles(ground, `${directory.path}/files`)
  const files = await openFiles(location)
  cleanUp.push(async () => files[Symbol.asyncDispose]())
  const pods = podsOn(ground, location)
  const operator = playOperator({ bus: ground.bus, startPod: pods.start })
  cleanUp.push(async () => operator[Symbol.asyncDispose]())
  const service = await createMusicService({
    config: readConfig(musicConfig, { MUSIC_GENERATOR_MOCK: '1', ...environment }),
    dataDirectory: directory.path,
    bus: ground.bus,
    files,
    workloads: operator.client,
    runsAreObjects: true,
    localWorker: generationWorker({ files: location, workers: 1 }),
    log: silentLog,
  })
  cleanUp.push(async () => service[Symbol.asyncDispose]())
  const handlers = service.implementations[0]?.handlers as Handlers<typeof MusicServiceDefinition>
  const client = connectInProcess(MusicServiceDefinition, handlers)
  const { block } = playBand({ bpm: 120, bars: 4, sampleRate: RATE, channels: 1 })
  const wav = await wavOf(
    block.map((channel) => channel.slice(0, 6 * RATE)),
    RATE,
  )
  const chain = await upload({ client }, wav, asOwner)

  const branch = async (takes = 1): Promise<string> => {
    const { chainId, rootNodeId: nodeId } = chain
    const generator = 'GENERATOR_AUTO' as const
    const request = { chainId, nodeId, prompt: '', durationSeconds: 2, seed: 7, takes, generator }
    return (await client.createBranches(request, asOwner)).nodes[0]?.nodeId ?? ''
  }
  /** A branch whose run fails with the operator's report of a lost pod. */
  const failedBranch = async (): Promise<string> => {
    pods.isHeld = true
    const nodeId = await branch()
    const runId = `generate-${nodeId}-1`
    const failed = { reason: 'WorkerLost', detail: 'The worker was lost.', kind: 'internal' }
    await ground.bus.publish(runTopic.generation(runId), { runId, report: { $case: 'failed', value: failed } })
    await settled({ client }, chain.chainId, asOwner)
    pods.isHeld = false
    return nodeId
  }
  const subject = (nodeId: string, change: Partial<GenerationSubject> = {}): GenerationSubject => ({
    chainId: chain.chainId,
    nodeId,
    durationSeconds: 2,
    generator: 'auto',
    ...change,
  })
  const now = (): Promise<Chain> => client.getChain({ chainId: chain.chainId }, asOwner)
  return { client, operator, chain, files, wav, branch, failedBranch, subject, now, pods }
}

const drawnBuses = drawnBackend(buses, 'music/generations/plan-requests')

describe.each(drawnBuses)('over $name, where runs are objects', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('the music service', () => {
    let ground: RunningBus
    let unique = 0
    beforeAll(async () => {
      ground = await start()
    })
    afterAll(() => ground?.[Symbol.asyncDispose]())
    const newRun = () => {
      unique += 1
      return `gen-${process.pid}-${unique}`
    }

    test('a branch is a run with a displayed subject, and is concluded with the key of its audio', async () => {
      const { client, operator, chain, branch } = await open(ground)
      const nodeId = await branch()
      expect(nodeOf(await settled({ client }, chain.chainId), nodeId).status).toBe('NODE_STATUS_READY')
      const runId = `generate-${nodeId}-1`
      expect(await operator.concluded(runId)).toMatchObject({
        outputKey: nodeFile(nodeId, 'samples'),
        outputSeconds: 2,
        loudnessStepLu: expect.any(Number),
      })
      expect(operator.requested[0]).toMatchObject({
        runId,
        generation: { chainId: chain.chainId, nodeId, seed: 7, durationSeconds: 2, generator: 'mock' },
      })
      expect(operator.requested).toHaveLength(1)
    })

    test('a failure that the operator reports ends the node and its object', async () => {
      const { operator, failedBranch, now } = await open(ground)
      const nodeId = await failedBranch()
      expect(nodeOf(await now(), nodeId)).toMatchObject({ status: 'NODE_STATUS_ERROR', error: 'The worker was lost.' })
      expect((await operator.concluded(`generate-${nodeId}-1`)).failure).toMatchObject({ reason: 'WorkerLost' })
    })

    test('a plan request generates a failed node again with its own parameters', async () => {
      const { client, operator, chain, failedBranch, subject } = await open(ground)
      const nodeId = await failedBranch()
      const runId = newRun()
      await operator.requestPlan(generationPlanRequests, {
        runId,
        generation: subject(nodeId, { seed: 8, durationSeconds: 3 }),
      })
      expect(await operator.concluded(runId)).toMatchObject({ outputSeconds: 3 })
      const node = nodeOf(await settled({ client }, chain.chainId), nodeId)
      expect([node.status, node.seed, node.durationSeconds]).toEqual(['NODE_STATUS_READY', 8, 3])
    })

    test('a plan request for a ready node is concluded at once if its parameters are the same', async () => {
      const { client, operator, chain, branch, subject } = await open(ground)
      const nodeId = await branch()
      await settled({ client }, chain.chainId)
      const [same, other] = [newRun(), newRun()]
      await operator.requestPlan(generationPlanRequests, { runId: same, generation: subject(nodeId, { seed: 7 }) })
      await operator.requestPlan(generationPlanRequests, { runId: other, generation: subject(nodeId, { seed: 9 }) })
      expect(await operator.concluded(same)).toMatchObject({ outputKey: nodeFile(nodeId, 'samples') })
      expect((await operator.concluded(other)).failure).toMatchObject({ kind: 'conflict' })
      expect(operator.requested).toHaveLength(1)
    })

    test('a plan request for a missing node is concluded as NodeNotFound', async () => {
      const { operator, chain, subject } = await open(ground)
      const [node, of, upload] = [newRun(), newRun(), newRun()]
      await operator.requestPlan(generationPlanRequests, { runId: node, generation: subject('unknown') })
      await operator.requestPlan(generationPlanRequests, {
        runId: of,
        generation: { ...subject('n'), chainId: 'nothing' },
      })
      await operator.requestPlan(generationPlanRequests, { runId: upload, generation: subject(chain.rootNodeId) })
      for (const runId of [node, of, upload])
        expect((await operator.concluded(runId)).failure).toMatchObject({ reason: 'NodeNotFound' })
    })

    test('a plan request for a node of another run waits for that run', async () => {
      const { client, operator, chain, branch, subject, pods } = await open(ground)
      pods.isHeld = true
      const nodeId = await branch()
      const runId = newRun()
      await operator.requestPlan(generationPlanRequests, { runId, generation: subject(nodeId) })
      const failed = { reason: 'WorkerLost', detail: 'The worker was lost.', kind: 'internal' }
      const first = `generate-${nodeId}-1`
      pods.isHeld = false
      await ground.bus.publish(runTopic.generation(first), { runId: first, report: { $case: 'failed', value: failed } })
      expect(await operator.concluded(runId)).toMatchObject({ outputSeconds: 2 })
      expect(nodeOf(await settled({ client }, chain.chainId), nodeId).status).toBe('NODE_STATUS_READY')
    })

    test('a plan request is refused beyond the storage quota of the owner of the chain, and changes nothing', async () => {
      const { operator, failedBranch, subject, now } = await open(ground, {
        environment: { MUSIC_USER_MB: '1' },
        caller: ada,
      })
      const nodeId = await failedBranch()
      const before = nodeOf(await now(), nodeId)
      const [large, small] = [newRun(), newRun()]
      await operator.requestPlan(generationPlanRequests, {
        runId: large,
        generation: subject(nodeId, { durationSeconds: 20 }),
      })
      expect((await operator.concluded(large)).failure).toMatchObject({
        reason: 'QuotaExceeded',
        kind: 'too_large',
        detail: expect.stringContaining('delete chains or nodes first'),
      })
      expect(nodeOf(await now(), nodeId)).toEqual(before)
      await operator.requestPlan(generationPlanRequests, { runId: small, generation: subject(nodeId) })
      expect(await operator.concluded(small)).toMatchObject({ outputSeconds: 2 })
    })

    test('a plan request is refused beyond the generations that the owner of the chain may have under way', async () => {
      const { operator, branch, failedBranch, subject, pods } = await open(ground, {
        environment: { MUSIC_USER_GENERATIONS: '4' },
        caller: ada,
      })
      const nodeId = await failedBranch()
      pods.isHeld = true
      await branch(4)
      const runId = newRun()
      await operator.requestPlan(generationPlanRequests, { runId, generation: subject(nodeId) })
      expect((await operator.concluded(runId)).failure).toMatchObject({
        reason: 'QuotaExceeded',
        kind: 'rate_limited',
        detail: expect.stringContaining('at most 4 generations'),
      })
    })

    test('a plan request may name audio to continue, of the same shape only', async () => {
      const { operator, files, wav, failedBranch, subject } = await open(ground)
      await files.write('music/inputs/song.wav', wav)
      const { block } = playBand({ bpm: 120, bars: 2, sampleRate: 44_100, channels: 1 })
      await files.write('music/inputs/other.wav', await wavOf(block, 44_100))
      const [good, bad] = [await failedBranch(), await failedBranch()]
      const [first, second] = [newRun(), newRun()]
      await operator.requestPlan(generationPlanRequests, {
        runId: first,
        generation: subject(good, { inputKey: 'music/inputs/song.wav' }),
      })
      await operator.requestPlan(generationPlanRequests, {
        runId: second,
        generation: subject(bad, { inputKey: 'music/inputs/other.wav' }),
      })
      expect(await operator.concluded(first)).toMatchObject({ outputSeconds: 2 })
      const { failure } = await operator.concluded(second)
      expect(failure).toMatchObject({ kind: 'invalid' })
      expect(failure?.detail).toContain('44100')
    })
  })
})
