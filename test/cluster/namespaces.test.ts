import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNamespace, install, type Namespace, type Release, small } from './support/installation.ts'
import { clusterMissing, unlessMissing } from './support/programs.ts'

const minutes = 60_000
const named = (kind: string, name: string, spec: object) => ({
  apiVersion: 'trellis.dev/v1alpha1',
  kind,
  metadata: { name },
  spec,
})

describe.skipIf(clusterMissing !== undefined)(unlessMissing('an installation for two namespaces'), () => {
  let home: Namespace
  let team: Namespace
  let release: Release
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    home = opened.use(await createNamespace('home'))
    team = opened.use(await createNamespace('team'))
    const values = { ...small, music: { enabled: false }, operator: { replicas: 1, watchNamespaces: [team.name] } }
    release = await install(home, values)
  }, 15 * minutes)
  // The latter first: the operator, which lets go of its branches, is in the former.
  afterAll(() => opened.disposeAsync(), 8 * minutes)

  test(
    'runs a Search of the other one there, by workers that hold no more of the secrets than they need',
    async () => {
      await team.apply(named('Search', 'lens', { query: 'lens' }))
      await team.kubectl('wait', '--for=condition=Complete', 'search/lens', '--timeout=300s')
      const { status } = await team.get('search/lens')
      expect(status.listingsFound).toBeGreaterThan(0)
      const pods = await team.list('pods', '-l', 'app.kubernetes.io/component=search-worker')
      expect(pods.map(({ metadata }) => metadata.name)).toEqual([status.podName])
      const { data } = await team.get('secret/trellis-secrets')
      expect(Object.keys(data).sort()).toEqual(['nats-branch', 'nats-generation', 'nats-search', 'rpc-secret'])
    },
    10 * minutes,
  )

  test(
    'and what is asked for by the API in its own',
    async () => {
      const { code, output } = await release.test()
      expect({ code, output }).toMatchObject({ code: 0 })
      expect(await home.list('searches')).not.toEqual([])
    },
    10 * minutes,
  )

  test(
    'takes lines for a Branch of the other one through the edge',
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
      // The edge learns of a new branch within seconds.
      await expect.poll(push, { timeout: 3 * minutes }).toBe(200)
      // A search leaves out, and names, a branch whose address is not known everywhere yet.
      const headers = await release.authorization()
      const branches = async () => {
        const found = await fetch(`${origin}/logs/api/search?q=tulip`, { headers })
        return ((await found.json()) as { entries: { branch: string }[] }).entries.map(({ branch }) => branch)
      }
      await expect.poll(branches, { timeout: 1 * minutes }).toEqual(['graz'])
    },
    10 * minutes,
  )
})
