import { glob, readFile } from 'node:fs/promises'
import { randomFrom, runSeed, runsFactor, runsOrWhole, sample } from '@trellis/test/support/exploration'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatSamples } from '../test/audio-formats.ts'
import { mutated, withChecksums } from '../test/mutations.ts'
import { local, type OpenService, openService, upload } from '../test/open-service.ts'

/** Truncated and changed copies of each file. */
const [cuts, copies] = [runsOrWhole(2, 200), runsOrWhole(2, 1_000)]
const timeout = 180_000 * Math.max(1, runsFactor)
const maxSeconds = 30

const stack = new AsyncDisposableStack()
let service: OpenService
beforeAll(async () => {
  const { path } = stack.use(await temporaryDirectory())
  service = stack.use(await openService(path, { MUSIC_MAX_SECONDS: String(maxSeconds), MUSIC_MAX_UPLOAD_MB: '1' }))
})
afterAll(() => stack.disposeAsync())

/** Uploads damaged bytes: a chain with sane figures, which is deleted, or a refusal with a sentence. Returns which. */
const tryUpload = async (bytes: Uint8Array, what: string): Promise<'chain' | 'refused'> => {
  const outcome = await upload(service, bytes).catch((error: Error) => error)
  if (outcome instanceof Error) {
    expect(outcome, what).toMatchObject({
      status: expect.toBeOneOf([413, 415, 422]),
      message: expect.stringMatching(/^[A-Z].*\.$/s),
    })
    return 'refused'
  }
  expect(outcome, what).toMatchObject({ nodes: [{ status: 'NODE_STATUS_READY' }] })
  const { chainId, bpm, loudnessLufs, nodes } = outcome
  const seconds = nodes[0]?.durationSeconds ?? 0
  expect(seconds, what).toBeGreaterThanOrEqual(1)
  expect(seconds, what).toBeLessThanOrEqual(maxSeconds)
  for (const figure of [bpm ?? 100, loudnessLufs ?? -20]) expect(Number.isFinite(figure), what).toBe(true)
  await service.client.deleteChain({ chainId }, { caller: local })
  return 'chain'
}

/** Files that hold a few seconds need no more, however damaged: a worker that has done nothing has 120 MB, one that reads whole files 190. */
const mostMegabytes = 400

/** The largest resident memory of any worker of this process so far, in MB; 0 on systems other than Linux. */
const peakOfWorkers = async (): Promise<number> => {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  let peak = 0
  for await (const list of glob(`/proc/${process.pid}/task/*/children`))
    for (const pid of (await read(list)).split(' ').filter(Boolean)) {
      const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await read(`/proc/${pid}/status`)) ?? []
      peak = Math.max(peak, Number(kilobytes ?? 0) / 1024)
    }
  return peak
}

describe('a damaged upload', () => {
  test.each(sample(formatSamples, 5))(
    'of $name becomes a chain with sane figures, or is refused with a sentence',
    { timeout },
    async ({ make }) => {
      const bytes = await make()
      const random = randomFrom(runSeed)
      const outcomes: string[] = []
      let peak = 0
      const attempt = async (damaged: Uint8Array, what: string) => {
        outcomes.push(await tryUpload(damaged, what))
        peak = Math.max(peak, await peakOfWorkers())
      }
      for (let index = 0; index < cuts; index++) {
        const at = Math.floor(random() * bytes.length)
        await attempt(bytes.subarray(0, at), `cut at ${at}`)
      }
      for (let seed = runSeed; seed < runSeed + copies; seed++)
        await attempt(withChecksums(mutated(bytes, randomFrom(seed))), `seed ${seed}`)
      expect(peak).toBeLessThan(mostMegabytes)
      // The undamaged file shows that the worker still serves.
      expect(await tryUpload(bytes, 'the whole')).toBe('chain')
      expect(outcomes).toHaveLength(cuts + copies)
    },
  )
})
