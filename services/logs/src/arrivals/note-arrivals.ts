import type { LogEngine } from '../threads/log-engine.ts'

/** An engine that notes that something has come in, so that nobody has to look when nothing has. */
export type NotedArrivals<Engine> = {
  engine: Engine
  /** Counts up with each arrival. */
  readonly count: number
}

export const noteArrivals = <Engine extends LogEngine>(engine: Engine): NotedArrivals<Engine> => {
  let count = 0
  return {
    engine: {
      ...engine,
      ingest: async (batch) => {
        const result = await engine.ingest(batch)
        count++
        return result
      },
      ingestPushed: async (...given) => {
        try {
          return await engine.ingestPushed(...given)
        } finally {
          count++
        }
      },
      ingestFile: async (...given) => {
        const file = await engine.ingestFile(...given)
        return {
          ...file,
          settle: async (closes) => {
            try {
              return await file.settle(closes)
            } finally {
              count++
            }
          },
          end: async () => {
            try {
              return await file.end()
            } finally {
              count++
            }
          },
        }
      },
    },
    get count() {
      return count
    },
  }
}
