/** Tests of what users do, word for word the same, on processes of their own over NATS, Postgres and S3; and of what happens when one is killed. */
export const distributed = [
  'test/main-jobs/{listings,logs,logs-blocklist,logs-context,logs-settings,music}.test.ts',
  'test/conformance/**/*.test.ts',
  'test/aborts/**/*.test.ts',
  'test/hostile/hostile.test.ts',
  'test/faults/**/*.test.ts',
]

/** Tests on the cluster of KUBECONFIG, with images of this checkout: by "npm run test:cluster" alone. */
export const onCluster = ['test/cluster/*.test.ts', 'test/cluster/faults/**/*.test.ts']
