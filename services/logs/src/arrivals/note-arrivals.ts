import type { LogEngine } from '../threads/log-engine.ts'

/** An engine that counts arrivals, so that readers need not search when nothing has arrived. */
export type NotedArrivals<Engine> = {
  engine: Engine
  /** Increases with each arrival. */
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
      ingestPushed: async (...request) => {
        try {
          return await engine.ingestPushed(...request)
        } finally {
          count++
        }
      },
      ingestFile: async (...request) => {
        const file = await engine.ingestFile(...request)
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
