import type { Work } from '@trellis/kit/workloads'
import type { createAdapters } from './adapters.ts'
import { decodeInput } from './messages.ts'
import { performWork } from './work.ts'

/** Executes a run in a search worker, in any form. All findings are sent as outputs; the result is empty. */
export const searchWork =
  (adapterOf: ReturnType<typeof createAdapters>): Work =>
  async ({ input, output, progress, signal }) => {
    await performWork(decodeInput(input), { adapterOf, output, progress, signal })
    return new Uint8Array()
  }
