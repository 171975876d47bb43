import { untrack } from 'svelte'
import { type Answer, call, type RequestOf, type RouteName } from './client.ts'
import { connection } from './connection.svelte.ts'
import { type Failure, isAbort, toFailure } from './failure.ts'
import { keys } from './keys.svelte.ts'

const maxCached = 60
const cached = new Map<string, unknown>()

const store = (key: string, value: unknown): void => {
  cached.delete(key)
  cached.set(key, value)
  const [oldest] = cached.keys()
  if (cached.size > maxCached && oldest !== undefined) cached.delete(oldest)
}

export type Resource<Value> = {
  /** The last answer, also while a newer one is loading; undefined before the first, and after another request has failed. */
  readonly data: Value | undefined
  /** Whether the data is the answer of an earlier request with other parameters. */
  readonly isOlder: boolean
  readonly failure: Failure | undefined
  readonly isLoading: boolean
  /** Loads again. Resolves when the answer is there. */
  readonly reload: () => Promise<void>
  /** Loads again without `isLoading`, for updates in the background: what is shown is not dimmed. */
  readonly refresh: () => Promise<void>
  /** Replaces the data by what a change has returned. */
  readonly set: (value: Value) => void
  /**
   * Replaces the data by what `request` makes of it, undefined for nothing. If other data was shown since it was sent, its answer may be older than
   * that, and the data is loaded again instead.
   */
  readonly change: (request: () => Promise<Value | undefined>) => Promise<void>
}

type Load<Value> = {
  key: string
  load: (signal: AbortSignal) => Promise<Value>
  /** Whether its data serves other requests, too, so that it stays when one of them fails. */
  isShared?: boolean
}

/**
 * Data that follows its request: `request` is read reactively, and undefined loads nothing. The old answer stays while the new one loads, and an
 * answer to a request that was made before is shown at once and refreshed.
 */
export const loading = <Value>(request: () => Load<Value> | undefined): Resource<Value> => {
  let shown = $state.raw<{ key: string | undefined; value: Value } | undefined>(undefined)
  let failure = $state.raw<Failure | undefined>(undefined)
  let isLoading = $state(false)
  let current: AbortController | undefined
  /** Counts what changes have returned: an answer that was on its way meanwhile may be older. */
  let changes = 0
  /** Counts what was shown, by answers and by changes. */
  let versions = 0
  let latest: Promise<void> | undefined

  const run = async ({ key, load, isShared = false }: Load<Value>, isQuiet: boolean): Promise<void> => {
    current?.abort()
    const controller = new AbortController()
    current = controller
    if (!isQuiet) isLoading = true
    try {
      const before = changes
      const first = await load(controller.signal)
      if (controller.signal.aborted) return
      const answer = before === changes ? first : await load(controller.signal)
      if (controller.signal.aborted) return
      shown = { key, value: answer }
      versions += 1
      failure = undefined
      store(key, answer)
    } catch (error) {
      if (controller.signal.aborted || isAbort(error)) return
      failure = toFailure(error)
      // What was found for other parameters is no answer to these.
      if (!isShared && untrack(() => shown)?.key !== key) shown = undefined
    } finally {
      if (current === controller) isLoading = false
    }
  }

  const target = $derived(request())
  // An equal request has the same key, and does not load again.
  const key = $derived(target?.key)
  $effect(() => {
    void key
    // A key that was entered loads again what failed without it.
    void keys.version
    // So does a server that can be reached again.
    void connection.recoveries
    untrack(() => {
      if (target === undefined) {
        current?.abort()
        isLoading = false
        return
      }
      const known = cached.get(target.key) as Value | undefined
      if (known !== undefined) {
        shown = { key: target.key, value: known }
        failure = undefined
      }
      latest = run(target, false)
    })
    return () => current?.abort()
  })

  const loadAgain = async (isQuiet: boolean): Promise<void> => {
    const current = untrack(() => target)
    if (current === undefined) return
    latest = run(current, isQuiet)
    await latest
  }
  const set = (value: Value): void => {
    changes += 1
    versions += 1
    const key = untrack(() => target)?.key
    shown = { key, value }
    if (key !== undefined) store(key, value)
  }

  return {
    get data() {
      return shown?.value
    },
    get isOlder() {
      return shown !== undefined && key !== undefined && shown.key !== key
    },
    get failure() {
      return failure
    },
    get isLoading() {
      return isLoading
    },
    reload: () => loadAgain(false),
    refresh: () => loadAgain(true),
    set,
    change: async (request) => {
      const before = versions
      const value = await request()
      if (value === undefined) return
      if (versions === before) return set(value)
      void loadAgain(true)
      // A request that another one replaces ends early.
      for (let awaited: typeof latest; awaited !== latest; ) {
        awaited = latest
        await awaited
      }
    },
  }
}

type AnyCall = (name: string, request: unknown, options: { signal: AbortSignal }) => Promise<unknown>

/** The answer of a GET route that follows its parameters: `const stats = resource('GET /logs/api/stats', () => ({}))`. */
export const resource = <Name extends RouteName & `GET ${string}`>(
  name: Name,
  request: () => RequestOf<Name> | undefined,
): Resource<Answer<Name>> =>
  loading(() => {
    const sent = request()
    if (sent === undefined) return undefined
    return {
      key: `${name} ${JSON.stringify(sent)}`,
      // The conditional argument types of `call` cannot be resolved for a generic name.
      load: (signal) => (call as AnyCall)(name, sent, { signal }) as Promise<Answer<Name>>,
    }
  })
