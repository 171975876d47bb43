export {
  busEnvironment,
  busOptions,
  type ConnectionsConfig,
  connectionsConfig,
  type DatabaseConfig,
  databaseConfig,
  filesConfig,
  filesLocation,
  type RpcConfig,
  rpcConfig,
  rpcSecurity,
  shareConnections,
  storeElsewhere,
  storeLocation,
  workerFilesConfig,
  workerFilesLocation,
} from './connections-config.ts'
export { type ConfigPart, configPart, printConfig, setButNotInUse } from './print-config.ts'
export { type ProcessOptions, type Running, runProcess } from './run-process.ts'
