import type { Client, ListOptions, ListPage } from '../client/client.ts'
import type { KubeObject } from '../objects/object.ts'
import type { Resource } from '../objects/resource.ts'

/**
 * Lists page by page: all objects as of one version. Rejects with 410 if the server compacts that version before the
 * last page. `onPage` is called as each page arrives.
 */
export const listPages = async <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  options: Omit<ListOptions, 'continue'>,
  onPage: () => void = () => undefined,
): Promise<Omit<ListPage<T>, 'continue'>> => {
  const items: T[] = []
  let next: string | undefined
  for (;;) {
    const page: ListPage<T> = await client.list(resource, { ...options, ...(next ? { continue: next } : {}) })
    onPage()
    for (const item of page.items) items.push(item)
    next = page.continue
    if (!next) return { items, resourceVersion: page.resourceVersion }
  }
}
