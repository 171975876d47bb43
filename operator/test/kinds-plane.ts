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

/** A real API server with our CRDs. No Kubernetes controllers run there: tests write what they would have written. */
export type KindsPlane = AsyncDisposable & {
  /** A client of the administrator. */
  client: Client
  newNamespace: () => Promise<string>
  /** Runs an operator with the controllers that `declare` adds. Disposal stops it and flushes its events to the API server. */
  operate: <Declared>(declare: (manager: Manager) => Declared) => Promise<AsyncDisposable & { declared: Declared }>
  /** The reasons of the events about the named object, oldest first. */
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

/** Polls until an object exists and satisfies `isSo`, and returns it. */
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
    throw new Error(`The object is ${JSON.stringify(last)}.`, { cause: error })
  }
  return last as T
}

const unlessMissing = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error
}
