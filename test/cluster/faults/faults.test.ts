import { describe } from 'vitest'
import { onTestbed } from './on-testbed.ts'
import { operatorFaults } from './operator.ts'
import { outageFaults } from './outages.ts'
import { serverFaults } from './servers.ts'
import { workerFaults } from './workers.ts'

onTestbed('an installation with faults', (testbed) => {
  describe('lost workers', () => workerFaults(testbed))
  describe('killed and stopped operators', () => operatorFaults(testbed))
  describe('restarted servers', () => serverFaults(testbed))
  describe('long server outages', () => outageFaults(testbed))
})
