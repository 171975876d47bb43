import { z } from 'zod'

const manifestSchema = z.object({
  id: z.string(),
  size: z.int().min(0),
  /** Bytes of every chunk but the last. */
  chunkBytes: z.int().min(1),
  /** SHA-256 of the content in hex. */
  digest: z.string(),
  /** Where the chunks lie in the stream: the first place and how many follow one another, run by run. */
  runs: z.array(z.tuple([z.int(), z.int()])),
})

/** What is stored under a key: where the content is. A file is there once its manifest is. */
export type Manifest = z.infer<typeof manifestSchema>

export const writeManifest = (manifest: Manifest): string => JSON.stringify(manifest)

export const readManifest = (text: string): Manifest => manifestSchema.parse(JSON.parse(text))

/** Places in the stream, in the order of the content, as runs. */
export const toRuns = (places: readonly number[]): Manifest['runs'] => {
  const runs: Manifest['runs'] = []
  for (const place of places) {
    const last = runs.at(-1)
    if (last && last[0] + last[1] === place) last[1] += 1
    else runs.push([place, 1])
  }
  return runs
}

/** The places of chunks from the `first`-th (0-based) on. */
export function* placesFrom(runs: Manifest['runs'], first: number): Generator<number> {
  let skip = first
  for (const [place, count] of runs) {
    for (let i = Math.min(skip, count); i < count; i++) yield place + i
    skip = Math.max(0, skip - count)
  }
}
