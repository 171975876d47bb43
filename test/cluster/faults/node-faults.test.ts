import { describe } from 'vitest'
import { apiServerFaults } from './api-server.ts'
import { nodeFaults } from './node.ts'
import { onWorld } from './on-world.ts'

// What every installation of the cluster feels: nothing else runs meanwhile.
onWorld('an installation on a cluster that goes wrong', (world) => {
  describe('the node takes no pods', () => nodeFaults(world))
  describe('the API server is away', () => apiServerFaults(world))
})
