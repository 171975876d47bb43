import type { Work } from '@trellis/kit/workloads'
import type { createAdapters } from './adapters.ts'
import { decodeInput } from './messages.ts'
import { performWork } from './work.ts'

/** What a search worker does with a run, wherever it runs. All that it finds goes out as it comes; the result says nothing. */
export const searchWork =
  (adapterOf: ReturnType<typeof createAdapters>): Work =>
  async ({ input, output, progress, signal }) => {
    await performWork(decodeInput(input), { adapterOf, output, progress, signal })
    return new Uint8Array()
  }
