import { get } from 'node:http'

const entryMark = Buffer.from('event: entry\n')
const gapMark = Buffer.from('event: gap\n')

/** Counts how often some bytes come in a stream, also where they come in two pieces. */
const createCounter = (mark: Buffer) => {
  let count = 0
  let rest = Buffer.alloc(0)
  return {
    add: (chunk: Buffer) => {
      const seam = Buffer.concat([rest, chunk.subarray(0, mark.length - 1)])
      if (seam.includes(mark)) count += 1
      for (let at = chunk.indexOf(mark); at >= 0; at = chunk.indexOf(mark, at + mark.length)) count += 1
      rest = Buffer.concat([rest, chunk]).subarray(-(mark.length - 1))
    },
    count: () => count,
  }
}

/** Follows what comes until a moment and counts it; reads as fast as it can, and looks into nothing. */
export const follow = (url: string, until: number): Promise<{ entries: number; gaps: number }> =>
  new Promise((resolve, reject) => {
    const leaving = AbortSignal.timeout(until - Date.now())
    const [entries, gaps] = [createCounter(entryMark), createCounter(gapMark)]
    const end = (error: unknown) => {
      if (leaving.aborted) resolve({ entries: entries.count(), gaps: gaps.count() })
      else reject(error)
    }
    get(url, { signal: leaving }, (response) => {
      response.on('data', (chunk: Buffer) => {
        entries.add(chunk)
        gaps.add(chunk)
      })
      response.on('error', end)
      response.on('end', () => end(new Error('A tail ended.')))
    }).on('error', end)
  })
