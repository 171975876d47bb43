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
 * A namespace of the test's own, at the pod security level "restricted". It goes with all that is in it: branches first, of which
 * the operator alone may let go.
 */
export type Namespace = AsyncDisposable & {
  name: string
  /** kubectl in it. */
  kubectl: (...args: string[]) => Promise<string>
  /** Applies objects and gives what the server answered. */
  apply: (...objects: object[]) => Promise<void>
  /** One object, as `kind/name`. */
  get: (object: string) => Promise<Shown>
  /** What there is of a kind. */
  list: (resource: string, ...args: string[]) => Promise<Shown[]>
}

export type Release = {
  /** Where the edge is reached from this machine, `http://address:port`. */
  origin: () => Promise<string>
  upgrade: (values: object) => Promise<void>
  /** What asks the log service carries: the API key that was drawn. */
  authorization: () => Promise<{ authorization: string }>
  /** `helm test`, with its logs. */
  test: () => Promise<Ran>
  uninstall: () => Promise<void>
}

const withFile = async <Result>(content: object, use: (file: string) => Promise<Result>): Promise<Result> => {
  await using directory = await temporaryDirectory()
  const file = join(directory.path, 'content.json')
  await writeFile(file, JSON.stringify(content))
  return await use(file)
}

/** Brings the definitions of our kinds up to date. Tests install without them, since one release alone could own them. */
export const applyDefinitions = async (): Promise<void> => {
  await must(programs.kubectl, ['apply', '--server-side', '--force-conflicts', '-f', join(root, 'crds')])
  await must(programs.kubectl, ['wait', '--for=condition=Established', '--timeout=60s', '-f', join(root, 'crds')])
}

let definitions: Promise<void> | undefined

/** Makes a namespace whose name starts with the given one, on a cluster that knows our kinds. */
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
      // The run waits once, at its end, until all of them are gone.
      await kubectl('delete', 'namespace', name, '--wait=false')
      // They are the cluster's, and go with a release that is uninstalled.
      const classes = ['runs', 'pools'].map((pods) => `${name}-${release}-${pods}`)
      await kubectl('delete', 'priorityclasses', '--ignore-not-found', ...classes)
    },
  }
}

/** The values for a cluster of one node, and the images that were built for it. */
const valuesFor = ({ application, servers }: Images) => {
  const image = { registry: 'localhost', repository: 'trellis-servers', tag: servers, pullPolicy: 'Never' }
  return {
    image: { registry: 'localhost', tag: application, pullPolicy: 'Never' },
    nats: { bundled: { image, storage: '1Gi' } },
    database: { bundled: { image, runAsUser: 10002, storage: '1Gi' } },
  }
}

/** One of everything, for tests that share two cores. */
export const one = { replicas: 1 }
/** And ended within seconds: what the chart's defaults wait for is proven where replicas are replaced. */
const brief = { ...one, preStopSeconds: 0, shutdownSeconds: 2 }
export const small = {
  // Connections may be sent to a pod until the proxy of the node has learned of its end: tests that follow an upgrade meet a live one until then.
  edge: { ...brief, preStopSeconds: 5 },
  listings: brief,
  logs: brief,
  music: brief,
  operator: brief,
  demoMarketplace: brief,
}

/** The release's name, which the names of all its objects start with. */
const release = 'trellis'

/** Installs the chart of this checkout and waits until everything is ready. What went wrong is in the error, with the events. */
export const install = async (
  { name: namespace, kubectl, get }: Namespace,
  values: object = {},
  { images = inject('images') }: { images?: Images } = {},
): Promise<Release> => {
  const bring = (given: object) =>
    withFile(valuesFor(images), (base) =>
      withFile({ crds: { enabled: false }, ...given }, async (own) => {
        const chart = [release, join(root, 'charts/trellis'), '--namespace', namespace]
        const files = ['--values', base, '--values', own]
        const waits = ['--wait', '--wait-for-jobs', '--timeout', '600s']
        const { code, output } = await attempt(programs.helm, ['upgrade', '--install', ...chart, ...files, ...waits])
        if (code === 0) return
        const state = await kubectl('get', 'pods,jobs,events', '--sort-by=.metadata.creationTimestamp')
        throw new Error(`helm ended with ${code}:\n${output}\n${state}`)
      }),
    )
  await bring(values)
  return {
    authorization: async () => {
      const encoded = await kubectl('get', 'secret', `${release}-secrets`, '-o', 'jsonpath={.data.api-key}')
      return { authorization: `Bearer ${Buffer.from(encoded, 'base64').toString()}` }
    },
    origin: async () => {
      const { spec } = await get(`service/${release}-edge`)
      return `http://${spec.clusterIP}:${spec.ports[0].port}`
    },
    upgrade: bring,
    test: () => attempt(programs.helm, ['test', release, '--namespace', namespace, '--logs', '--timeout', '300s']),
    uninstall: async () => {
      await must(programs.helm, ['uninstall', release, '--namespace', namespace, '--wait', '--timeout', '300s'])
    },
  }
}
