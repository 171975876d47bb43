import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type ServerProcess, startServerProcess } from '@trellis/distributed/servers'
import type { ControlPlanePrograms } from './find-control-plane.ts'

export { type ControlPlanePrograms, findControlPlane } from './find-control-plane.ts'

/** A user of the control plane in addition to its administrator. */
export type ControlPlaneUser = { name: string; groups?: readonly string[] }

/** A kube-apiserver with its own etcd, on 127.0.0.1. Without controllers, scheduler or nodes, nothing is garbage-collected and no pod runs. */
export type ControlPlane = AsyncDisposable & {
  /** Address of the apiserver, `https://127.0.0.1:port`. */
  server: string
  /** The certificate to trust, PEM. */
  ca: string
  /** The bearer token of a user; defaults to the administrator. */
  token: (user?: string) => string
  /** A kubeconfig as JSON (which is YAML) for a user; defaults to the administrator. */
  kubeconfig: (user?: string) => string
  /** The processes; each can be stopped and started again on its stored data. */
  apiserver: ServerProcess
  etcd: ServerProcess
  /** Compacts etcd to the current revision, so that older resourceVersions are answered 410. */
  compact: () => Promise<void>
}

export type ControlPlaneOptions = {
  users?: readonly ControlPlaneUser[]
  /** Further flags of kube-apiserver, `--name=value`. */
  flags?: readonly string[]
}

const administrator: ControlPlaneUser = { name: 'administrator', groups: ['system:masters'] }

/** Whether the apiserver reports ready. Its certificate is self-signed at its first start, so it is not verified. */
const isReady = (server: string, token: string): Promise<boolean> =>
  new Promise((resolve) => {
    const agent = new Agent({ rejectUnauthorized: false })
    const sent = request(`${server}/readyz`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    sent.once('error', () => resolve(false)).end()
  })

const post = async (url: string, body: object): Promise<unknown> => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`)
  return response.json()
}

const startEtcd = async (command: string, directory: string) => {
  const [clientPort, peerPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${clientPort}`
  const peerUrl = `http://127.0.0.1:${peerPort}`
  const etcd = await startServerProcess({
    name: 'etcd',
    command,
    args: [
      `--data-dir=${join(directory, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--unsafe-no-fsync=true',
      '--log-level=error',
    ],
    port: clientPort,
    isReady: async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true,
  })
  return { etcd, url }
}

/** Starts a control plane in a temporary folder, which is removed with it; about five seconds on two cores. */
export const startControlPlane = async (
  programs: ControlPlanePrograms,
  { users = [], flags = [] }: ControlPlaneOptions = {},
): Promise<ControlPlane> => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-control-plane-'))
  await using started = new AsyncDisposableStack()
  started.defer(() => rm(directory, { recursive: true, force: true }))

  const tokens = new Map([administrator, ...users].map(({ name }) => [name, randomUUID()]))
  const token = (user = administrator.name): string => {
    const found = tokens.get(user)
    if (!found) throw new Error(`The control plane was started without a user ${user}.`)
    return found
  }
  const rows = [administrator, ...users].map(
    ({ name, groups = [] }) => `${token(name)},${name},${name},"${groups.join(',')}"`,
  )
  const serviceAccountKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  await writeFile(join(directory, 'tokens.csv'), `${rows.join('\n')}\n`, { mode: 0o600 })
  await writeFile(
    join(directory, 'service-accounts.key'),
    serviceAccountKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    { mode: 0o600 },
  )

  const { etcd, url } = await startEtcd(programs.etcd, directory)
  started.use(etcd)
  const port = await freePort()
  const server = `https://127.0.0.1:${port}`
  const apiserver = await startServerProcess({
    name: 'kube-apiserver',
    command: programs.kubeApiserver,
    args: [
      `--etcd-servers=${url}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--cert-dir=${join(directory, 'certificates')}`,
      `--token-auth-file=${join(directory, 'tokens.csv')}`,
      `--service-account-issuer=${server}`,
      `--service-account-key-file=${join(directory, 'service-accounts.key')}`,
      `--service-account-signing-key-file=${join(directory, 'service-accounts.key')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--authorization-mode=RBAC',
      // The plugin requires service accounts, which only the controller manager creates.
      '--disable-admission-plugins=ServiceAccount',
      '--allow-privileged=true',
      '--profiling=false',
      ...flags,
    ],
    port,
    isReady: () => isReady(server, token()),
  })
  started.use(apiserver)
  const ca = await readFile(join(directory, 'certificates', 'apiserver.crt'), 'utf8')

  const kubeconfig = (user = administrator.name): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'test', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
      ],
      users: [{ name: user, user: { token: token(user) } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user } }],
      'current-context': 'test',
    })

  const compact = async () => {
    const { header } = (await post(`${url}/v3/kv/range`, { key: 'AA==' })) as { header: { revision: string } }
    await post(`${url}/v3/kv/compaction`, { revision: header.revision, physical: true })
  }

  const owned = started.move()
  return {
    server,
    ca,
    token,
    kubeconfig,
    apiserver,
    etcd,
    compact,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
