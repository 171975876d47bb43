import { setInterval } from 'node:timers/promises'
import type { Queue } from '@trellis/kit/bus'
import { handleWithRetries } from '@trellis/kit/workloads'
import type { Dependencies } from '../dependencies.ts'

/** A run to follow to its end, and the node that the end is recorded in. */
export type NodeOrder = { readonly nodeId: string; readonly runId: string }

/** A delivery of an order to this replica. */
export type OrderDelivery = { readonly delivery: number; readonly isAgain: boolean; readonly signal: AbortSignal }

export type DrivenOrders = {
  /** Queue ids are run ids. */
  readonly queue: Queue<NodeOrder>
  /** What an order makes, for the log: "generation". */
  readonly what: string
  /** Orders that one replica drives concurrently; more wait in the queue. */
  readonly concurrency: number
  /** Time limit for one delivery to wait for the servers that it depends on, in milliseconds. */
  readonly longestOutage: number
  readonly drive: (order: NodeOrder, delivery: OrderDelivery) => Promise<void>
  /** Orders that have not ended, whether they are queued or not. */
  readonly unfinished: () => Promise<readonly NodeOrder[]>
}

/** Interval between searches for orders without a driver. */
const recoveryMilliseconds = 60_000

/**
 * Requeues all unfinished orders: they may never have been queued, or were in a queue that was lost with its process. Orders that
 * are waiting or being driven, here or elsewhere, are not queued twice.
 */
const recover = async (
  { bus, log, signal }: Pick<Dependencies, 'bus' | 'log' | 'signal'>,
  { queue, what, unfinished }: DrivenOrders,
): Promise<void> => {
  const requeue = async () => {
    for (const order of await unfinished()) await bus.enqueue(queue, order, order.runId)
  }
  const attempt = () =>
    requeue().catch((error: unknown) => log.warn({ err: error }, `music: ${what}s were not requeued`))
  await attempt()
  try {
    for await (const _ of setInterval(recoveryMilliseconds, undefined, { signal, ref: false })) await attempt()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const work = (
  { bus, log, signal }: Pick<Dependencies, 'bus' | 'log' | 'signal'>,
  { queue, what, concurrency, longestOutage, drive }: DrivenOrders,
): Promise<void> =>
  bus.work(
    queue,
    async ({ value: order, delivery }, handling) => {
      try {
        await handleWithRetries((isAgain) => drive(order, { delivery, isAgain, signal: handling.signal }), {
          queue,
          handling,
          withinMilliseconds: longestOutage,
          onRetry: (error) => log.warn({ err: error, ...order }, `music: server unavailable, retrying ${what}`),
        })
      } catch (error) {
        if (!handling.signal.aborted) log.warn({ err: error, ...order, delivery }, `music: ${what} requeued`)
        throw error
      }
    },
    { concurrency, signal },
  )

/** Drives orders until the service shuts down; unfinished ones then go to another replica, or to the next start. */
export const driveOrders = async (dependencies: Dependencies, orders: DrivenOrders): Promise<void> => {
  await Promise.all([work(dependencies, orders), recover(dependencies, orders)])
}
