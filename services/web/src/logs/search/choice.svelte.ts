import type { EntryRest } from '@trellis/protos/edge/client.ts'
import { type CopyFormat, copyText } from '../../lines/copy.ts'
import { toClipboard } from '../../ui/clipboard.ts'
import type { Results } from './results.svelte.ts'

/** The lines that are chosen to be copied or added to an incident, in the order of the list; without any, it is the selected one. */
export const createChoice = (results: Results) => {
  let chosen = $state.raw<ReadonlyMap<string, EntryRest>>(new Map())
  const ids = $derived<ReadonlySet<string>>(new Set(chosen.keys()))
  const between = (from: number, to: number): EntryRest[] => {
    const entries: EntryRest[] = []
    for (let position = Math.max(0, Math.min(from, to)); position <= Math.max(from, to); position += 1) {
      const entry = results.at(position)
      if (entry) entries.push(entry)
    }
    return entries
  }
  const inOrder = (): EntryRest[] => {
    if (chosen.size === 0) return results.selectedEntry ? [results.selectedEntry] : []
    const listed = between(0, results.count - 1).filter(({ entry_id: id }) => chosen.has(id))
    // Lines that have left the list since are copied first.
    const ids = new Set(listed.map(({ entry_id: id }) => id))
    return [...[...chosen.values()].filter(({ entry_id: id }) => !ids.has(id)), ...listed]
  }
  return {
    get ids() {
      return ids
    },
    entries: inOrder,
    /** A line alone is chosen or released, a range is chosen. */
    choose: (from: number, to: number): void => {
      const next = new Map(chosen)
      const range = between(from, to)
      const [only] = range
      if (range.length === 1 && only && next.has(only.entry_id)) next.delete(only.entry_id)
      else for (const entry of range) next.set(entry.entry_id, entry)
      chosen = next
    },
    clear: (): void => {
      chosen = new Map()
    },
    copy: (format: CopyFormat = 'text'): void => {
      const entries = inOrder()
      if (entries.length === 0) return
      const count = entries.length === 1 ? 'Line' : `${entries.length.toLocaleString('en')} lines`
      void toClipboard(copyText(entries, format), `${count} copied`)
    },
  }
}
