import { setTimeout as sleep } from 'node:timers/promises'
import { isFailure } from '@trellis/kit/errors'
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
type Told = { name: string; frame: TailStep }

const pauseMilliseconds = 1_000

export type MergeTailsOptions = {
  own: TailShard
  /** The branches that are to be followed now. */
  branches: () => Promise<readonly TailShard[]>
  positions: Positions
  /** How often it is looked which branches there are. */
  lookMilliseconds?: number
  signal: AbortSignal
}

export type MergedTails = {
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
  const { own, branches, positions, lookMilliseconds = 2_000, signal } = options
  const ended = new AbortController()
  const whole = AbortSignal.any([signal, ended.signal])
  const merge = createMerge<Told>()
  const followed = new Map<string, { begun: Promise<void>; controller: AbortController }>()
  /** The reader has been told that it follows: whose place is taken later may have had entries meanwhile. */
  let hasBegun = false

  /** What is to be told of a frame; one that only says where its store is waits for nobody. */
  const told = (name: string, frame: TailStep): Told[] => {
    if (frame.event !== null || frame.followed) return [{ name, frame }]
    if (frame.eventId !== '') positions.set(name, frame.eventId)
    return []
  }
  async function* toldByOwn(begin: () => void): AsyncGenerator<Told> {
    for await (const frame of own.open(positions.get(''), whole)) {
      yield* told('', frame)
      begin()
    }
  }
  async function* toldByBranch(
    { name, open }: TailShard,
    ending: AbortSignal,
    begin: () => void,
  ): AsyncGenerator<Told> {
    let isFollowed = false
    while (!ending.aborted) {
      try {
        for await (const frame of open(positions.get(name), ending)) {
          if (!isFollowed && hasBegun && !positions.has(name)) yield { name, frame: gap(null, frame.eventId) }
          isFollowed = true
          // A branch that was started anew knows nothing of places before: what came between is lost to the reader, and no more.
          yield* told(name, frame.event?.$case === 'reset' ? gap(null, frame.eventId) : frame)
          begin()
        }
      } catch (error) {
        if (!isFailure(error) && !ending.aborted) throw error
      }
      await sleep(pauseMilliseconds, undefined, { signal: ending }).catch(() => undefined)
    }
  }
  const look = async () => {
    const wanted = await branches()
    const names = new Set(wanted.map(({ name }) => name))
    for (const [name, { controller }] of followed) {
      if (name === '' || names.has(name)) continue
      controller.abort()
      followed.delete(name)
    }
    for (const shard of wanted) {
      if (followed.has(shard.name)) continue
      const controller = new AbortController()
      const { promise, resolve } = Promise.withResolvers<void>()
      followed.set(shard.name, { begun: promise, controller })
      void merge.add(toldByBranch(shard, AbortSignal.any([whole, controller.signal]), resolve))
    }
  }
  const watch = async () => {
    while (!whole.aborted) {
      await sleep(lookMilliseconds, undefined, { signal: whole }).catch(() => undefined)
      if (!whole.aborted) await look()
    }
  }
  const { promise: ownBegun, resolve: beginOwn } = Promise.withResolvers<void>()
  void merge.add(toldByOwn(beginOwn)).finally(() => {
    beginOwn()
    merge.end()
  })

  return {
    begun: async (withinMilliseconds) => {
      await ownBegun
      await look()
      const all = Promise.all([...followed.values()].map(({ begun }) => begun))
      await Promise.race([all, sleep(withinMilliseconds, undefined, { ref: false })])
      hasBegun = true
      void watch()
      return encodePositions(positions)
    },
    async *frames() {
      try {
        for await (const { name, frame } of merge.items()) {
          // What is passed on is behind the reader from here on, and no more than that.
          if (frame.eventId !== '') positions.set(name, frame.eventId)
          yield { ...frame, eventId: encodePositions(positions) }
        }
      } finally {
        ended.abort(new Error('Nobody follows any more.'))
      }
    },
  }
}
