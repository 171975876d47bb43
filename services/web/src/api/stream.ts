import { backOffMilliseconds } from './back-off.ts'
import { type Answer, type RequestOf, type RouteName, type Routes, request } from './client.ts'
import { connection } from './connection.svelte.ts'
import { type Failure, isAbort, toFailure } from './failure.ts'

type StreamName = { [Name in RouteName]: keyof Routes[Name]['frames'] extends never ? never : Name }[RouteName]
type Frames<Name extends RouteName> = Routes[Name]['frames']

/**
 * What a stream is doing, for display: `waiting` has the time of the next attempt. An open stream is `reopened` after a lost connection, and `resumed`
 * where it goes on after the last id: a connection may be lost before the first.
 */
export type StreamState =
  | { kind: 'connecting' }
  | { kind: 'open'; reopened: boolean; resumed: boolean }
  | { kind: 'waiting'; until: number; reason: string }
  | { kind: 'paused' }
  | { kind: 'ended' }
  | { kind: 'failed'; failure: Failure }

export type StreamOptions<Name extends StreamName> = {
  /** Handlers by event; events without a handler are ignored. */
  on: { [Event in keyof Frames<Name>]?: (frame: Frames<Name>[Event], id: string | undefined) => void }
  onState?: (state: StreamState) => void
  /** Events after which the stream is complete, so that it is not opened again. */
  endsWith?: readonly (keyof Frames<Name>)[]
  /** Whether a lost connection is opened again; false for streams that a POST starts. */
  resumes?: boolean
  /** The id of the last event already seen. */
  after?: string
}

export type Stream = { close: () => void; lastId: () => string | undefined }

/** How long a hidden tab keeps its connection; a browser allows six per origin over all tabs. */
const hiddenMilliseconds = 5_000
/** Heartbeats arrive every 15 s; without any for three of them, the connection is dead. */
const silenceMilliseconds = 50_000

const isFinal = (failure: Failure): boolean =>
  failure.status >= 400 && failure.status < 500 && failure.status !== 408 && failure.status !== 429

/**
 * Follows a stream of the API: reconnects with back-off and the last id, closes while the tab is hidden, and resumes after. `gap` and `reset` are
 * events like the others: their handlers report what was missed, or load the page's data again.
 */
export const follow = <Name extends StreamName>(
  name: Name,
  sent: RequestOf<Name>,
  { on, onState = () => undefined, endsWith = [], resumes = true, after }: StreamOptions<Name>,
): Stream => {
  let lastId = after
  let failures = 0
  let isClosed = false
  let isPaused = false
  let wasOpen = false
  let current: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let hideTimer: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined

  const finish = (state: StreamState): void => {
    if (isClosed) return
    close()
    onState(state)
  }

  const later = (milliseconds: number, reason: string): void => {
    if (isClosed || isPaused) return
    onState({ kind: 'waiting', until: Date.now() + milliseconds, reason })
    timer = setTimeout(() => void connect(), milliseconds)
  }

  const alive = (opened: AbortController): void => {
    clearTimeout(silence)
    silence = setTimeout(() => opened.abort(), silenceMilliseconds)
  }

  const handle = (event: { id: string | undefined; name: string; data: string }): void => {
    if (isClosed) return
    const key = event.name as keyof Frames<Name>
    on[key]?.(JSON.parse(event.data) as Frames<Name>[typeof key], event.id)
    if (endsWith.includes(key)) finish({ kind: 'ended' })
  }

  const connect = async (): Promise<void> => {
    timer = undefined
    if (isClosed || isPaused) return
    const opened = new AbortController()
    current = opened
    if (!wasOpen) onState({ kind: 'connecting' })
    let serverWait = 0
    try {
      const resumed = lastId !== undefined
      const headers: Record<string, string> = { accept: 'text/event-stream' }
      if (lastId !== undefined) headers['last-event-id'] = lastId
      // Loaded with the first stream, as pages open none at first. A failure is one of the connection, which is tried again.
      const { readEvents } = await import('./event-reader.ts')
      const response = await request(name, sent as never, { signal: opened.signal, headers })
      onState({ kind: 'open', reopened: wasOpen, resumed })
      wasOpen = true
      alive(opened)
      if (response.body)
        await readEvents(response.body, {
          onEvent: handle,
          onId: (id) => (lastId = id),
          onAlive: () => {
            // Not before: what answers and ends at once, such as a proxy that cannot stream, is not requested twice a second.
            failures = 0
            alive(opened)
          },
          onRetry: (milliseconds) => (serverWait = milliseconds),
        })
      if (isClosed || isPaused) return
      if (!resumes) return finish({ kind: 'ended' })
      failures += 1
      later(Math.max(serverWait, backOffMilliseconds(failures)), 'The stream was interrupted.')
    } catch (error) {
      if (isClosed || isPaused) return
      const failure = isAbort(error) ? toFailure(new TypeError('silent')) : toFailure(error)
      if (!resumes || isFinal(failure)) return finish({ kind: 'failed', failure })
      failures += 1
      later(Math.max((failure.facts.retryAfterSeconds ?? 0) * 1_000, backOffMilliseconds(failures)), failure.message)
    } finally {
      clearTimeout(silence)
    }
  }

  const onVisibility = (): void => {
    clearTimeout(hideTimer)
    if (document.hidden) {
      if (!resumes) return
      hideTimer = setTimeout(() => {
        isPaused = true
        clearTimeout(timer)
        current?.abort()
        onState({ kind: 'paused' })
      }, hiddenMilliseconds)
    } else if (isPaused) {
      isPaused = false
      void connect()
    }
  }

  const close = (): void => {
    isClosed = true
    for (const each of [timer, hideTimer, silence]) clearTimeout(each)
    current?.abort()
    document.removeEventListener('visibilitychange', onVisibility)
    removeRecoveryListener()
  }

  document.addEventListener('visibilitychange', onVisibility)
  const removeRecoveryListener = connection.onRecovery(() => {
    if (timer === undefined) return
    clearTimeout(timer)
    void connect()
  })
  void connect()
  return { close, lastId: () => lastId }
}

export type { Answer }
