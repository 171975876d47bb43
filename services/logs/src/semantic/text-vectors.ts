import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Model } from '../models/model.ts'
import type { LoadedModel } from '../models/model-calls.ts'
import { countVectors, deleteOldestVectors, findVectors, insertVectors, type VectorTables } from './vector-store.ts'

/** Numbers of a model for one text, in half precision: enough for a cosine, and half the memory. */
export type TextVector = Float16Array

export type TextVectorsOptions = {
  db: Kysely<VectorTables>
  model: Pick<Model, 'load' | 'run'>
  now: () => number
  /** Vectors kept in memory; of 384 numbers they take 768 bytes each. */
  maxInMemory?: number
  /** Vectors kept in rows, of all models together; beyond it the oldest are forgotten. */
  maxInRows?: number
}

/** What a model gives for texts, made once for each text and kept: the same lines come again and again. */
export type TextVectors = {
  load: () => Promise<LoadedModel>
  /** In the order of the texts, equal ones looked at once. Throws ModelUnusable. */
  of: (texts: readonly string[]) => Promise<TextVector[]>
  /** Those that are there without asking the model, which makes the others in the background. Throws ModelUnusable. */
  known: (texts: readonly string[]) => Promise<ReadonlyMap<string, TextVector>>
}

/** So many are made and kept at once in the background: what is done is not lost, and a search waits for no more than these. */
const learntAtOnce = 64

const keyOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)
const toBytes = (vector: TextVector): Uint8Array => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
/** Copied, since what a database gives may begin at an odd byte. */
const fromBytes = (bytes: Uint8Array): TextVector => new Float16Array(Uint8Array.from(bytes).buffer)

/** A tenth goes at once, so that counting is rare. */
const forgottenAtOnce = 0.1

export const createTextVectors = (options: TextVectorsOptions): TextVectors => {
  const { db, model, now, maxInMemory = 20_000, maxInRows = 100_000 } = options
  /** The longest unused come first. */
  const memory = new Map<string, TextVector>()
  let madeSinceCount = Number.POSITIVE_INFINITY

  const remember = (key: string, vector: TextVector) => {
    memory.delete(key)
    memory.set(key, vector)
    const [oldest] = memory.keys()
    if (memory.size > maxInMemory && oldest !== undefined) memory.delete(oldest)
  }
  const keep = async (fingerprint: string, made: ReadonlyMap<string, TextVector>) => {
    const madeAt = now()
    await insertVectors(
      db,
      [...made].map(([key, vector]) => ({
        model: fingerprint,
        text_key: key,
        vector: toBytes(vector),
        made_at: madeAt,
      })),
    )
    madeSinceCount += made.size
    if (madeSinceCount < maxInRows * forgottenAtOnce) return
    madeSinceCount = 0
    const surplus = (await countVectors(db)) - maxInRows
    if (surplus > 0) await deleteOldestVectors(db, Math.ceil(surplus + maxInRows * forgottenAtOnce))
  }
  /** What is kept, by text; nothing is asked of the model. */
  const find = async (texts: readonly string[]): Promise<Map<string, TextVector>> => {
    const { fingerprint, width } = await model.load()
    const found = new Map<string, TextVector>()
    const wanted = new Map<string, string>()
    for (const text of texts) {
      const key = keyOf(text)
      const known = memory.get(`${fingerprint}${key}`)
      if (known) found.set(text, known)
      else wanted.set(key, text)
    }
    for (const { text_key: key, vector } of await findVectors(db, fingerprint, [...wanted.keys()])) {
      const text = wanted.get(key)
      const read = fromBytes(vector)
      if (read.length === width && text !== undefined) found.set(text, read)
    }
    for (const [text, vector] of found) remember(`${fingerprint}${keyOf(text)}`, vector)
    return found
  }
  const make = async (texts: readonly string[]): Promise<Map<string, TextVector>> => {
    if (texts.length === 0) return new Map()
    const { fingerprint } = await model.load()
    const made = (await model.run(texts)).map((vector) => Float16Array.from(vector))
    const byText = new Map(texts.map((text, index) => [text, made[index] ?? new Float16Array()]))
    await keep(fingerprint, new Map([...byText].map(([text, vector]) => [keyOf(text), vector])))
    for (const [text, vector] of byText) remember(`${fingerprint}${keyOf(text)}`, vector)
    return byText
  }
  let isLearning = false
  const learn = async (texts: readonly string[]) => {
    for (let start = 0; start < texts.length; start += learntAtOnce)
      await make(texts.slice(start, start + learntAtOnce))
  }
  return {
    load: () => model.load(),
    of: async (texts) => {
      const distinct = [...new Set(texts)]
      const found = await find(distinct)
      const made = await make(distinct.filter((text) => !found.has(text)))
      const { width } = await model.load()
      return texts.map((text) => found.get(text) ?? made.get(text) ?? new Float16Array(width))
    },
    known: async (texts) => {
      const found = await find([...new Set(texts)])
      const missing = [...new Set(texts)].filter((text) => !found.has(text))
      // One at a time; a model or store that fails is told of where somebody waits for it.
      if (missing.length > 0 && !isLearning) {
        isLearning = true
        void learn(missing)
          .catch(() => undefined)
          .finally(() => {
            isLearning = false
          })
      }
      return found
    },
  }
}

/** Of vectors of length 1, as models for meanings give them. */
export const cosineOf = (left: TextVector, right: TextVector): number => {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}
