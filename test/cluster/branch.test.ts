import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNamespace, install, type Namespace, type Release, small } from './support/installation.ts'
import { clusterMissing, unlessMissing } from './support/programs.ts'

const minutes = 60_000
const branch = {
  apiVersion: 'trellis.dev/v1alpha1',
  kind: 'Branch',
  metadata: { name: 'graz' },
  spec: { slug: 'graz', label: 'Shop in Graz' },
}

describe.skipIf(clusterMissing !== undefined)(unlessMissing('a branch on a cluster'), () => {
  let namespace: Namespace
  let release: Release
  beforeAll(async () => {
    namespace = await createNamespace('branch')
    release = await install(namespace, { ...small, listings: { enabled: false }, music: { enabled: false } })
  }, 15 * minutes)
  afterAll(() => namespace?.[Symbol.asyncDispose](), 8 * minutes)

  test(
    'takes lines through the edge with the key of its Secret, and is searched along',
    async () => {
      await namespace.apply(branch)
      await namespace.kubectl('wait', '--for=condition=Ready', 'branch/graz', '--timeout=300s')
      const { status } = await namespace.get('branch/graz')
      const encoded = await namespace.kubectl('get', 'secret', status.secretName, '-o', 'jsonpath={.data.api-key}')
      const key = Buffer.from(encoded, 'base64').toString()
      const origin = await release.origin()
      const { pathname } = new URL(status.submitEndpoint)
      const push = (authorization: string) =>
        fetch(`${origin}${pathname}`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ source_id: 'till', entries: [{ text: 'the till of the marigold shop is stuck' }] }),
        })
      const headers = await release.authorization()
      const until = Date.now() + 3 * minutes
      let pushed = await push(`Bearer ${key}`)
      for (; pushed.status !== 200 && Date.now() < until; pushed = await push(`Bearer ${key}`)) await sleep(500)
      expect({ status: pushed.status, body: await pushed.json() }).toMatchObject({ body: { accepted: 1 } })
      expect((await push('Bearer wrong')).status).toBe(401)
      // The log service may have asked the branch before it was there, and names it as missing for a moment.
      await expect
        .poll(async () => (await fetch(`${origin}/logs/api/search?q=marigold`, { headers })).json(), {
          timeout: minutes,
          interval: 250,
        })
        .toMatchObject({ total: 1, entries: [{ branch: 'graz' }] })
    },
    10 * minutes,
  )

  test('asks the API server for nothing that the operator may not have', async () => {
    const logs = await namespace.kubectl('logs', '-l', 'app.kubernetes.io/component=operator', '--tail=-1')
    const refused = logs.split('\n').filter((line) => line.includes('forbidden') && !line.includes('gpu.clusterRead'))
    expect(refused).toEqual([])
  })
})
