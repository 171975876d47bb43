import { setTimeout as sleep } from 'node:timers/promises'
import { isServiceError } from '@trellis/kit/errors'
import { type ChildAbortController, childAbortController } from '@trellis/kit/lifecycle'
import { createMerge } from '../merge-sequences.ts'
import { gap, type TailStep } from './frames.ts'

/** One of several stores that are followed together; the service's own has the empty name. */
export type TailShard = {
  name: string
  /** Its frames behind a place of its own; the first says that the place is taken. */
  open: (lastEventId: string | undefined, signal: AbortSignal) => AsyncIterable<TailStep>
}

/** Where a reader is in each store, by its name. */
export type Positions = Map<string, string>

/** A place in several stores as one id: the place in the service's own, then those in branches. */
export const encodePositions = (positions: Positions): string => {
  const others = [...positions].filter(([name]) => name !== '').map(([name, place]) => `~${name}=${place}`)
  return (positions.get('') ?? '') + others.join('')
}

export const decodePositions = (text: string | null | undefined): Positions => {
  const [own = '', ...others] = (text ?? '').split('~')
  const positions: Positions = new Map(own === '' ? [] : [['', own]])
  for (const other of others) {
    const [name = '', place = ''] = other.split('=')
    if (name !== '' && place !== '') positions.set(name, place)
  }
  return positions
}

/** A frame as it came from the store of that name. */
type NamedStep = { name: string; frame: TailStep }

const pauseMilliseconds = 1_000

export type MergeTailsOptions = {
  own: TailShard
  /** The branches that are to be followed now. */
  branches: () => Promise<readonly TailShard[]>
  positions: Positions
  /** Calls back whenever other branches may be there, until it is called off; without it there are never others. */
  onBranches?: ((look: () => void) => () => void) | undefined
  /** Aborted when nobody follows any more. */
  signal: AbortSignal
}

/** To be disposed of when nobody reads the frames any more. */
export type MergedTails = Disposable & {
  /** Resolves when the service's own place is taken, and those of branches that answer within the time; gives where the reader is. */
  begun: (withinMilliseconds: number) => Promise<string>
  /** Frames of all as they come, each with an id that says where the reader is in all. Nothing is asked for that is not taken. */
  frames: () => AsyncGenerator<TailStep>
}

/**
 * Follows several stores as one. The service's own ends the stream when it fails; a branch that is lost is taken up again where it was left,
 * and a gap says where that was not possible, and where a branch came, or answered, when the others were followed already.
 */
export const mergeTails = (options: MergeTailsOptions): MergedTails => {
  const { own, branches, positions, onBranches, signal } = options
  let isOver = false
  const merge = createMerge<NamedStep>()
  const followed = new Map<string, { begun: Promise<void>; controller: ChildAbortController }>()
  /** The reader has been told that it follows: whose place is taken later may have had entries meanwhile. */
  let hasBegun = false

  /** What is to be told of a frame; one that only says where its store is waits for nobody. */
  const told = (name: string, frame: TailStep): NamedStep | undefined => {
    if (frame.event !== null || frame.followed) return { name, frame }
    if (frame.eventId !== '') positions.set(name, frame.eventId)
    return undefined
  }
  async function* toldByBranch(
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
          // A branch that was started anew knows nothing of places before: what came between is lost to the reader, and no more.
          const item = told(name, frame.event?.$case === 'reset' ? gap(null, frame.eventId) : frame)
          if (item) yield item
          begin()
        }
      } catch (error) {
        if (!isServiceError(error) && !ending.aborted) throw error
      }
      await sleep(pauseMilliseconds, undefined, { signal: ending }).catch(() => undefined)
    }
  }
  const look = async () => {
    const wanted = await branches()
    if (isOver || signal.aborted) return
    const names = new Set(wanted.map(({ name }) => name))
    for (const [name, { controller }] of followed) {
      if (name === '' || names.has(name)) continue
      controller.abort()
      controller[Symbol.dispose]()
      followed.delete(name)
    }
    for (const shard of wanted) {
      if (followed.has(shard.name)) continue
      const controller = childAbortController(signal)
      const { promise, resolve } = Promise.withResolvers<void>()
      followed.set(shard.name, { begun: promise, controller })
      void merge.add(toldByBranch(shard, controller.signal, resolve))
    }
  }
  let beginOwn: () => void = () => undefined
  const ownBegun = new Promise<void>((resolve) => {
    beginOwn = resolve
  })
  const toldByOwn = (frame: TailStep) => {
    const item = told('', frame)
    beginOwn()
    return item
  }
  const follow = async () => {
    await merge.addChanged(own.open(positions.get(''), signal), toldByOwn)
    beginOwn()
    merge.end()
  }
  void follow()
  /** What is passed on is behind the reader from here on, and no more than that. */
  const passOn = ({ name, frame }: NamedStep): TailStep => {
    if (frame.eventId !== '') positions.set(name, frame.eventId)
    return { ...frame, eventId: encodePositions(positions) }
  }
  let unwatch: () => void = () => undefined

  return {
    begun: async (withinMilliseconds) => {
      await ownBegun
      if (!signal.aborted && onBranches) unwatch = onBranches(() => void look())
      await look()
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
        controller.abort(new Error('Nobody follows any more.'))
        controller[Symbol.dispose]()
      }
    },
  }
}
