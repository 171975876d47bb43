import { describe } from 'vitest'
import { onTestbed } from './on-testbed.ts'
import { operatorFaults } from './operator.ts'
import { outageFaults } from './outages.ts'
import { serverFaults } from './servers.ts'
import { workerFaults } from './workers.ts'

onTestbed('an installation on which things go wrong', (testbed) => {
  describe('a worker is lost', () => workerFaults(testbed))
  describe('the operator is ended or stopped', () => operatorFaults(testbed))
  describe('a server is away', () => serverFaults(testbed))
  describe('a server is away for long', () => outageFaults(testbed))
})
