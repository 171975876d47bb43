import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildWorkerImages } from './support/images.ts'
import { createNamespace, install, type Namespace, type Release, small } from './support/installation.ts'
import { clusterMissing, root, unlessMissing } from './support/programs.ts'

const minutes = 60_000

describe.skipIf(clusterMissing !== undefined)(unlessMissing('workers with images of their own'), () => {
  let namespace: Namespace
  let release: Release
  beforeAll(async () => {
    const workers = await buildWorkerImages()
    namespace = await createNamespace('workers')
    release = await install(namespace, {
      ...small,
      logs: { enabled: false },
      marketplace: { render: 'always' },
      workers,
    })
  }, 15 * minutes)
  afterAll(() => namespace?.[Symbol.asyncDispose](), 8 * minutes)

  const imageOf = async (component: string): Promise<string> => {
    const [pod] = await namespace.list('pods', '-l', `app.kubernetes.io/component=${component}`)
    return pod?.spec.containers[0].image
  }

  test(
    'show the pages of a search in a browser, without root and without writing but to /tmp',
    async () => {
      await namespace.apply({
        apiVersion: 'trellis.dev/v1alpha1',
        kind: 'Search',
        metadata: { name: 'camera' },
        spec: { query: 'camera' },
      })
      await namespace.kubectl('wait', '--for=condition=Complete', 'search/camera', '--timeout=300s')
      const { status } = await namespace.get('search/camera')
      expect(status.listingsFound).toBeGreaterThan(0)
      expect(await imageOf('search-worker')).toContain('/trellis-search-worker:')
    },
    10 * minutes,
  )

  test(
    'continue a piece of audio',
    async () => {
      const origin = `${await release.origin()}/music/api/chains`
      const form = new FormData()
      form.append('file', new Blob([await readFile(join(root, 'docs/examples/tune.ogg'))]), 'tune.ogg')
      form.append('name', 'tune')
      const created = await fetch(origin, { method: 'POST', body: form })
      const chain = (await created.json()) as { chain_id: string; root_node_id: string }
      const branches = await fetch(`${origin}/${chain.chain_id}/nodes/${chain.root_node_id}/branches`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'more of it', duration_seconds: 4 }),
      })
      const { nodes } = (await branches.json()) as { nodes: { node_id: string }[] }
      const node = nodes[0]?.node_id ?? ''
      await namespace.kubectl('wait', '--for=condition=Complete', 'generationjobs', '--all', '--timeout=300s')
      const read = async () => (await (await fetch(`${origin}/${chain.chain_id}`)).json()) as { nodes: object[] }
      expect((await read()).nodes).toContainEqual(expect.objectContaining({ node_id: node, status: 'ready' }))
      const audio = await fetch(`${origin}/${chain.chain_id}/nodes/${node}/audio`)
      expect({ status: audio.status, size: (await audio.arrayBuffer()).byteLength }).toMatchObject({ status: 200 })
      expect(await imageOf('generation-worker')).toContain('/trellis-generation-worker:')
    },
    10 * minutes,
  )
})
