export { type BranchNode, type BranchNodeOptions, createBranchNode } from './branches/branch-node.ts'
export { type BranchConfig, branchConfig } from './branches/config.ts'
export { type LogsConfig, logsConfig } from './config.ts'
export { createLogsService, type LogsService, type LogsServiceOptions, logsSchemas } from './service.ts'
