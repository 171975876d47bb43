import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findControlPlane } from '../../test/find-control-plane.ts'
import { badObjects, goodSpecs } from './bad-objects.ts'
import { apiVersion } from './kind.ts'
import { type InstalledKinds, installKinds, objectPath } from './test-support.ts'

const programs = findControlPlane()

const longTerms = Array.from({ length: 200 }, (_, index) => `${index} `.padEnd(100, 'x'))
/** Specs at the limits of the contract: the smallest and largest of every number, text and list. */
const specsAtTheirLimits: readonly (readonly [kind: string, spec: object])[] = [
  [
    'Search',
    {
      query: 'x',
      filters: { minPrice: 0, maxPrice: 0 },
      pages: 1,
      ttlSecondsAfterFinished: 0,
      activeDeadlineSeconds: 1,
    },
  ],
  [
    'Search',
    {
      query: 'ü'.repeat(500),
      filters: {
        mustInclude: longTerms,
        mustExclude: longTerms,
        minPrice: 9.99,
        maxPrice: 9.99,
        categoryId: '1'.repeat(40),
      },
      pages: 999,
      user: 'u'.repeat(253),
      ttlSecondsAfterFinished: 31_536_000,
      activeDeadlineSeconds: 86_400,
    },
  ],
  ['Branch', { slug: '-', storage: '1', retentionDays: 1, port: 1024 }],
  [
    'Branch',
    {
      slug: 'a'.repeat(40),
      label: '東'.repeat(253),
      tenantId: 't'.repeat(253),
      storage: '16Ti',
      retentionDays: 3650,
      port: 65_535,
    },
  ],
  ['Branch', { label: 'Büro 2' }],
  [
    'GenerationJob',
    {
      chainId: 'c',
      nodeId: 'n',
      seed: 0,
      prompt: '',
      durationSeconds: 1,
      contextSeconds: 0,
      resources: { gpu: 0, gpuRequired: false },
      backoffLimit: 0,
    },
  ],
  [
    'GenerationJob',
    { chainId: 'c', nodeId: 'n', resources: { class: 'NVIDIA-L4', gpuRequired: true, cpu: '500m', memory: 1 } },
  ],
  [
    'GenerationJob',
    {
      chainId: 'c'.repeat(128),
      nodeId: 'n'.repeat(128),
      input: { key: 'k'.repeat(1024) },
      seed: Number.MAX_SAFE_INTEGER,
      prompt: 'p'.repeat(2000),
      durationSeconds: 60,
      contextSeconds: 1200,
      resources: { gpu: 8, class: 'A100' },
      backoffLimit: 10,
      activeDeadlineSeconds: 86_400,
    },
  ],
  ['WarmPool', { workload: 'search', replicas: 0, maxReplicas: 1, idleSeconds: 0 }],
  ['WarmPool', { workload: 'generation', replicas: 200, maxReplicas: 200, idleSeconds: 86_400 }],
]

/** A mutable field of each kind. */
const changeable: Record<string, object> = {
  Search: { suspend: true },
  Branch: { retentionDays: 7 },
  GenerationJob: { ttlSecondsAfterFinished: 7 },
  WarmPool: { idleSeconds: 7 },
}

describe.skipIf(typeof programs === 'string')(
  `the limits on a real API server${typeof programs === 'string' ? ` (skipped: ${programs})` : ''}`,
  () => {
    let installed: InstalledKinds
    beforeAll(async () => {
      if (typeof programs !== 'string') installed = await installKinds(programs)
    })
    afterAll(() => installed?.[Symbol.asyncDispose]())

    const create = (kind: string, spec: object) =>
      installed.send('POST', `${objectPath(kind)}?dryRun=All&fieldValidation=Strict`, {
        body: { apiVersion, kind, metadata: { generateName: 'tried-' }, spec },
      })

    test.each(Object.entries(goodSpecs))('a minimal %s is accepted', async (kind, spec) => {
      const { status, body, warnings } = await create(kind, spec)
      expect({ status, message: body.message, warnings }).toEqual({ status: 201, message: undefined, warnings: [] })
    })

    test.each(specsAtTheirLimits.map(([kind, spec], index) => ({ kind, spec, index })))(
      'a $kind at its limits ($index) is accepted, and can be changed',
      async ({ kind, spec, index }) => {
        const name = `at-limits-${index}`
        const object = { apiVersion, kind, metadata: { name }, spec }
        const made = await installed.send('POST', `${objectPath(kind)}?fieldValidation=Strict`, { body: object })
        expect({ status: made.status, message: made.body.message }).toEqual({ status: 201, message: undefined })
        // The server limits the cost of transition rules, which grows with the size of the object.
        const again = await installed.send('PATCH', objectPath(kind, name), {
          body: { spec: changeable[kind] },
          type: 'application/merge-patch+json',
        })
        expect({ status: again.status, message: again.body.message }).toEqual({ status: 200, message: undefined })
      },
    )

    test.each(badObjects)(
      'a $kind with $because is rejected with a clear message',
      async ({ kind, changed, messages }) => {
        const spec = Object.entries({ ...goodSpecs[kind], ...changed }).filter(([, value]) => value !== null)
        const { status, body } = await create(kind, Object.fromEntries(spec))
        expect({ status, reason: body.reason }).toEqual({ status: 422, reason: 'Invalid' })
        for (const words of messages) expect(body.message).toMatch(words)
      },
    )

    test.each(Object.keys(goodSpecs))('a %s with a misspelt field is rejected, naming the field', async (kind) => {
      const { status, body } = await create(kind, { ...goodSpecs[kind], sespend: true })
      expect(status).toBe(400)
      expect(body.message).toMatch(/unknown field "spec\.sespend"/)
    })

    test.each(Object.keys(goodSpecs))('a %s without a spec is rejected', async (kind) => {
      const { status, body } = await installed.send('POST', `${objectPath(kind)}?dryRun=All`, {
        body: { apiVersion, kind, metadata: { generateName: 'tried-' } },
      })
      expect(status).toBe(422)
      expect(body.message).toMatch(/spec: Required value/)
    })

    test('an object that violates several rules gets all messages', async () => {
      const { body } = await create('Search', { query: ' ', pages: 0, filters: { minPrice: -1 } })
      for (const field of ['spec.pages', 'spec.filters.minPrice']) expect(body.message).toContain(field)
    })
  },
)
