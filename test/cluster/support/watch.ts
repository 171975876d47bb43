/** An object as a watch shows it. */
// biome-ignore lint/suspicious/noExplicitAny: objects of several kinds, read where a test knows which
export type Shown = any

/** What happened to an object, in the order in which the API server did it. */
export type Entry = { resource: string; type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: Shown }

/** Milliseconds between two tries, where the API server does not answer. */
const pause = 200

/**
 * Tells of all that happens to the objects of a collection, from now on and without a gap, until the signal. `path` as
 * `/api/v1/namespaces/default/pods`. Rejects where there would be a gap.
 */
export const watch = async (
  { origin, path, resource }: { origin: string; path: string; resource: string },
  tell: (entry: Entry) => void,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> => {
  const list = (await (await fetch(`${origin}${path}`, { signal })).json()) as Shown
  for (const object of list.items) tell({ resource, type: 'ADDED', object })
  let version: string = list.metadata.resourceVersion

  const take = (line: string) => {
    const { type, object } = JSON.parse(line)
    if (type === 'ERROR') throw new Error(`The watch of ${resource} has a gap: ${object.message}`)
    version = object.metadata.resourceVersion
    if (type !== 'BOOKMARK') tell({ resource, type, object })
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
        // The connection went; what happened meanwhile comes with the next.
        if (!(error instanceof TypeError)) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return { ended: followOn() }
}
