import { expect, test } from 'vitest'
import type { WarmPool } from '../crds/mod.ts'
import { conditionOf } from '../runtime/mod.ts'
import type { Member } from './member.ts'
import { type PoolFacts, poolStatus } from './pool-status.ts'

const pool = (generation: number, status: WarmPool['status'] = { observedGeneration: 0 }): WarmPool => ({
  apiVersion: 'trellis.dev/v1alpha1',
  kind: 'WarmPool',
  metadata: { name: 'searches', namespace: 'trellis', uid: 'u', resourceVersion: '1', generation },
  spec: { workload: 'search', replicas: 1, maxReplicas: 1, idleSeconds: 0 },
  status,
})

const facts = (message: string): PoolFacts => {
  const member: Member = {
    pod: { metadata: { name: 'searches-1', uid: 'p', resourceVersion: '1' } },
    state: { kind: 'unable', reason: 'ImagePull', isFinal: false, message },
    kind: 'starting',
    isOutdated: false,
    isReserved: false,
    attempt: 0,
    createdAt: 0,
    endedAt: 0,
  }
  return { members: [member], desired: 1, isResting: false, claimed: 0, refusal: undefined, now: 1_000 }
}

test('the messages of a pull that is retried alternate, and the status keeps the first of a generation', () => {
  const messageOf = (status: WarmPool['status']) => conditionOf(status.conditions, 'Ready')?.message
  const first = poolStatus(pool(1), 'app=worker', facts('ErrImagePull: no such image.'))
  expect(messageOf(first)).toBe('ErrImagePull: no such image.')
  const retried = poolStatus(pool(1, first), 'app=worker', facts('ImagePullBackOff: back-off.'))
  expect(retried).toEqual(first)
  const changed = poolStatus(pool(2, first), 'app=worker', facts('ErrImagePull: no other image either.'))
  expect(messageOf(changed)).toBe('ErrImagePull: no other image either.')
})
