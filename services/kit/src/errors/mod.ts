export { isDiskFull } from './disk-full.ts'
export { messageOf } from './message-of.ts'
export { type ErrorKind, errorKinds } from './registry.ts'
export {
  cancelled,
  type Detail,
  invalidField,
  isServiceError,
  nullCharacterDetail,
  ServiceError,
  type ServiceErrorOptions,
  serviceError,
  toCallError,
  toServiceError,
} from './service-error.ts'
