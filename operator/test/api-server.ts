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

/** A client of the API server in a kubeconfig, authenticated as its user. */
export const connectAs = (kubeconfig: string): Client & AsyncDisposable =>
  createHttpClient({ credentials: createCredentials(() => loadConfig({ kubeconfig }), systemClock) })

/** Creates a namespace with a generated name and returns the name. */
export const newNamespace = async (client: Client): Promise<string> =>
  (await client.create(namespaces, { metadata: { generateName: 'test-' } })).metadata.name
