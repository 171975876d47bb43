import { describe } from 'vitest'
import { onWorld } from './on-world.ts'
import { operatorFaults } from './operator.ts'
import { outageFaults } from './outages.ts'
import { serverFaults } from './servers.ts'
import { workerFaults } from './workers.ts'

onWorld('an installation on which things go wrong', (world) => {
  describe('a worker is lost', () => workerFaults(world))
  describe('the operator is ended or stopped', () => operatorFaults(world))
  describe('a server is away', () => serverFaults(world))
  describe('a server is away for long', () => outageFaults(world))
})
