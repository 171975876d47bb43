import { expect, test } from 'vitest'
import { createLazyThread } from '../threads/lazy-thread.ts'
import { offlineVariables } from './offline.ts'

type Calls = { environment: () => Promise<Record<string, string>>; rest: () => Promise<void> }

test('SERVICE_OFFLINE_MODE=1 sets model-hub offline variables before model libraries load, and no others', async () => {
  await using thread = createLazyThread<Calls>({
    module: new URL('./environment-worker-for-tests.ts', import.meta.url),
    data: {},
    environment: offlineVariables,
    own: {},
    idleMilliseconds: 60_000,
    mayRest: () => true,
    lastCall: 'rest',
    onRest: () => undefined,
    onFailure: (error) => {
      throw error
    },
  })
  expect(await thread.call('environment', [])).toEqual({
    HF_HUB_OFFLINE: '1',
    TRANSFORMERS_OFFLINE: '1',
    HF_DATASETS_OFFLINE: '1',
  })
})
