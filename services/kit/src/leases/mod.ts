export { type LeaseTable, leaseTable } from './lease-store.ts'
export { createLeases, type HeldLease, type Leases, type LeasesOptions, leaseMilliseconds } from './leases.ts'
