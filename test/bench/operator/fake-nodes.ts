import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findExecutable } from '@trellis/distributed/servers'
import { type Client, type KubeObject, resource } from '@trellis/operator/runtime'

type Node = KubeObject & { spec?: object; status?: object }

const nodes = resource<Node>({ group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false })

const podsOnNode = 10_000

/** Fake nodes, on which kwok reports every pod as running. */
export type FakeNodes = AsyncDisposable & {
  /** Fields for a worker template that schedule its pods on the fake node only. */
  placement: { nodeSelector: Record<string, string>; tolerations: object[] }
}

/** Adds a fake node with an unused name to the cluster, and runs kwok for fake nodes only. */
export const startFakeNodes = async (client: Client, name: string): Promise<FakeNodes> => {
  await using opened = new AsyncDisposableStack()
  const command = findExecutable('kwok', { variable: 'KWOK_BIN', environment: process.env })
  const capacity = { cpu: '1000', memory: '4000Gi', pods: String(podsOnNode) }
  await client.create(nodes, {
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake', 'node.alpha.kubernetes.io/ttl': '0' },
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', type: 'kwok' },
    },
    spec: { taints: [{ key: 'kwok.x-k8s.io/node', value: 'fake', effect: 'NoSchedule' }] },
  })
  opened.defer(() => client.delete(nodes, { name }))
  const body = { status: { capacity, allocatable: capacity } }
  await client.patch(nodes, { name }, { type: 'merge', body }, { subresource: 'status' })
  const child = spawn(command, ['--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake', '--v=ERROR'], {
    env: process.env,
    stdio: 'ignore',
  })
  const gone = once(child, 'close')
  opened.defer(async () => {
    child.kill('SIGTERM')
    await gone
  })
  const owned = opened.move()
  return {
    placement: {
      nodeSelector: { 'kubernetes.io/hostname': name },
      tolerations: [{ key: 'kwok.x-k8s.io/node', operator: 'Exists' }],
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
