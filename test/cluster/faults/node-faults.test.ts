import { describe } from 'vitest'
import { apiServerFaults } from './api-server.ts'
import { nodeFaults } from './node.ts'
import { onTestbed } from './on-testbed.ts'

// What every installation of the cluster feels: nothing else runs meanwhile.
onTestbed('an installation on a cluster that goes wrong', (testbed) => {
  describe('the node takes no pods', () => nodeFaults(testbed))
  describe('the API server is away', () => apiServerFaults(testbed))
})
