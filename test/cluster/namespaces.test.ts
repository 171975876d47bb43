import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildWorkerImages } from './support/images.ts'
import { createNamespace, install, type Namespace, type Release, small } from './support/installation.ts'
import { clusterMissing, root, unlessMissing } from './support/programs.ts'
import type { Shown } from './support/watch.ts'

const minutes = 60_000
const named = (kind: string, name: string, spec: object) => ({
  apiVersion: 'trellis.dev/v1alpha1',
  kind,
  metadata: { name },
  spec,
})

describe.skipIf(clusterMissing !== undefined)(
  unlessMissing('an installation for two namespaces with dedicated worker images'),
  () => {
    let home: Namespace
    let team: Namespace
    let release: Release
    const opened = new AsyncDisposableStack()
    beforeAll(async () => {
      home = opened.use(await createNamespace('home'))
      team = opened.use(await createNamespace('team'))
      release = await install(home, {
        ...small,
        operator: { replicas: 1, watchNamespaces: [team.name] },
        marketplace: { render: 'always' },
        workers: await buildWorkerImages(),
      })
    }, 15 * minutes)
    // Disposed in reverse order: the operator in `home` must remove the finalizers of the branches in `team` first.
    afterAll(() => opened.disposeAsync(), 8 * minutes)

    const imagesOf = (pods: Shown[]): string[] => pods.map(({ spec }) => spec.containers[0].image)

    test(
      'a Search in the other namespace runs there, with only the secrets that workers need',
      async () => {
        await team.apply(named('Search', 'lens', { query: 'lens' }))
        await team.kubectl('wait', '--for=condition=Complete', 'search/lens', '--timeout=300s')
        const { status } = await team.get('search/lens')
        expect(status.listingsFound).toBeGreaterThan(0)
        const pods = await team.list('pods', '-l', 'app.kubernetes.io/component=search-worker')
        expect(pods.map(({ metadata }) => metadata.name)).toEqual([status.podName])
        // This image renders pages in a browser, without root and with only /tmp writable.
        expect(imagesOf(pods)).toEqual([expect.stringContaining('/trellis-search-worker:')])
        const { data } = await team.get('secret/trellis-secrets')
        expect(Object.keys(data).sort()).toEqual(['nats-branch', 'nats-generation', 'nats-search', 'rpc-secret'])
      },
      10 * minutes,
    )

    test(
      "a search requested by the API runs in the release's namespace",
      async () => {
        const { code, output } = await release.test()
        expect({ code, output }).toMatchObject({ code: 0 })
        expect(await home.list('searches')).not.toEqual([])
      },
      10 * minutes,
    )

    test(
      'the edge takes lines for a Branch in the other namespace',
      async () => {
        await team.apply(named('Branch', 'graz', { slug: 'graz' }))
        await team.kubectl('wait', '--for=condition=Ready', 'branch/graz', '--timeout=300s')
        const { status } = await team.get('branch/graz')
        const encoded = await team.kubectl('get', 'secret', status.secretName, '-o', 'jsonpath={.data.api-key}')
        const authorization = `Bearer ${Buffer.from(encoded, 'base64').toString()}`
        const origin = await release.origin()
        const push = async () =>
          (
            await fetch(`${origin}${new URL(status.submitEndpoint).pathname}`, {
              method: 'POST',
              headers: { authorization, 'content-type': 'application/json' },
              body: JSON.stringify({ source_id: 'till', entries: [{ text: 'the till of the tulip shop is stuck' }] }),
            })
          ).status
        // The edge discovers a new branch within seconds.
        await expect.poll(push, { timeout: 3 * minutes }).toBe(200)
        // A search skips a branch whose address is not known everywhere yet, and lists it as missing.
        const headers = await release.authorization()
        const branches = async () => {
          const found = await fetch(`${origin}/logs/api/search?q=tulip`, { headers })
          return ((await found.json()) as { entries: { branch: string }[] }).entries.map(({ branch }) => branch)
        }
        await expect.poll(branches, { timeout: 1 * minutes }).toEqual(['graz'])
      },
      10 * minutes,
    )

    test(
      'a generation worker continues a piece of audio',
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
        await home.kubectl('wait', '--for=condition=Complete', 'generationjobs', '--all', '--timeout=300s')
        const read = async () => (await (await fetch(`${origin}/${chain.chain_id}`)).json()) as { nodes: object[] }
        expect((await read()).nodes).toContainEqual(expect.objectContaining({ node_id: node, status: 'ready' }))
        const audio = await fetch(`${origin}/${chain.chain_id}/nodes/${node}/audio`)
        expect({ status: audio.status, size: (await audio.arrayBuffer()).byteLength }).toMatchObject({ status: 200 })
        const pods = await home.list('pods', '-l', 'app.kubernetes.io/component=generation-worker')
        expect(imagesOf(pods)).toEqual([expect.stringContaining('/trellis-generation-worker:')])
      },
      10 * minutes,
    )
  },
)
