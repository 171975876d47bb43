import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findControlPlane } from '../../test/find-control-plane.ts'
import { badObjects, goodSpecs } from './bad-objects.ts'
import { apiVersion } from './kind.ts'
import { type InstalledKinds, installKinds, objectPath } from './test-support.ts'

const programs = findControlPlane()

describe.skipIf(typeof programs === 'string')(
  `what a real API server refuses${typeof programs === 'string' ? ` (skipped: ${programs})` : ''}`,
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

    test.each(Object.entries(goodSpecs))('a %s with no more than it needs is accepted', async (kind, spec) => {
      const { status, body, warnings } = await create(kind, spec)
      expect({ status, message: body.message, warnings }).toEqual({ status: 201, message: undefined, warnings: [] })
    })

    test.each(badObjects)('a $kind with $because is refused in words', async ({ kind, changed, says }) => {
      const spec = Object.entries({ ...goodSpecs[kind], ...changed }).filter(([, value]) => value !== null)
      const { status, body } = await create(kind, Object.fromEntries(spec))
      expect({ status, reason: body.reason }).toEqual({ status: 422, reason: 'Invalid' })
      for (const words of says) expect(body.message).toMatch(words)
    })

    test.each(Object.keys(goodSpecs))('a %s with a misspelt field is refused by name', async (kind) => {
      const { status, body } = await create(kind, { ...goodSpecs[kind], sespend: true })
      expect(status).toBe(400)
      expect(body.message).toMatch(/unknown field "spec\.sespend"/)
    })

    test.each(Object.keys(goodSpecs))('a %s without a spec is refused', async (kind) => {
      const { status, body } = await installed.send('POST', `${objectPath(kind)}?dryRun=All`, {
        body: { apiVersion, kind, metadata: { generateName: 'tried-' } },
      })
      expect(status).toBe(422)
      expect(body.message).toMatch(/spec: Required value/)
    })

    test('one that breaks several rules hears of all of them', async () => {
      const { body } = await create('Search', { query: ' ', pages: 0, filters: { minPrice: -1 } })
      for (const field of ['spec.pages', 'spec.filters.minPrice']) expect(body.message).toContain(field)
    })
  },
)
