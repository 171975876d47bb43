import { expect, test, vi } from 'vitest'
import { type GenerationJob, generationJobs } from '../crds/mod.ts'
import { ApiError } from '../runtime/mod.ts'
import { begin } from './begin.ts'
import type { GenerationDependencies, GenerationRun } from './dependencies.ts'

const job = { metadata: { name: 'song', namespace: 'default', uid: 'u', resourceVersion: '1' }, spec: {}, status: {} }

test('a GenerationJob deleted on the server gets no new Job, although the cache still shows it', async () => {
  const create = vi.fn()
  const get = vi.fn(async () => {
    throw new ApiError(404, { reason: 'NotFound', message: 'It is not found.' } as never)
  })
  const dependencies = {
    client: { create, get },
    claims: { claim: async () => undefined, settle: async () => undefined },
    memories: { peek: () => ({ isAdmitted: true }) },
    maxRuns: 1,
  } as unknown as GenerationDependencies
  const run = {
    object: job as unknown as GenerationJob,
    runId: 'obj-u',
    found: { surplus: [] },
    memory: { isAdmitted: true },
    signal: new AbortController().signal,
  } as unknown as GenerationRun
  expect(await begin(dependencies, run, { kind: 'obtain', mayClaim: true, backoffLimit: 0 })).toEqual({ kind: 'done' })
  expect(get).toHaveBeenCalledWith(generationJobs, job.metadata, expect.anything())
  expect(create).not.toHaveBeenCalled()
})
