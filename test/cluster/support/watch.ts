/** An object as delivered by a watch. */
// biome-ignore lint/suspicious/noExplicitAny: objects of several kinds, read where a test knows which
export type Shown = any

/** A change of an object. */
export type Entry = { resource: string; type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: Shown }

/** Milliseconds between two attempts when the API server does not answer. */
const pause = 200

/**
 * Calls `onEntry` for every change of the objects of a collection, from now on and without gaps, until the signal is aborted. `path`
 * is of the form `/api/v1/namespaces/default/pods`. Rejects if there would be a gap.
 */
export const watch = async (
  { origin, path, resource }: { origin: string; path: string; resource: string },
  onEntry: (entry: Entry) => void,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> => {
  const list = (await (await fetch(`${origin}${path}`, { signal })).json()) as Shown
  for (const object of list.items) onEntry({ resource, type: 'ADDED', object })
  let version: string = list.metadata.resourceVersion

  const take = (line: string) => {
    const { type, object } = JSON.parse(line)
    if (type === 'ERROR') throw new Error(`The watch of ${resource} has a gap: ${object.message}`)
    version = object.metadata.resourceVersion
    if (type !== 'BOOKMARK') onEntry({ resource, type, object })
  }
  const follow = async () => {
    const query = new URLSearchParams({ watch: '1', allowWatchBookmarks: 'true', resourceVersion: version })
    const { body, status } = await fetch(`${origin}${path}?${query}`, { signal })
    if (status === 410) throw new Error(`The watch of ${resource} has a gap.`)
    if (status !== 200 || !body) return
    let text = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) take(line)
    }
  }
  const followOn = async () => {
    while (!signal.aborted) {
      try {
        await follow()
      } catch (error) {
        if (signal.aborted) return
        // The connection broke; the next watch delivers the changes since then.
        if (!(error instanceof TypeError)) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return { ended: followOn() }
}
