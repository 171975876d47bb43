export { branchIngestProxy } from './branches/backend.ts'
export { checkEdgeConfig, type EdgeConfig, edgeConfig } from './config.ts'
export { createEdge, type Edge, type EdgeOptions } from './edge.ts'
export type { Backend } from './transcode/routes.ts'
