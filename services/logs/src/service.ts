import type { Implementation } from '@trellis/kit/rpc'
import { features } from './features.ts'
import { openDependencies } from './open-dependencies.ts'
import type { LogsServiceOptions } from './service-options.ts'

export type LogsService = AsyncDisposable & { implementations: Implementation[] }

/**
 * The log service: rows in its stores, entries in shared storage or in a folder of its own, threads that start with the first work. Opens shared
 * dependencies first and closes them last (`open-dependencies.ts`); then opens each feature in turn (`features.ts`).
 */
export const createLogsService = async (options: LogsServiceOptions): Promise<LogsService> => {
  await using opened = new AsyncDisposableStack()
  const dependencies = await openDependencies(options, opened)
  const implementations: Implementation[] = []
  for (const open of features) implementations.push(await open(dependencies, opened))
  const stack = opened.move()
  return { implementations, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
