export { type BaseConfig, baseConfig } from './base.ts'
export {
  ConfigError,
  type ConfigSchema,
  describeConfig,
  emptyCounts,
  filesNamedIn,
  type Reader,
  readConfig,
  readConfigs,
  reserved,
  secret,
  setting,
  type ValuesOf,
} from './config.ts'
export * as read from './readers.ts'
