import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { installKinds } from '../src/crds/test-support.ts'
import {
  type Client,
  createManager,
  createRuntimeMetrics,
  events,
  isNotFound,
  type KubeObject,
  type Manager,
} from '../src/runtime/mod.ts'
import { connectAs, newNamespace } from './api-server.ts'
import type { ControlPlanePrograms } from './control-plane.ts'
import { eventually } from './eventually.ts'

/** A real API server that serves our kinds. No controller of Kubernetes runs there: a test says what they would have done. */
export type KindsPlane = AsyncDisposable & {
  /** The administrator's. */
  client: Client
  newNamespace: () => Promise<string>
  /** Runs an operator with what `declare` adds to it, until it is disposed of; events are in the API server then. */
  operate: <Declared>(declare: (manager: Manager) => Declared) => Promise<AsyncDisposable & { declared: Declared }>
  /** The reasons of the events about an object of a name, oldest first. */
  reasonsOf: (namespace: string, name: string) => Promise<string[]>
}

export const startKindsPlane = async (programs: ControlPlanePrograms): Promise<KindsPlane> => {
  await using started = new AsyncDisposableStack()
  const installed = started.use(await installKinds(programs))
  const client = started.use(connectAs(installed.kubeconfig))
  const owned = started.move()
  return {
    client,
    newNamespace: () => newNamespace(client),
    operate: async (declare) => {
      const metrics = createRuntimeMetrics(createMetrics({ processMetrics: false }))
      const manager = createManager({ name: 'trellis-operator', client, log: silentLog, metrics })
      const declared = declare(manager)
      const stop = new AbortController()
      const running = manager.run(stop.signal)
      return {
        declared,
        [Symbol.asyncDispose]: async () => {
          stop.abort()
          await running
          await manager.recorder.flush()
        },
      }
    },
    reasonsOf: async (namespace, name) =>
      (await client.list(events, { namespace })).items
        .filter(({ regarding }) => regarding.name === name)
        .sort((a, b) => a.eventTime.localeCompare(b.eventTime))
        .map(({ reason }) => reason),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Looks until an object is there, and is as a test expects; gives it then. */
export const untilIs = async <T extends KubeObject>(
  get: () => Promise<T>,
  isSo: (object: T) => boolean,
  what: string,
): Promise<T> => {
  let last: T | undefined
  try {
    await eventually(async () => {
      last = await get().catch(unlessMissing)
      return last !== undefined && isSo(last)
    }, what)
  } catch (error) {
    throw new Error(`It is ${JSON.stringify(last)}.`, { cause: error })
  }
  return last as T
}

const unlessMissing = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error
}
