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
  mostInMemory?: number
  /** Vectors kept in rows, of all models together; beyond it the oldest are forgotten. */
  mostInRows?: number
}

/** What a model gives for texts, made once for each text and kept: the same lines come again and again. */
export type TextVectors = {
  load: () => Promise<LoadedModel>
  /** In the order of the texts, equal ones looked at once. Throws ModelUnusable. */
  of: (texts: readonly string[]) => Promise<TextVector[]>
}

const keyOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)
const toBytes = (vector: TextVector): Uint8Array => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
/** Copied, since what a database gives may begin at an odd byte. */
const fromBytes = (bytes: Uint8Array): TextVector => new Float16Array(Uint8Array.from(bytes).buffer)

/** A tenth goes at once, so that counting is rare. */
const forgottenAtOnce = 0.1

export const createTextVectors = (options: TextVectorsOptions): TextVectors => {
  const { db, model, now, mostInMemory = 20_000, mostInRows = 100_000 } = options
  /** The longest unused come first. */
  const memory = new Map<string, TextVector>()
  let madeSinceCount = Number.POSITIVE_INFINITY

  const remember = (key: string, vector: TextVector) => {
    memory.delete(key)
    memory.set(key, vector)
    const [oldest] = memory.keys()
    if (memory.size > mostInMemory && oldest !== undefined) memory.delete(oldest)
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
    if (madeSinceCount < mostInRows * forgottenAtOnce) return
    madeSinceCount = 0
    const surplus = (await countVectors(db)) - mostInRows
    if (surplus > 0) await deleteOldestVectors(db, Math.ceil(surplus + mostInRows * forgottenAtOnce))
  }
  return {
    load: () => model.load(),
    of: async (texts) => {
      const { fingerprint, width } = await model.load()
      const found = new Map<string, TextVector>()
      const wanted = new Map<string, string>()
      for (const text of texts) {
        const key = keyOf(text)
        const known = memory.get(`${fingerprint}${key}`)
        if (known) found.set(key, known)
        else wanted.set(key, text)
      }
      for (const { text_key: key, vector } of await findVectors(db, fingerprint, [...wanted.keys()])) {
        const read = fromBytes(vector)
        if (read.length !== width) continue
        found.set(key, read)
        wanted.delete(key)
      }
      if (wanted.size > 0) {
        const made = (await model.run([...wanted.values()])).map((vector) => Float16Array.from(vector))
        const byKey = new Map([...wanted.keys()].map((key, index) => [key, made[index] ?? new Float16Array(width)]))
        await keep(fingerprint, byKey)
        for (const [key, vector] of byKey) found.set(key, vector)
      }
      for (const [key, vector] of found) remember(`${fingerprint}${key}`, vector)
      return texts.map((text) => found.get(keyOf(text)) ?? new Float16Array(width))
    },
  }
}

/** Of vectors of length 1, as models for meanings give them. */
export const cosineOf = (left: TextVector, right: TextVector): number => {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}
