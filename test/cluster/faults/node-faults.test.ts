import { describe } from 'vitest'
import { apiServerFaults } from './api-server.ts'
import { nodeFaults } from './node.ts'
import { onTestbed } from './on-testbed.ts'

// These faults affect every installation of the cluster, so nothing else runs meanwhile.
onTestbed('an installation on a faulty cluster', (testbed) => {
  describe('an unschedulable node', () => nodeFaults(testbed))
  describe('an API server outage', () => apiServerFaults(testbed))
})
