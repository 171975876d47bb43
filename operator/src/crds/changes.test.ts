import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findControlPlane } from '../../test/find-control-plane.ts'
import { apiVersion } from './kind.ts'
import { at, type InstalledKinds, installKinds, objectPath } from './test-support.ts'

const programs = findControlPlane()
const mergePatch = 'application/merge-patch+json'

const fullSpecs: Record<string, object> = {
  Search: { query: 'thinkpad', filters: { mustInclude: ['16gb'], minPrice: 1 }, pages: 2, user: 'ann' },
  Branch: { slug: 'graz', label: 'Graz', tenantId: 'retail', storage: '2Gi' },
  GenerationJob: {
    chainId: 'c1',
    nodeId: 'n1',
    input: { key: 'a' },
    prompt: 'slow',
    seed: 1,
    contextSeconds: 3,
    resources: { gpu: 1 },
  },
  WarmPool: { workload: 'search', replicas: 2, maxReplicas: 5 },
}

/** A change to a spec (a merge patch: null removes a field), and the expected message. */
type Change = readonly [kind: string, what: string, patch: Record<string, unknown>, message: RegExp]

const once = 'a Search runs once; create another Search instead'
const makesOne = 'a GenerationJob makes one continuation; create another GenerationJob instead'

const refusedChanges: readonly Change[] = [
  ['Search', 'another query', { query: 'x1' }, new RegExp(`spec\\.query: Forbidden: query cannot be changed: ${once}`)],
  [
    'Search',
    'another term',
    { filters: { mustInclude: ['32gb'] } },
    new RegExp(`spec\\.filters: Forbidden: filters cannot be changed: ${once}`),
  ],
  ['Search', 'no filters', { filters: null }, /spec\.filters: Forbidden: filters cannot be changed/],
  [
    'Search',
    'a price that was not there',
    { filters: { maxPrice: 5 } },
    /spec\.filters: Forbidden: filters cannot be changed/,
  ],
  ['Search', 'another adapter', { adapter: 'api' }, /spec\.adapter: Forbidden: adapter cannot be changed/],
  ['Search', 'the default of pages', { pages: null }, /spec\.pages: Forbidden: pages cannot be changed/],
  ['Search', 'another user', { user: 'bob' }, /spec\.user: Forbidden: user cannot be changed/],
  ['Search', 'no user', { user: null }, /spec\.user: Forbidden: user cannot be changed/],
  ['Branch', 'another slug', { slug: 'wien' }, /spec\.slug: Forbidden: slug cannot be changed: senders use it/],
  ['Branch', 'no slug', { slug: null }, /spec\.slug: Forbidden: slug cannot be changed/],
  ['Branch', 'another tenant', { tenantId: 'other' }, /spec\.tenantId: Forbidden: tenantId cannot be changed/],
  ['Branch', 'no tenant', { tenantId: null }, /spec\.tenantId: Forbidden: tenantId cannot be changed/],
  ['Branch', 'less storage', { storage: '1Gi' }, /spec\.storage: Forbidden: storage can only grow/],
  ['Branch', 'less storage in another unit', { storage: '2G' }, /spec\.storage: Forbidden: storage can only grow/],
  ['Branch', 'less storage by the default', { storage: null }, /spec\.storage: Forbidden: storage can only grow/],
  [
    'GenerationJob',
    'another chain',
    { chainId: 'c2' },
    new RegExp(`spec\\.chainId: Forbidden: chainId cannot be changed: ${makesOne}`),
  ],
  ['GenerationJob', 'another node', { nodeId: 'n2' }, /spec\.nodeId: Forbidden: nodeId cannot be changed/],
  ['GenerationJob', 'another input', { input: { key: 'b' } }, /spec\.input: Forbidden: input cannot be changed/],
  ['GenerationJob', 'another prompt', { prompt: 'fast' }, /spec\.prompt: Forbidden: prompt cannot be changed/],
  ['GenerationJob', 'no seed', { seed: null }, /spec\.seed: Forbidden: seed cannot be changed/],
  [
    'GenerationJob',
    'another length',
    { durationSeconds: 11 },
    /spec\.durationSeconds: Forbidden: durationSeconds cannot be changed/,
  ],
  [
    'GenerationJob',
    'more context',
    { contextSeconds: 4 },
    /spec\.contextSeconds: Forbidden: contextSeconds cannot be changed/,
  ],
  [
    'GenerationJob',
    'another generator',
    { generator: 'mock' },
    /spec\.generator: Forbidden: generator cannot be changed/,
  ],
  ['GenerationJob', 'more GPUs', { resources: { gpu: 2 } }, /spec\.resources: Forbidden: resources cannot be changed/],
  [
    'GenerationJob',
    'more attempts',
    { backoffLimit: 3 },
    /spec\.backoffLimit: Forbidden: backoffLimit cannot be changed/,
  ],
  ['WarmPool', 'another workload', { workload: 'generation' }, /spec\.workload: Forbidden: workload cannot be changed/],
  [
    'WarmPool',
    'a maxReplicas below its replicas',
    { maxReplicas: 1 },
    /spec\.replicas: Forbidden: replicas must not be above maxReplicas/,
  ],
]

const allowedChanges: readonly (readonly [kind: string, patch: Record<string, unknown>])[] = [
  ['Search', { suspend: true, ttlSecondsAfterFinished: 0, activeDeadlineSeconds: 60 }],
  [
    'Branch',
    { label: 'Graz, main', state: 'Inactive', storage: '2049Mi', retentionDays: 1, port: 8600, anonymize: true },
  ],
  ['Branch', { label: null }],
  // The same size in another unit, and a larger one as a plain number of bytes.
  ['Branch', { storage: '2048Mi' }],
  ['Branch', { storage: 3_000_000_000 }],
  ['GenerationJob', { ttlSecondsAfterFinished: 60, activeDeadlineSeconds: 7200 }],
  ['WarmPool', { replicas: 0, maxReplicas: 200, idleSeconds: 60 }],
]

describe.skipIf(typeof programs === 'string')(
  `changes on a real API server${typeof programs === 'string' ? ` (skipped: ${programs})` : ''}`,
  () => {
    let installed: InstalledKinds
    beforeAll(async () => {
      if (typeof programs !== 'string') installed = await installKinds(programs)
      for (const [kind, spec] of Object.entries(fullSpecs)) await create(kind, 'full', spec)
    })
    afterAll(() => installed?.[Symbol.asyncDispose]())

    const create = async (kind: string, name: string, spec: object) => {
      const object = { apiVersion, kind, metadata: { name }, spec }
      const answer = await installed.send('POST', objectPath(kind), { body: object })
      if (answer.status !== 201) throw new Error(`${kind} ${name} was refused: ${answer.body.message}`)
      return answer.body
    }
    const patch = (path: string, body: object) => installed.send('PATCH', path, { body, type: mergePatch })

    test.each(refusedChanges)('a %s rejects %s', async (kind, _, changed, message) => {
      const { status, body } = await patch(objectPath(kind, 'full'), { spec: changed })
      expect(status).toBe(422)
      expect(body.message).toMatch(message)
    })

    test.each(allowedChanges)('a %s accepts %j', async (kind, changed) => {
      const { status, body } = await patch(`${objectPath(kind, 'full')}?dryRun=All`, { spec: changed })
      expect({ status, message: body.message }).toEqual({ status: 200, message: undefined })
    })

    test('the label that a slug is derived from is immutable', async () => {
      await create('Branch', 'derived', { label: 'Linz' })
      const { status, body } = await patch(objectPath('Branch', 'derived'), { spec: { label: 'Wels' } })
      expect(status).toBe(422)
      expect(body.message).toMatch(/spec\.label: Forbidden: label cannot be changed if slug is left out/)
      const withSlug = await patch(objectPath('Branch', 'derived'), { spec: { slug: 'linz' } })
      expect(withSlug.body.message).toMatch(/spec\.slug: Forbidden: slug cannot be changed/)
    })

    test.each(Object.keys(fullSpecs))('a new %s is not observed, whatever its writer sets', async (kind) => {
      const { status, body } = await installed.send('POST', `${objectPath(kind)}?dryRun=All`, {
        body: { apiVersion, kind, metadata: { name: 'new' }, spec: fullSpecs[kind], status: { observedGeneration: 7 } },
      })
      expect(status).toBe(201)
      expect(body.status).toEqual({ observedGeneration: -1 })
    })

    test.each(Object.keys(fullSpecs))('the spec and the status of a %s are written separately', async (kind) => {
      const before = await create(kind, 'apart', {
        ...fullSpecs[kind],
        ...(kind === 'Branch' ? { slug: 'apart' } : {}),
      })
      const condition = {
        type: 'Ready',
        status: 'False',
        observedGeneration: 1,
        lastTransitionTime: '2026-03-01T09:15:02Z',
        reason: 'Starting',
        message: 'Its pod is being started.',
      }
      const change =
        kind === 'Branch' ? { port: 9000 } : kind === 'WarmPool' ? { replicas: 1 } : { activeDeadlineSeconds: 77 }
      const both = { spec: change, status: { observedGeneration: 1, conditions: [condition] } }

      const reported = await patch(objectPath(kind, 'apart', 'status'), both)
      expect(reported.body.spec).toEqual(before.spec)
      expect(reported.body.status).toEqual(both.status)
      expect(at(reported.body, 'metadata', 'generation')).toBe(1)

      const changed = await patch(objectPath(kind, 'apart'), { ...both, status: { observedGeneration: 99 } })
      expect(changed.body.spec).toMatchObject(change)
      expect(changed.body.status).toEqual(both.status)
      expect(at(changed.body, 'metadata', 'generation')).toBe(2)
    })

    test('a status is validated against its schema', async () => {
      const { status, body } = await patch(objectPath('GenerationJob', 'full', 'status'), {
        status: { phase: 'Done', progress: 1.1 },
      })
      expect(status).toBe(422)
      expect(body.message).toMatch(/status\.phase: Unsupported value: "Done"/)
      expect(body.message).toMatch(/status\.progress.*less than or equal to 1/)
    })

    test('duplicate conditions of a type are rejected', async () => {
      const ready = {
        type: 'Ready',
        status: 'True',
        lastTransitionTime: '2026-03-01T09:15:02Z',
        reason: 'Finished',
        message: '',
      }
      const { status, body } = await patch(objectPath('Search', 'full', 'status'), {
        status: { conditions: [ready, ready] },
      })
      expect(status).toBe(422)
      expect(body.message).toMatch(/status\.conditions\[1\]: Duplicate value/)
    })

    test("a pool is scaled by its scale subresource, with its pods' selector, up to maxReplicas", async () => {
      await create('WarmPool', 'scaled', { workload: 'search', replicas: 1, maxReplicas: 4 })
      const seen = { replicas: 1, selector: 'trellis.dev/pool=scaled' }
      await patch(objectPath('WarmPool', 'scaled', 'status'), { status: seen })

      const scaled = await patch(objectPath('WarmPool', 'scaled', 'scale'), { spec: { replicas: 4 } })
      expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 }, status: seen })
      const pool = await installed.send('GET', objectPath('WarmPool', 'scaled'))
      expect(pool.body).toMatchObject({ spec: { replicas: 4, maxReplicas: 4 } })

      const above = await patch(objectPath('WarmPool', 'scaled', 'scale'), { spec: { replicas: 5 } })
      expect(above.status).toBe(422)
      expect(above.body.message).toMatch(/spec\.replicas: Forbidden: replicas must not be above maxReplicas/)
    })
  },
)
