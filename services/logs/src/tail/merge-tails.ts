import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isServiceError } from '@trellis/kit/errors'
import { type ChildAbortController, childAbortController } from '@trellis/kit/lifecycle'
import { createMerge } from '../merge-sequences.ts'
import { branchesMissing, gap, type TailStep } from './frames.ts'

/** One of several stores that are followed together; the service's own store has the empty name. */
export type TailShard = {
  name: string
  /** Its frames after its own position; the first confirms that the position is taken. */
  open: (lastEventId: string | undefined, signal: AbortSignal) => AsyncIterable<TailStep>
}

/** A reader's position in each store, by the store's name. */
export type Positions = Map<string, string>

/** Positions in several stores as one id: the position in the service's own store, then those in branches. */
export const encodePositions = (positions: Positions): string => {
  const others = [...positions].filter(([name]) => name !== '').map(([name, position]) => `~${name}=${position}`)
  return (positions.get('') ?? '') + others.join('')
}

export const decodePositions = (text: string | null | undefined): Positions => {
  const [own = '', ...others] = (text ?? '').split('~')
  const positions: Positions = new Map(own === '' ? [] : [['', own]])
  for (const other of others) {
    const [name = '', position = ''] = other.split('=')
    if (name !== '' && position !== '') positions.set(name, position)
  }
  return positions
}

/** The branches of a tail at the moment. */
export type TailBranches = {
  shards: readonly TailShard[]
  /** Branches of the tail that cannot be opened: they are not ready, or inactive and named by the request. */
  absent: readonly string[]
}

/** A frame and the name of its store; `missing` stands for a frame that names the missing branches at the time when it is taken. */
type NamedStep = { name: string; frame: TailStep } | 'missing'

/** `open` is that of the newest list of branches: the connection of an earlier one is closed once its branch has stopped. */
type FollowedStore = {
  begun: Promise<void>
  controller: ChildAbortController
  isAway: boolean
  open: TailShard['open']
}

const pauseMilliseconds = 1_000
const defaultAwayMilliseconds = 5_000

export type MergeTailsOptions = {
  own: TailShard
  /** The branches that are to be followed at the moment. If it throws a service error after the reader has begun, the stream fails with it. */
  branches: () => Promise<TailBranches>
  positions: Positions
  /** Subscribes to changes of the list of branches and returns the unsubscribe function; without it the list is fixed. */
  onBranches?: ((refresh: () => void) => () => void) | undefined
  /** After this time without its first frame, a branch that is opened is missing. */
  awayMilliseconds?: number
  /** Aborted when the reader disconnects. */
  signal: AbortSignal
}

/** Disposed when the frames have no reader any more. */
export type MergedTails = Disposable & {
  /** Resolves with the reader's position when it is taken in the service's own store and in the branches that respond within the time. */
  begun: (withinMilliseconds: number) => Promise<string>
  /** Frames of all stores as they arrive, each with an id that states the reader's position in all. Pull-based: each frame is fetched on demand. */
  frames: () => AsyncGenerator<TailStep>
}

/**
 * Follows several stores as one. A failure of the service's own store ends the stream. A lost branch is resumed at its last position; a gap
 * reports where that was not possible, and where a branch was added or responded after the reader had begun. Whenever the set of branches whose
 * entries do not arrive changes, a frame names them.
 */
export const mergeTails = (options: MergeTailsOptions): MergedTails => {
  const { own, branches, positions, onBranches, awayMilliseconds = defaultAwayMilliseconds, signal } = options
  let isOver = false
  const merge = createMerge<NamedStep>()
  const followed = new Map<string, FollowedStore>()
  let absent: readonly string[] = []
  let announced: readonly string[] = []
  let isAnnouncing = false
  /** Whether the reader has begun: a branch whose position is taken later may have had entries in between. */
  let hasBegun = false

  const missing = (): string[] =>
    [...new Set([...absent, ...[...followed].flatMap(([name, { isAway }]) => (isAway ? [name] : []))])].toSorted()
  /** Announces the missing branches if they have changed. Changes before the reader takes the frame are announced as one. */
  const announce = async () => {
    if (!hasBegun || isAnnouncing) return
    isAnnouncing = true
    while (!isOver && !signal.aborted && !isDeepStrictEqual(missing(), announced)) await merge.add(['missing'])
    isAnnouncing = false
  }
  const setAway = (store: FollowedStore, isAway: boolean) => {
    if (store.isAway === isAway) return
    store.isAway = isAway
    void announce()
  }
  /** The step for a frame; a frame that only states the position of its store is recorded and not passed on. */
  const toStep = (name: string, frame: TailStep): NamedStep | undefined => {
    if (frame.event !== null || frame.followed) return { name, frame }
    if (frame.eventId !== '') positions.set(name, frame.eventId)
    return undefined
  }
  async function* branchSteps(name: string, store: FollowedStore, begin: () => void): AsyncGenerator<NamedStep> {
    const ending = store.controller.signal
    let isFollowed = false
    while (!ending.aborted) {
      let isOpen = false
      const late = setTimeout(() => setAway(store, true), awayMilliseconds)
      try {
        for await (const frame of store.open(positions.get(name), ending)) {
          isOpen = true
          clearTimeout(late)
          setAway(store, false)
          if (!isFollowed && hasBegun && !positions.has(name)) yield { name, frame: gap(null, frame.eventId) }
          isFollowed = true
          // A branch that was restarted does not know earlier positions: the reader loses the entries in between, and only those.
          const item = toStep(name, frame.event?.$case === 'reset' ? gap(null, frame.eventId) : frame)
          if (item) yield item
          begin()
        }
      } catch (error) {
        if (!isServiceError(error) && !ending.aborted) throw error
      } finally {
        clearTimeout(late)
      }
      // A connection that was lost may be made again at once.
      if (!isOpen && !ending.aborted) setAway(store, true)
      await sleep(pauseMilliseconds, undefined, { signal: ending }).catch(() => undefined)
    }
  }
  const refresh = async () => {
    const desired = await branches()
    if (isOver || signal.aborted) return
    const names = new Set(desired.shards.map(({ name }) => name))
    absent = desired.absent
    for (const [name, { controller }] of followed) {
      if (name === '' || names.has(name)) continue
      controller.abort()
      controller[Symbol.dispose]()
      followed.delete(name)
    }
    for (const { name, open } of desired.shards) {
      const known = followed.get(name)
      if (known) {
        known.open = open
        continue
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      const store: FollowedStore = { begun: promise, controller: childAbortController(signal), isAway: false, open }
      followed.set(name, store)
      void merge.add(branchSteps(name, store, resolve))
    }
    void announce()
  }
  let beginOwn: () => void = () => undefined
  const ownBegun = new Promise<void>((resolve) => {
    beginOwn = resolve
  })
  const ownStep = (frame: TailStep) => {
    const item = toStep('', frame)
    beginOwn()
    return item
  }
  const follow = async () => {
    await merge.addChanged(own.open(positions.get(''), signal), ownStep)
    beginOwn()
    merge.end()
  }
  void follow()
  /** Advances the reader's position to the frame that is passed on, and no further. */
  const passOn = (step: NamedStep): TailStep => {
    if (step === 'missing') {
      announced = missing()
      return branchesMissing(announced, encodePositions(positions))
    }
    const { name, frame } = step
    if (frame.eventId !== '') positions.set(name, frame.eventId)
    return { ...frame, eventId: encodePositions(positions) }
  }
  let unwatch: () => void = () => undefined

  return {
    begun: async (withinMilliseconds) => {
      await ownBegun
      if (!signal.aborted && onBranches) unwatch = onBranches(() => void refresh().catch(merge.fail))
      await refresh()
      if (followed.size > 0) {
        const all = Promise.all([...followed.values()].map(({ begun }) => begun))
        await Promise.race([all, sleep(withinMilliseconds, undefined, { ref: false })])
      }
      hasBegun = true
      void announce()
      return encodePositions(positions)
    },
    frames: () => merge.itemsChanged(passOn),
    [Symbol.dispose]: () => {
      isOver = true
      unwatch()
      for (const { controller } of followed.values()) {
        controller.abort(new Error('The tail has no followers any more.'))
        controller[Symbol.dispose]()
      }
    },
  }
}
