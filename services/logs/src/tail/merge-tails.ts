import { setTimeout as sleep } from 'node:timers/promises'
import { isServiceError } from '@trellis/kit/errors'
import { type ChildAbortController, childAbortController } from '@trellis/kit/lifecycle'
import { createMerge } from '../merge-sequences.ts'
import { gap, type TailStep } from './frames.ts'

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

/** A frame and the name of its store. */
type NamedStep = { name: string; frame: TailStep }

const pauseMilliseconds = 1_000

export type MergeTailsOptions = {
  own: TailShard
  /** The branches that are to be followed at the moment. */
  branches: () => Promise<readonly TailShard[]>
  positions: Positions
  /** Subscribes to changes of the list of branches and returns the unsubscribe function; without it the list is fixed. */
  onBranches?: ((refresh: () => void) => () => void) | undefined
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
 * reports where that was not possible, and where a branch was added or responded after the reader had begun.
 */
export const mergeTails = (options: MergeTailsOptions): MergedTails => {
  const { own, branches, positions, onBranches, signal } = options
  let isOver = false
  const merge = createMerge<NamedStep>()
  const followed = new Map<string, { begun: Promise<void>; controller: ChildAbortController }>()
  /** Whether the reader has begun: a branch whose position is taken later may have had entries in between. */
  let hasBegun = false

  /** The step for a frame; a frame that only states the position of its store is recorded and not passed on. */
  const toStep = (name: string, frame: TailStep): NamedStep | undefined => {
    if (frame.event !== null || frame.followed) return { name, frame }
    if (frame.eventId !== '') positions.set(name, frame.eventId)
    return undefined
  }
  async function* branchSteps(
    { name, open }: TailShard,
    ending: AbortSignal,
    begin: () => void,
  ): AsyncGenerator<NamedStep> {
    let isFollowed = false
    while (!ending.aborted) {
      try {
        for await (const frame of open(positions.get(name), ending)) {
          if (!isFollowed && hasBegun && !positions.has(name)) yield { name, frame: gap(null, frame.eventId) }
          isFollowed = true
          // A branch that was restarted does not know earlier positions: the reader loses the entries in between, and only those.
          const item = toStep(name, frame.event?.$case === 'reset' ? gap(null, frame.eventId) : frame)
          if (item) yield item
          begin()
        }
      } catch (error) {
        if (!isServiceError(error) && !ending.aborted) throw error
      }
      await sleep(pauseMilliseconds, undefined, { signal: ending }).catch(() => undefined)
    }
  }
  const refresh = async () => {
    const desired = await branches()
    if (isOver || signal.aborted) return
    const names = new Set(desired.map(({ name }) => name))
    for (const [name, { controller }] of followed) {
      if (name === '' || names.has(name)) continue
      controller.abort()
      controller[Symbol.dispose]()
      followed.delete(name)
    }
    for (const shard of desired) {
      if (followed.has(shard.name)) continue
      const controller = childAbortController(signal)
      const { promise, resolve } = Promise.withResolvers<void>()
      followed.set(shard.name, { begun: promise, controller })
      void merge.add(branchSteps(shard, controller.signal, resolve))
    }
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
  const passOn = ({ name, frame }: NamedStep): TailStep => {
    if (frame.eventId !== '') positions.set(name, frame.eventId)
    return { ...frame, eventId: encodePositions(positions) }
  }
  let unwatch: () => void = () => undefined

  return {
    begun: async (withinMilliseconds) => {
      await ownBegun
      if (!signal.aborted && onBranches) unwatch = onBranches(() => void refresh())
      await refresh()
      if (followed.size > 0) {
        const all = Promise.all([...followed.values()].map(({ begun }) => begun))
        await Promise.race([all, sleep(withinMilliseconds, undefined, { ref: false })])
      }
      hasBegun = true
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
