/**
 * Idle workers. `createWarmPools` returns the claims for runs and the reconciler of the pools. The cache of pods is
 * declared once and shared: `manager.cache(pods, podCache({ instance, namespace, indexes: poolIndexes }))`.
 */
export { poolIndexes } from './idle-pods.ts'
export { createWarmPools, type WarmPools } from './warm-pools.ts'
