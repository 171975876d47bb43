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
  /** The last answer, also while a newer one is loading; undefined before the first. */
  readonly data: Value | undefined
  readonly failure: Failure | undefined
  readonly isLoading: boolean
  /** Loads again. Resolves when the answer is there. */
  readonly reload: () => Promise<void>
  /** Loads again without `isLoading`, for updates in the background: what is shown is not dimmed. */
  readonly refresh: () => Promise<void>
  /** Replaces the data by what a change has returned. */
  readonly set: (value: Value) => void
}

type Load<Value> = { key: string; load: (signal: AbortSignal) => Promise<Value> }

/**
 * Data that follows its request: `request` is read reactively, and undefined loads nothing. The old answer stays while the new one loads, and an
 * answer to a request that was made before is shown at once and refreshed.
 */
export const loading = <Value>(request: () => Load<Value> | undefined): Resource<Value> => {
  let data = $state.raw<Value | undefined>(undefined)
  let failure = $state.raw<Failure | undefined>(undefined)
  let isLoading = $state(false)
  let current: AbortController | undefined
  /** Counts what changes have returned: an answer that was on its way meanwhile may be older. */
  let changes = 0

  const run = async ({ key, load }: Load<Value>, isQuiet: boolean): Promise<void> => {
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
      data = answer
      failure = undefined
      store(key, answer)
    } catch (error) {
      if (controller.signal.aborted || isAbort(error)) return
      failure = toFailure(error)
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
        data = known
        failure = undefined
      }
      void run(target, false)
    })
    return () => current?.abort()
  })

  const loadAgain = async (isQuiet: boolean): Promise<void> => {
    const current = untrack(() => target)
    if (current !== undefined) await run(current, isQuiet)
  }

  return {
    get data() {
      return data
    },
    get failure() {
      return failure
    },
    get isLoading() {
      return isLoading
    },
    reload: () => loadAgain(false),
    refresh: () => loadAgain(true),
    set: (value) => {
      changes += 1
      data = value
      const key = untrack(() => target)?.key
      if (key !== undefined) store(key, value)
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
