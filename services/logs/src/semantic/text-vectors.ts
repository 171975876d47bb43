import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Model } from '../models/model.ts'
import type { LoadedModel } from '../models/model-calls.ts'
import { countVectors, deleteOldestVectors, findVectors, insertVectors, type VectorTables } from './vector-store.ts'

/** The vector of a text in half precision: precise enough for a cosine, at half the memory. */
export type TextVector = Float16Array

export type TextVectorsOptions = {
  db: Kysely<VectorTables>
  model: Pick<Model, 'load' | 'run'>
  now: () => number
  /** Vectors cached in memory; with 384 numbers each takes 768 bytes. */
  maxInMemory?: number
  /** Vectors stored in the database, of all models together; beyond it the oldest are deleted. */
  maxInRows?: number
}

/** Vectors of texts, computed once for each text and stored, since log lines repeat. */
export type TextVectors = {
  load: () => Promise<LoadedModel>
  /** In the order of the texts; duplicates are computed once. Throws ModelUnusable. */
  of: (texts: readonly string[]) => Promise<TextVector[]>
  /** The stored vectors, without running the model, which computes the others in the background. Throws ModelUnusable. */
  known: (texts: readonly string[]) => Promise<ReadonlyMap<string, TextVector>>
}

/** Batch size in the background: finished batches are stored, and a search waits for at most one. */
const backgroundBatch = 64

const keyOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)
const toBytes = (vector: TextVector): Uint8Array => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
/** Copied, since the bytes of a database may start at an odd offset. */
const fromBytes = (bytes: Uint8Array): TextVector => new Float16Array(Uint8Array.from(bytes).buffer)

/** Deletes a tenth at once, so that counting is rare. */
const deletedShare = 0.1

export const createTextVectors = (options: TextVectorsOptions): TextVectors => {
  const { db, model, now, maxInMemory = 20_000, maxInRows = 100_000 } = options
  /** In order of last use, oldest first. */
  const memory = new Map<string, TextVector>()
  let storedSinceCount = Number.POSITIVE_INFINITY

  const cache = (key: string, vector: TextVector) => {
    memory.delete(key)
    memory.set(key, vector)
    const [oldest] = memory.keys()
    if (memory.size > maxInMemory && oldest !== undefined) memory.delete(oldest)
  }
  const store = async (fingerprint: string, computed: ReadonlyMap<string, TextVector>) => {
    const madeAt = now()
    await insertVectors(
      db,
      [...computed].map(([key, vector]) => ({
        model: fingerprint,
        text_key: key,
        vector: toBytes(vector),
        made_at: madeAt,
      })),
    )
    storedSinceCount += computed.size
    if (storedSinceCount < maxInRows * deletedShare) return
    storedSinceCount = 0
    const surplus = (await countVectors(db)) - maxInRows
    if (surplus > 0) await deleteOldestVectors(db, Math.ceil(surplus + maxInRows * deletedShare))
  }
  /** The stored vectors, by text, without running the model. */
  const find = async (texts: readonly string[]): Promise<Map<string, TextVector>> => {
    const { fingerprint, width } = await model.load()
    const found = new Map<string, TextVector>()
    const missing = new Map<string, string>()
    for (const text of texts) {
      const key = keyOf(text)
      const known = memory.get(`${fingerprint}${key}`)
      if (known) found.set(text, known)
      else missing.set(key, text)
    }
    for (const { text_key: key, vector } of await findVectors(db, fingerprint, [...missing.keys()])) {
      const text = missing.get(key)
      const read = fromBytes(vector)
      if (read.length === width && text !== undefined) found.set(text, read)
    }
    for (const [text, vector] of found) cache(`${fingerprint}${keyOf(text)}`, vector)
    return found
  }
  const make = async (texts: readonly string[]): Promise<Map<string, TextVector>> => {
    if (texts.length === 0) return new Map()
    const { fingerprint } = await model.load()
    const computed = (await model.run(texts)).map((vector) => Float16Array.from(vector))
    const byText = new Map(texts.map((text, index) => [text, computed[index] ?? new Float16Array()]))
    await store(fingerprint, new Map([...byText].map(([text, vector]) => [keyOf(text), vector])))
    for (const [text, vector] of byText) cache(`${fingerprint}${keyOf(text)}`, vector)
    return byText
  }
  let isComputing = false
  const compute = async (texts: readonly string[]) => {
    for (let start = 0; start < texts.length; start += backgroundBatch)
      await make(texts.slice(start, start + backgroundBatch))
  }
  return {
    load: () => model.load(),
    of: async (texts) => {
      const distinct = [...new Set(texts)]
      const found = await find(distinct)
      const computed = await make(distinct.filter((text) => !found.has(text)))
      const { width } = await model.load()
      return texts.map((text) => found.get(text) ?? computed.get(text) ?? new Float16Array(width))
    },
    known: async (texts) => {
      const found = await find([...new Set(texts)])
      const unknown = [...new Set(texts)].filter((text) => !found.has(text))
      // One computation at a time. Its failure is reported where a caller awaits the model.
      if (unknown.length > 0 && !isComputing) {
        isComputing = true
        void compute(unknown)
          .catch(() => undefined)
          .finally(() => {
            isComputing = false
          })
      }
      return found
    },
  }
}

/** The cosine of two normalized vectors, as embedding models return them. */
export const cosineOf = (left: TextVector, right: TextVector): number => {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}
