import { onDestroy } from 'svelte'
import { action } from '../../api/action.svelte.ts'
import type { RequestOf } from '../../api/client.ts'
import { counted } from '../../ui/counted.ts'
import { saveFile } from '../../ui/save-file.ts'
import { toasts } from '../../ui/toasts.svelte.ts'
import type { ExportFormat } from './export.ts'

type Query = NonNullable<RequestOf<'GET /logs/api/search'>['query']>

/** Saves everything that a search finds; leaving the page cancels it. */
export const createExporting = (query: () => Query, total: () => number) => {
  let progress = $state.raw<{ done: number; total: number } | undefined>(undefined)
  let stop: AbortController | undefined
  const save = action(async (format: ExportFormat) => {
    stop = new AbortController()
    progress = { done: 0, total: total() }
    try {
      const { exportEntries } = await import('./export.ts')
      const { file, count, isComplete } = await exportEntries(query(), format, {
        signal: stop.signal,
        onProgress: (done, all) => (progress = { done, total: all }),
      })
      saveFile(file)
      const limit = isComplete ? '' : ', the most that one file may have: narrow the search for the rest'
      toasts.show(`${counted(count, 'line')} exported${limit}`)
    } finally {
      progress = undefined
    }
  })
  const cancel = () => stop?.abort()
  onDestroy(cancel)
  return {
    get progress() {
      return progress
    },
    get failure() {
      return save.failure
    },
    cancel,
    items: [
      { label: 'Text', run: () => void save.run('text') },
      { label: 'JSON lines', run: () => void save.run('ndjson') },
      { label: 'CSV', run: () => void save.run('csv') },
    ],
  }
}
