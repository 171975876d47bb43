export { type BaseConfig, baseConfig } from './base.ts'
export {
  ConfigFailure,
  type ConfigSchema,
  describeConfig,
  filesNamedIn,
  later,
  type Reader,
  readConfig,
  readConfigs,
  secret,
  setting,
  type ValuesOf,
} from './config.ts'
export * as read from './readers.ts'
