import type { Log } from '@trellis/kit/telemetry'
import { isNamespaceTerminating, isNotFound } from '../client/api-error.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../clock.ts'
import type { RuntimeMetrics } from '../metrics.ts'
import { microTime } from '../objects/micro-time.ts'
import { deterministicName } from '../objects/names.ts'
import type { KubeObject } from '../objects/object.ts'
import { apiVersionOf, type Resource, resource } from '../objects/resource.ts'

/** An event about an object, shown by `kubectl describe` and `kubectl events`. */
export type Occurrence = {
  type: 'Normal' | 'Warning'
  /** Machine-readable reason in CamelCase, at most 128 characters. */
  reason: string
  /** What the controller did or tried, in CamelCase, at most 128 characters. */
  action: string
  /** Human-readable sentence, truncated to 1,024 bytes. */
  note: string
}

export type EventObject = KubeObject & {
  eventTime: string
  reportingController: string
  reportingInstance: string
  action: string
  reason: string
  type: string
  note: string
  regarding: { apiVersion: string; kind: string; name: string; namespace?: string; uid: string }
  series?: { count: number; lastObservedTime: string }
}

export const events = resource<EventObject>({
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
})

export type RecorderOptions = {
  client: Client
  /** The controller's name, such as `trellis.dev/search`. */
  controller: string
  /** Identity of the process. */
  instance: string
  clock: Clock
  log: Log
  metrics: RuntimeMetrics
}

export type Recorder = {
  /**
   * Records an event about an object: on transitions, not on every reconcile. It is written asynchronously, best
   * effort.
   */
  record: <T extends KubeObject>(kind: Resource<T>, object: T, occurrence: Occurrence) => void
  /** Resolves once every recorded event is written or dropped. */
  flush: () => Promise<void>
}

/** Maximum number of queued events; further ones are dropped, since nothing depends on them. */
const longestQueue = 500
/** Maximum number of distinct occurrences tracked for counting repetitions; the least recently repeated is evicted. */
const remembered = 2_000
/** Repetitions within this many milliseconds count towards the same event. */
const seriesLasts = 360_000
/** Minimum interval in milliseconds between writes of a series. */
const seriesWritten = 30_000

type Series = { name: string; namespace: string; count: number; lastAt: number; writtenAt: number; isCreated: boolean }

const cutToBytes = (text: string, bytes: number): string => {
  const encoded = Buffer.from(text)
  // A character that the truncation split becomes U+FFFD, and is dropped.
  return encoded.length <= bytes
    ? text
    : encoded
        .subarray(0, bytes - 3)
        .toString('utf8')
        .replace(/\uFFFD+$/, '')
        .concat('…')
}

export const createRecorder = ({ client, controller, instance, clock, log, metrics }: RecorderOptions): Recorder => {
  const series = new Map<string, Series>()
  let waiting = 0
  let last: Promise<void> = Promise.resolve()
  let made = 0

  const enqueue = (write: () => Promise<void>) => {
    if (waiting >= longestQueue) {
      metrics.recorded('dropped')
      return
    }
    waiting += 1
    last = last
      .then(write)
      .catch((error) => {
        metrics.recorded('failed')
        if (!isNamespaceTerminating(error)) log.debug({ err: error, controller }, 'an event could not be written')
      })
      .finally(() => {
        waiting -= 1
      })
  }

  const create = (key: string, event: Omit<EventObject, 'metadata'>, entry: Series) =>
    enqueue(async () => {
      try {
        await client.create(events, { ...event, metadata: { name: entry.name, namespace: entry.namespace } })
        entry.isCreated = true
        metrics.recorded('created')
      } catch (error) {
        series.delete(key)
        throw error
      }
    })

  const repeat = (key: string, entry: Series) =>
    enqueue(async () => {
      if (!entry.isCreated) return
      const reported = { count: entry.count, lastObservedTime: microTime(clock.now()) }
      try {
        await client.patch(events, entry, { type: 'merge', body: { series: reported } })
        metrics.recorded('repeated')
      } catch (error) {
        // The server deletes events after an hour; the next occurrence creates a new one.
        series.delete(key)
        if (!isNotFound(error)) throw error
      }
    })

  return {
    record: (kind, object, { type, reason, action, note }) => {
      const { uid, name, namespace } = object.metadata
      const now = clock.monotonic()
      const key = [uid, type, reason, action, note].join('\n')
      const held = series.get(key)
      if (held && now - held.lastAt < seriesLasts) {
        held.count += 1
        held.lastAt = now
        series.delete(key)
        series.set(key, held)
        if (now - held.writtenAt < seriesWritten && held.count > 2) return
        held.writtenAt = now
        repeat(key, held)
        return
      }
      made += 1
      const entry: Series = {
        name: deterministicName([name, instance, String(made)]),
        namespace: namespace ?? 'default',
        count: 1,
        lastAt: now,
        writtenAt: now,
        isCreated: false,
      }
      series.set(key, entry)
      if (series.size > remembered) series.delete(series.keys().next().value ?? '')
      const event = {
        eventTime: microTime(clock.now()),
        reportingController: controller,
        reportingInstance: instance.slice(0, 128),
        action: action.slice(0, 128),
        reason: reason.slice(0, 128),
        type,
        note: cutToBytes(note, 1_024),
        regarding: { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, ...(namespace ? { namespace } : {}) },
      }
      create(key, event, entry)
    },
    flush: () => last,
  }
}
