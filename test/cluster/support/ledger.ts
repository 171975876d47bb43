import { audit } from './audit.ts'
import { type Entry, type Shown, watch } from './watch.ts'

/** All that has happened in a namespace to Searches, pods and the operator's Lease since the ledger was opened. */
export type Ledger = AsyncDisposable & {
  readonly entries: readonly Entry[]
  /** The Searches that there have been, each as it was seen last, by name. */
  searches: () => Map<string, Shown>
  /** Rules that were broken so far: see `audit`. */
  broken: () => string[]
  /** Says that the test itself removes a Search that may not have ended. */
  removes: (name: string) => void
}

const collections = {
  pods: '/api/v1/namespaces/NAMESPACE/pods',
  searches: '/apis/trellis.dev/v1alpha1/namespaces/NAMESPACE/searches',
  leases: '/apis/coordination.k8s.io/v1/namespaces/NAMESPACE/leases',
} as const

/** Opens a ledger; `origin` is that of `startApiProxy`. */
export const openLedger = async ({ origin, namespace }: { origin: string; namespace: string }): Promise<Ledger> => {
  const entries: Entry[] = []
  const removedByUs = new Set<string>()
  const closing = new AbortController()
  const watches = await Promise.all(
    Object.entries(collections).map(([resource, path]) =>
      watch(
        { origin, path: path.replace('NAMESPACE', namespace), resource },
        (entry) => void entries.push(entry),
        closing.signal,
      ),
    ),
  )
  const failures: string[] = []
  const ended = watches.map(({ ended }) => ended.catch((error: Error) => void failures.push(error.message)))
  return {
    entries,
    searches: () =>
      new Map(
        entries
          .filter(({ resource }) => resource === 'searches')
          .map(({ object }) => [object.metadata.name, object] as const),
      ),
    broken: () => [...failures, ...audit(entries, removedByUs)],
    removes: (name) => void removedByUs.add(name),
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await Promise.all(ended)
    },
  }
}
