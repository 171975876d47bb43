import {
  type Client,
  createCredentials,
  createHttpClient,
  type KubeObject,
  loadConfig,
  resource,
  systemClock,
} from '../src/runtime/mod.ts'

export const namespaces = resource<KubeObject>({
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
})

/** A client of the API server that a kubeconfig names, as whoever it says. */
export const connectAs = (kubeconfig: string): Client & AsyncDisposable =>
  createHttpClient({ credentials: createCredentials(() => loadConfig({ kubeconfig }), systemClock) })

/** Makes a namespace that nobody else has; gives its name. */
export const newNamespace = async (client: Client): Promise<string> =>
  (await client.create(namespaces, { metadata: { generateName: 'test-' } })).metadata.name
