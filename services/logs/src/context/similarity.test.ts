import { openStore } from '@trellis/kit/store'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { createModel } from '../models/model.ts'
import { writeTinyModel } from '../models/tiny-model-for-tests.ts'
import { createTextVectors } from '../semantic/text-vectors.ts'
import { type VectorTables, vectorMigration } from '../semantic/vector-store.ts'
import type { KnownChunk } from './knowledge.ts'
import { createSimilarity } from './similarity.ts'

const chunk = (text: string): KnownChunk => ({ docId: 'd', title: '', position: 0, headings: [], text })

/** The tiny model treats "full" and "space" as the same and "door" as different. */
const openModel = async (files?: Record<string, null>) => {
  await using opened = new AsyncDisposableStack()
  const directory = opened.use(await temporaryDirectory())
  const migrations = [{ ...vectorMigration, number: 1 }]
  const store = opened.use(
    await openStore<VectorTables>({ name: 'vectors', dataDirectory: directory.path, migrations }),
  )
  const path = `${directory.path}/model`
  const words = { full: [1, 0], space: [1, 0], door: [0, 1] }
  await writeTinyModel(path, { task: 'embedding', words, ...(files && { files }) })
  const model = opened.use(createModel({ directory: path, task: 'embedding', onProblem: () => undefined }))
  const vectors = createTextVectors({ db: store.db, model, now: Date.now })
  const problems: unknown[] = []
  const stack = opened.move()
  return {
    problems,
    similarity: (waitMilliseconds: number) =>
      createSimilarity({ vectors, waitMilliseconds, onProblem: (error) => problems.push(error) }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('chunks with the meaning of the question are close, even with other words', async () => {
  await using model = await openModel()
  const [near = 0, far = 1] = (await model.similarity(60_000)('full', [chunk('space'), chunk('door')])) ?? []
  expect(near).toBeGreaterThan(0.9)
  expect(far).toBeLessThan(0.5)
  expect(await model.similarity(60_000)('full', [])).toEqual([])
})

test('without a result of a slow or failing model the ranking uses words', async () => {
  await using model = await openModel()
  expect(await model.similarity(0)('full', [chunk('space')])).toBeUndefined()
  await using broken = await openModel({ 'config.json': null })
  expect(await broken.similarity(60_000)('full', [chunk('space')])).toBeUndefined()
  expect(broken.problems).toHaveLength(1)
})
