export { type BaseConfig, baseConfig } from './base.ts'
export {
  ConfigFailure,
  type ConfigSchema,
  describeConfig,
  later,
  readConfig,
  secret,
  setting,
  type ValuesOf,
} from './config.ts'
export * as read from './readers.ts'
