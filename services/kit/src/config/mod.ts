export { type BaseConfig, baseConfig } from './base.ts'
export { ConfigFailure, type ConfigSchema, describeConfig, later, readConfig, secret, setting } from './config.ts'
export * as read from './readers.ts'
