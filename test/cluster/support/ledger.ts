import { audit } from './audit.ts'
import { type Entry, type Shown, watch } from './watch.ts'

/** The history of the Searches, pods and Leases in a namespace since the ledger was opened. */
export type Ledger = AsyncDisposable & {
  readonly entries: readonly Entry[]
  /** All Searches so far by name, each in its last observed state. */
  searches: () => Map<string, Shown>
  /** The rules broken so far: see `audit`. */
  broken: () => string[]
  /** Announces that the test itself removes a Search that may not have ended. */
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
