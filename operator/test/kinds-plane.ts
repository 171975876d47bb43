import { installKinds } from '../src/crds/test-support.ts'
import { type Client, events, isNotFound, type KubeObject } from '../src/runtime/mod.ts'
import { connectAs, newNamespace } from './api-server.ts'
import type { ControlPlanePrograms } from './control-plane.ts'
import { eventually } from './eventually.ts'

/** A real API server with our CRDs. No Kubernetes controllers run there: tests write what they would have written. */
export type KindsPlane = AsyncDisposable & {
  /** A client of the administrator. */
  client: Client
  newNamespace: () => Promise<string>
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
