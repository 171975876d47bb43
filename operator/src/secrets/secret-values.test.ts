import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectAs, newNamespace } from '../../test/api-server.ts'
import { type ControlPlane, findControlPlane, startControlPlane } from '../../test/control-plane.ts'
import type { Client } from '../runtime/mod.ts'
import { requireApiKey } from './required-keys.ts'
import { secrets } from './secret-kind.ts'
import { completeSecret, secretKeys } from './secret-values.ts'
import { shareSecret } from './shared-secrets.ts'

const programs = findControlPlane()

describe.skipIf(typeof programs === 'string')(
  `the secrets of an installation${typeof programs === 'string' ? ` (skipped: ${programs})` : ''}`,
  () => {
    let plane: ControlPlane
    let client: Client & AsyncDisposable
    beforeAll(async () => {
      if (typeof programs === 'string') return
      plane = await startControlPlane(programs)
      client = connectAs(plane.kubeconfig())
    })
    afterAll(async () => {
      await client?.[Symbol.asyncDispose]()
      await plane?.[Symbol.asyncDispose]()
    })

    const target = () => ({
      name: `secrets-${randomUUID()}`,
      namespace: 'default',
      labels: { 'app.kubernetes.io/instance': 'test' },
    })
    const values = async (ref: { name: string; namespace: string }) => {
      const { data = {} } = await client.get(secrets, ref)
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
      )
    }

    test('are generated once, and stay the same across upgrades', async () => {
      const ref = target()
      expect(await completeSecret(client, ref)).toEqual([...secretKeys])
      const first = await values(ref)
      expect(new Set(Object.values(first)).size).toBe(secretKeys.length)
      for (const value of Object.values(first)) expect(value).toMatch(/^k[0-9a-f]{64}$/)

      expect(await completeSecret(client, ref)).toEqual([])
      expect(await values(ref)).toEqual(first)
    })

    test('set by a person are retained, and only missing ones are generated', async () => {
      const ref = target()
      const { name, namespace } = ref
      const encoded = Buffer.from('mine').toString('base64')
      await client.create(secrets, { metadata: { name, namespace }, data: { 'rpc-secret': encoded, other: encoded } })

      expect(await completeSecret(client, ref)).toEqual(secretKeys.filter((key) => key !== 'rpc-secret'))
      expect(await values(ref)).toMatchObject({ 'rpc-secret': 'mine', other: 'mine' })
    })

    test('of the owner must contain the API key of the log service, once they exist', async () => {
      const { name, namespace } = target()
      const ref = { name, namespace }
      await expect(requireApiKey(client, ref)).resolves.toBeUndefined()
      const encoded = Buffer.from('mine').toString('base64')
      await client.create(secrets, { metadata: ref, data: { SERVICE_BRANCH_KEY: encoded } })
      await expect(requireApiKey(client, ref)).rejects.toThrow(
        `The Secret ${name} (keys.existingSecret) has no SERVICE_API_KEY, so everyone who reaches the edge could read the logs.`,
      )
      await client.patch(secrets, ref, { type: 'merge', body: { data: { SERVICE_API_KEY: encoded } } })
      await expect(requireApiKey(client, ref)).resolves.toBeUndefined()
    })

    describe('in other namespaces', () => {
      test('contain what workers need, and follow changes', async () => {
        const ref = target()
        await completeSecret(client, ref)
        const team = await newNamespace(client)
        expect(await shareSecret(client, ref, ['default', team, team])).toEqual([team])
        const own = await values(ref)
        const shared = ['rpc-secret', 'nats-search', 'nats-generation', 'nats-branch']
        const copy = Object.fromEntries(shared.map((key) => [key, own[key]]))
        expect(await values({ ...ref, namespace: team })).toEqual(copy)

        expect(await shareSecret(client, ref, [team])).toEqual([])
        const data = { 'nats-search': Buffer.from('another').toString('base64') }
        await client.patch(secrets, ref, { type: 'merge', body: { data } })
        expect(await shareSecret(client, ref, [team])).toEqual([team])
        expect(await values({ ...ref, namespace: team })).toEqual({ ...copy, 'nats-search': 'another' })
      })

      test('lose the token for all of NATS that earlier releases shared', async () => {
        const ref = target()
        await completeSecret(client, ref)
        const team = await newNamespace(client)
        await shareSecret(client, ref, [team])
        const copy = { ...ref, namespace: team }
        const data = { 'nats-token': Buffer.from('of old').toString('base64') }
        await client.patch(secrets, copy, { type: 'merge', body: { data } })
        expect(await shareSecret(client, ref, [team])).toEqual([team])
        expect(Object.keys(await values(copy))).not.toContain('nats-token')
      })

      test("never replace another owner's Secret", async () => {
        const ref = target()
        await completeSecret(client, ref)
        const namespace = await newNamespace(client)
        await completeSecret(client, { ...ref, namespace })
        const before = await values({ ...ref, namespace })
        await expect(shareSecret(client, ref, [namespace])).rejects.toThrow(/not of this installation.*watchNamespaces/)
        expect(await values({ ...ref, namespace })).toEqual(before)
      })
    })

    test('are the same for all concurrent runs', async () => {
      const ref = target()
      const drawn = await Promise.all(Array.from({ length: 8 }, () => completeSecret(client, ref)))
      expect(drawn.filter((keys) => keys.length > 0)).toHaveLength(1)
    })
  },
)
