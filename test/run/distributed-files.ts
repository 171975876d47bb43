/** Tests that also run on the distributed form: separate processes over NATS, Postgres and S3; and tests that kill these processes. */
export const distributed = [
  'test/main-jobs/{listings,logs,logs-blocklist,logs-context,logs-settings,music}.test.ts',
  'test/conformance/**/*.test.ts',
  'test/aborts/**/*.test.ts',
  'test/fault-points/**/*.test.ts',
  'test/hostile/hostile.test.ts',
  'test/upgrade/upgrade.test.ts',
  'services/web/test/journeys/distributed.test.ts',
  'test/faults/**/*.test.ts',
]

/** Tests on the cluster of KUBECONFIG with images of this checkout; only "npm run test:cluster" runs them. */
export const onCluster = ['test/cluster/*.test.ts', 'test/cluster/faults/**/*.test.ts']
