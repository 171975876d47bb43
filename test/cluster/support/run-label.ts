/** The label of the namespaces that tests create; its value identifies the test run. */
export const runLabel = 'trellis.dev/test-run'
