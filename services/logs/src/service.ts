import type { Implementation } from '@trellis/kit/rpc'
import { features } from './features.ts'
import { openWorld } from './open-world.ts'
import type { LogsServiceOptions } from './service-options.ts'

export type LogsService = AsyncDisposable & { implementations: Implementation[] }

/**
 * The log service: rows in its stores, entries where replicas share them or in a folder of its own, threads that start with the first work.
 * What all stand on is opened first and closed last (`open-world.ts`); then each feature (`features.ts`), one after the other.
 */
export const createLogsService = async (options: LogsServiceOptions): Promise<LogsService> => {
  await using opened = new AsyncDisposableStack()
  const world = await openWorld(options, opened)
  const implementations: Implementation[] = []
  for (const open of features) implementations.push(await open(world, opened))
  const stack = opened.move()
  return { implementations, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
