import { action } from './action.svelte.ts'
import type { CallOptions } from './client.ts'
import { fetchWithProgress } from './fetch-with-progress.ts'

export type Upload<Value = unknown> = {
  readonly isRunning: boolean
  /** Bytes that have been sent, of all; undefined before the first, and when the server has them all. */
  readonly sent: { done: number; total: number } | undefined
  readonly failure: ReturnType<typeof action>['failure']
  readonly run: (files: readonly File[]) => Promise<Value | undefined>
  /** Ends the upload. Of log files, the lines that were received by then stay; files sent again add only the others. */
  readonly cancel: () => void
}

/** A change that sends files: like `action`, with its progress. `perform` passes the options to the call with the files. */
export const upload = <Value>(
  perform: (files: readonly File[], options: Pick<CallOptions, 'signal' | 'send'>) => Promise<Value>,
): Upload<Value> => {
  let sent = $state.raw<{ done: number; total: number } | undefined>(undefined)
  let controller = new AbortController()
  const sending = action(async (files: readonly File[]) => {
    controller = new AbortController()
    const onSent = (done: number, total: number) => {
      sent = done < total ? { done, total } : undefined
    }
    try {
      return await perform(files, {
        signal: controller.signal,
        send: (url, init) => fetchWithProgress(url, init, onSent),
      })
    } finally {
      sent = undefined
    }
  })
  return {
    get isRunning() {
      return sending.isRunning
    },
    get sent() {
      return sent
    },
    get failure() {
      return sending.failure
    },
    run: sending.run,
    cancel: () => controller.abort(),
  }
}
