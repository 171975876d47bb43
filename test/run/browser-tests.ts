/**
 * What the paths of test files that use a browser start with. A browser aborts the requests of a page when a network interface of the machine appears
 * or goes, as happens when pods start, so `.ci/run` does not run these files beside the tests on the cluster.
 */
export const browserTests = [
  'services/web/test/',
  'services/listings/src/marketplace/browser/',
  'services/listings/src/worker/rendered.test.ts',
]
