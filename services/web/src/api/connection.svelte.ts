import { withBase } from '../url/facts.ts'

const probeUrl = withBase('/health')

/** Requests end when the network of the machine changes, and work soon after: several of its interfaces may change in a row. */
export const afterNetworkChange = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300))

/** Whether the server answers. A request that failed to reach it means no, any answer yes. */
let isReached = $state(true)
let nextTry = $state.raw<number | null>(null)
let recoveries = $state(0)
/** Called when the server is reached again after it did not answer. */
const recoveryListeners = new Set<() => void>()

window.addEventListener('online', () => {
  if (!isReached) probe(0)
})
// A browser without a network still reaches a server on its own machine.
window.addEventListener('offline', () => probe(0))

let failures = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Polls until the server answers again, after 1, 2, 4 and then every 8 seconds. */
const probe = (wait = Math.min(8_000, 1_000 * 2 ** failures)): void => {
  clearTimeout(timer)
  failures += 1
  nextTry = Date.now() + wait
  timer = setTimeout(async () => {
    if (await isAnswered()) restore()
    else {
      isReached = false
      probe()
    }
  }, wait)
}

const isAnswered = async (): Promise<boolean> => {
  try {
    await fetch(probeUrl, { cache: 'no-store' })
    return true
  } catch {
    return false
  }
}

const restore = (): void => {
  clearTimeout(timer)
  // After a request that failed alone, as one that a proxy refuses may, the first attempt is answered.
  const didNotAnswer = failures > 1
  if (!isReached) recoveries += 1
  isReached = true
  failures = 0
  nextTry = null
  if (didNotAnswer) for (const listener of recoveryListeners) listener()
}

export const connection = {
  get isOffline(): boolean {
    return !isReached
  },
  /** Why nothing can be changed now; undefined while the server answers. */
  get cannotChange(): string | undefined {
    return isReached ? undefined : 'The server cannot be reached.'
  },
  /** When the server is polled again, in milliseconds since 1970; null while it answers. */
  get nextTry(): number | null {
    return nextTry
  },
  /** How often the server was reached again after it was lost: what failed meanwhile is loaded again. */
  get recoveries(): number {
    return recoveries
  },
  /** Calls `listener` whenever the server is reached again after it did not answer. Returns what ends that. */
  onRecovery: (listener: () => void): (() => void) => {
    recoveryListeners.add(listener)
    return () => void recoveryListeners.delete(listener)
  },
  /** A request was answered. While the server is lost, that may have been by the browser's cache, so the server is polled. */
  answered: (): void => {
    if (!isReached) probe(0)
  },
  lost: (): void => {
    if (!isReached) return
    isReached = false
    probe()
  },
  /** Requests the health route, after a failure that does not show whether the server is reached. Returns whether it answers. */
  check: async (): Promise<boolean> => {
    const isThere = await isAnswered()
    if (isThere) restore()
    else connection.lost()
    return isThere
  },
}
