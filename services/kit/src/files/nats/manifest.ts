import { z } from 'zod'
import { type ServiceError, serviceError } from '../../errors/mod.ts'

const manifestSchema = z.object({
  id: z.string(),
  size: z.int().min(0),
  /** Bytes of every chunk but the last. */
  chunkBytes: z.int().min(1),
  /** SHA-256 of the content in hex. */
  digest: z.string(),
  /** Sequences of the chunks in the stream, as runs of [first sequence, count]. */
  runs: z.array(z.tuple([z.int(), z.int()])),
})

/** The record under a key: where its content is. A file exists once its manifest does. */
export type Manifest = z.infer<typeof manifestSchema>

export const writeManifest = (manifest: Manifest): string => JSON.stringify(manifest)

export const damagedManifest = (key: string, cause?: unknown): ServiceError =>
  serviceError('upstream_failed', `The record of the file "${key}" in the NATS store is damaged.`, { cause })

/** Throws `upstream_failed` where the text is no manifest. */
export const readManifest = (key: string, text: string): Manifest => {
  try {
    return manifestSchema.parse(JSON.parse(text))
  } catch (error) {
    throw damagedManifest(key, error)
  }
}

/** Encodes sequences, in the order of the content, as runs. */
export const toRuns = (sequences: readonly number[]): Manifest['runs'] => {
  const runs: Manifest['runs'] = []
  for (const sequence of sequences) {
    const last = runs.at(-1)
    if (last && last[0] + last[1] === sequence) last[1] += 1
    else runs.push([sequence, 1])
  }
  return runs
}

/** The sequences of the chunks from index `first` (0-based) on. */
export function* sequencesFrom(runs: Manifest['runs'], first: number): Generator<number> {
  let skip = first
  for (const [sequence, count] of runs) {
    for (let i = Math.min(skip, count); i < count; i++) yield sequence + i
    skip = Math.max(0, skip - count)
  }
}
