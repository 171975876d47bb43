import {
  ApiError,
  ConnectionError,
  type KubeObject,
  type Resource,
  type WatchEvent,
  type WatchOptions,
} from '../../src/runtime/mod.ts'
import { createChannel } from './channel.ts'
import { isOfFields, isSelected, type Network } from './simulated-client.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { Commit } from './storage.ts'

const bookmarkEvery = 60_000

/** Listeners of open watches by network. Each is called with every commit of the storage. */
const open = new WeakMap<Network, Set<(commit: Commit) => void>>()

const listenersOf = (network: Network): Set<(commit: Commit) => void> => {
  const known = open.get(network)
  if (known) return known
  const listeners = new Set<(commit: Commit) => void>()
  network.storage.onCommit((commit) => {
    for (const listener of [...listeners]) listener(commit)
  })
  open.set(network, listeners)
  return listeners
}

/**
 * Opens a watch on the simulated server. Each event arrives after its own delay, in order unless reordered by a fault, until the
 * watch is cut, times out or the client leaves. Throws 410 if the version is compacted.
 */
export const openSimulatedWatch = <T extends KubeObject>(
  network: Network,
  process: SimulatedProcess,
  resource: Resource<T>,
  { resourceVersion, timeoutSeconds, signal, ...selection }: WatchOptions,
): AsyncIterable<WatchEvent<T>> => {
  const { clock, random, storage } = network
  if (random.chance(network.faults().expired)) throw new ApiError(410, { reason: 'Expired' })
  const missed = storage.changesSince(resource, Number(resourceVersion))
  const listeners = listenersOf(network)
  const timers = new Set<() => void>()
  let lastDue = clock.monotonic()
  let isBroken = false

  const leave = () => {
    listeners.delete(take)
    for (const cancel of timers) cancel()
    leaveSignal()
  }
  const channel = createChannel<WatchEvent<T>>(leave)
  const leaveSignal = process.heed(signal, () => end(signal.reason))
  const end = (...error: unknown[]) => {
    leave()
    process.deliver(() => channel.end(...error))
  }
  const later = (milliseconds: number, something: () => void) => {
    const cancel = clock.after(milliseconds, () => {
      timers.delete(cancel)
      something()
    })
    timers.add(cancel)
  }

  const send = (event: WatchEvent<T>, isInOrder: boolean) => {
    const faults = network.faults()
    const now = clock.monotonic()
    const due = now + random.between(...faults.eventDelay)
    const inOrder = Math.max(due, lastDue)
    if (isInOrder) lastDue = inOrder
    later((isInOrder ? inOrder : due + random.between(0, 2_000)) - now, () => {
      if (isBroken) return
      if (network.isIsolated(process)) {
        isBroken = true
        network.whenReached(process, () => end(new ConnectionError('the watch broke off', { maybeSent: true })))
        return
      }
      process.deliver(() => channel.push(event))
      if (!random.chance(faults.cut)) return
      if (random.chance(0.5)) end(new ConnectionError('the watch broke off', { maybeSent: true }))
      else end()
    })
  }

  const take = (commit: Commit) => {
    if (commit.resource.plural !== resource.plural || commit.resource.group !== resource.group) return
    const { fieldSelector, ...others } = selection
    if (!isSelected(commit.object, others)) return
    const faults = network.faults()
    if (random.chance(faults.dropped)) return
    // An object that leaves the selection is reported as deleted.
    const type = isOfFields(commit.object, fieldSelector) ? commit.type : 'DELETED'
    const event = { type, object: commit.object as T }
    send(event, !random.chance(faults.reordered))
    if (random.chance(faults.duplicated)) send(event, true)
  }

  const bookmark = () => {
    // A bookmark is queued behind earlier events, so that it never covers events still in transit.
    send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(storage.revision()) } } }, true)
    later(bookmarkEvery, bookmark)
  }

  for (const commit of missed) take(commit)
  listeners.add(take)
  later(bookmarkEvery, bookmark)
  later(timeoutSeconds * 1_000, () => end())
  return channel
}
