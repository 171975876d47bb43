import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { attempt, must, type Ran } from '../../support/run-program.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import type { Images } from './images.ts'
import { programs, root } from './programs.ts'
import { runLabel } from './run-label.ts'
import type { Shown } from './watch.ts'

/**
 * A namespace for one test, at the pod security level "restricted". Disposal deletes it with its contents; branches are deleted
 * first, because only the running operator can remove their finalizers.
 */
export type Namespace = AsyncDisposable & {
  name: string
  /** Runs kubectl in the namespace. */
  kubectl: (...args: string[]) => Promise<string>
  /** Applies objects. */
  apply: (...objects: object[]) => Promise<void>
  /** One object, as `kind/name`. */
  get: (object: string) => Promise<Shown>
  /** The objects of a kind. */
  list: (resource: string, ...args: string[]) => Promise<Shown[]>
}

export type Release = {
  /** The origin of the edge for this machine, `http://address:port`. */
  origin: () => Promise<string>
  upgrade: (values: object) => Promise<void>
  /** The header for requests to the log service, with the generated API key. */
  authorization: () => Promise<{ authorization: string }>
  /** Runs `helm test` and returns its logs. */
  test: () => Promise<Ran>
  uninstall: () => Promise<void>
}

const withFile = async <Result>(content: object, use: (file: string) => Promise<Result>): Promise<Result> => {
  await using directory = await temporaryDirectory()
  const file = join(directory.path, 'content.json')
  await writeFile(file, JSON.stringify(content))
  return await use(file)
}

/** Applies the CRDs of a tree. Tests install the chart without CRDs, because only one release could own them. */
export const applyDefinitions = async (tree = root): Promise<void> => {
  await must(programs.kubectl, ['apply', '--server-side', '--force-conflicts', '-f', join(tree, 'crds')])
  await must(programs.kubectl, ['wait', '--for=condition=Established', '--timeout=60s', '-f', join(tree, 'crds')])
}

let definitions: Promise<void> | undefined

/** Creates a namespace whose name starts with `purpose`, on a cluster with our CRDs. */
export const createNamespace = async (purpose: string, { run = inject('run') } = {}): Promise<Namespace> => {
  definitions ??= applyDefinitions()
  await definitions
  const name = `${purpose}-${randomBytes(3).toString('hex')}`
  const kubectl = (...args: string[]) => must(programs.kubectl, ['--namespace', name, ...args])
  await kubectl('create', 'namespace', name)
  const labels = ['pod-security.kubernetes.io/enforce=restricted', `${runLabel}=${run}`]
  await kubectl('label', 'namespace', name, ...labels)
  return {
    name,
    kubectl,
    apply: async (...objects) => {
      const list = { apiVersion: 'v1', kind: 'List', items: objects }
      await withFile(list, (file) => kubectl('apply', '--server-side', '-f', file))
    },
    get: async (object) => JSON.parse(await kubectl('get', object, '-o', 'json')),
    list: async (resource, ...args) => JSON.parse(await kubectl('get', resource, '-o', 'json', ...args)).items,
    [Symbol.asyncDispose]: async () => {
      await kubectl('delete', 'branches', '--all', '--timeout=300s')
      // The global teardown waits until all namespaces of the run are gone.
      await kubectl('delete', 'namespace', name, '--wait=false')
      // Priority classes are cluster-scoped; an uninstall would delete them.
      const classes = ['runs', 'pools'].map((pods) => `${name}-${release}-${pods}`)
      await kubectl('delete', 'priorityclasses', '--ignore-not-found', ...classes)
    },
  }
}

/** Chart values for a cluster of one node with the locally built images. */
const valuesFor = ({ application, servers }: Images) => {
  const image = { registry: 'localhost', repository: 'trellis-servers', tag: servers, pullPolicy: 'Never' }
  return {
    image: { registry: 'localhost', tag: application, pullPolicy: 'Never' },
    nats: { bundled: { image, storage: '1Gi' } },
    database: { bundled: { image, runAsUser: 10002, storage: '1Gi' } },
  }
}

/** One replica, for tests that share two cores. */
export const one = { replicas: 1 }
/** One replica that shuts down within seconds. The chart's default delays are covered by tests that replace replicas. */
const brief = { ...one, preStopSeconds: 0, shutdownSeconds: 2 }
export const small = {
  // kube-proxy may route connections to a terminating pod for a while; with the delay, tests after an upgrade reach a live pod.
  edge: { ...brief, preStopSeconds: 5 },
  listings: brief,
  logs: brief,
  music: brief,
  operator: brief,
  demoMarketplace: brief,
}

/** The name of the release, the prefix of all its object names. */
const release = 'trellis'

/**
 * Installs the chart of a tree, or upgrades a release to it, and waits until everything is ready. A failure includes Helm's output
 * and the events.
 */
export const install = async (
  { name: namespace, kubectl, get }: Namespace,
  values: object = {},
  { images = inject('images'), tree = root }: { images?: Images; tree?: string } = {},
): Promise<Release> => {
  const apply = (values: object) =>
    withFile(valuesFor(images), (base) =>
      withFile({ crds: { enabled: false }, ...values }, async (own) => {
        const chart = [release, join(tree, 'charts/trellis'), '--namespace', namespace]
        const files = ['--values', base, '--values', own]
        const waits = ['--wait', '--wait-for-jobs', '--timeout', '600s']
        const { code, output } = await attempt(programs.helm, ['upgrade', '--install', ...chart, ...files, ...waits])
        if (code === 0) return
        const state = await kubectl('get', 'pods,jobs,events', '--sort-by=.metadata.creationTimestamp')
        throw new Error(`helm ended with ${code}:\n${output}\n${state}`)
      }),
    )
  await apply(values)
  return {
    authorization: async () => {
      const encoded = await kubectl('get', 'secret', `${release}-secrets`, '-o', 'jsonpath={.data.api-key}')
      return { authorization: `Bearer ${Buffer.from(encoded, 'base64').toString()}` }
    },
    origin: async () => {
      const { spec } = await get(`service/${release}-edge`)
      return `http://${spec.clusterIP}:${spec.ports[0].port}`
    },
    upgrade: apply,
    test: () => attempt(programs.helm, ['test', release, '--namespace', namespace, '--logs', '--timeout', '300s']),
    uninstall: async () => {
      await must(programs.helm, ['uninstall', release, '--namespace', namespace, '--wait', '--timeout', '300s'])
    },
  }
}
