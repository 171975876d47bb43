export { type BaseConfig, baseConfig } from './base.ts'
export { ConfigFailure, type ConfigSchema, describeConfig, readConfig, secret, setting } from './config.ts'
export * as read from './readers.ts'
