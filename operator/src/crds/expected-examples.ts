const runDefaults = { ttlSecondsAfterFinished: 3600, activeDeadlineSeconds: 300 }
/** Defaults added to the examples. */
export const filledIn: Record<string, object> = {
  Search: { adapter: 'auto', suspend: false, ...runDefaults, ttlSecondsAfterFinished: 86_400 },
  Branch: { state: 'Active' },
  GenerationJob: { generator: 'auto', ...runDefaults, activeDeadlineSeconds: 3600, backoffLimit: 2 },
  WarmPool: {},
}
/** Minimal specs of each kind, with and without defaults. */
export const min: Record<string, [written: object, stored: object]> = {
  Search: [
    { query: 'x', filters: {} },
    { query: 'x', filters: { mustIncludeMode: 'all' }, adapter: 'auto', pages: 1, suspend: false, ...runDefaults },
  ],
  Branch: [{ label: 'x' }, { label: 'x', state: 'Active', storage: '1Gi', retentionDays: 30, anonymize: false }],
  GenerationJob: [
    { chainId: 'c', nodeId: 'n' },
    {
      chainId: 'c',
      nodeId: 'n',
      durationSeconds: 10,
      generator: 'auto',
      ...runDefaults,
      activeDeadlineSeconds: 3600,
      backoffLimit: 2,
    },
  ],
  WarmPool: [
    { workload: 'generation', replicas: 0 },
    { workload: 'generation', replicas: 0, maxReplicas: 50, idleSeconds: 0 },
  ],
}

const condition = (status: string, reason: string, message: string) => ({
  conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime: '2026-03-01T09:15:02Z' }],
})
/** A status and its row of `kubectl get`: the columns always shown, and those only with `-o wide`. */
export const rows: Record<string, { status: object; shown: object; wide: object }> = {
  Search: {
    status: {
      phase: 'Running',
      listingsFound: 41,
      marketPrice: 512.5,
      warm: true,
      podName: 'w-1',
      ...condition('False', 'Running', 'Reads page 2.'),
    },
    shown: { Name: 'thinkpad', Phase: 'Running', Listings: 41, Price: 512.5, Ready: 'False', Reason: 'Running' },
    wide: { Query: 'thinkpad x1 carbon', Warm: true, Pod: 'w-1', User: null, Message: 'Reads page 2.' },
  },
  Branch: {
    status: {
      phase: 'Active',
      port: 8538,
      entryCount: 12,
      submitEndpoint: 'http://x/graz',
      ...condition('True', 'Running', 'Takes log lines.'),
    },
    shown: { Name: 'graz', Phase: 'Active', Entries: 12, 'Last-Seen': null, Ready: 'True', Reason: 'Running' },
    wide: {
      Label: 'Shop in Graz',
      Tenant: 'retail',
      Port: 8538,
      Storage: '5Gi',
      Endpoint: 'http://x/graz',
      Message: 'Takes log lines.',
    },
  },
  GenerationJob: {
    status: {
      phase: 'Failed',
      progress: 0.25,
      attempts: 3,
      podName: 'g-1',
      ...condition('False', 'OOMKilled', 'It took too much memory.'),
    },
    shown: { Name: 'second-verse', Phase: 'Failed', Progress: 0.25, Attempts: 3, Ready: 'False', Reason: 'OOMKilled' },
    wide: {
      Chain: '4f2a9c0d7be1830a55c6',
      Node: 'b81e33d20f6a97c4e10b',
      Generator: 'auto',
      Pod: 'g-1',
      Message: 'It took too much memory.',
    },
  },
  WarmPool: {
    status: { replicas: 3, readyReplicas: 2, claimed: 9, ...condition('False', 'Starting', 'One more is started.') },
    shown: {
      Name: 'searches',
      Workload: 'search',
      Desired: 3,
      Waiting: 2,
      Claimed: 9,
      Ready: 'False',
      Reason: 'Starting',
    },
    wide: { Pods: 3, Max: 20, 'Idle-After': 3600, Message: 'One more is started.' },
  },
}
