/** The label of the namespaces that the tests of one run make; its value names the run. */
export const runLabel = 'trellis.dev/test-run'
