export {
  type Detail,
  type FailureOptions,
  failure,
  invalidField,
  isFailure,
  ServiceFailure,
  toFailure,
} from './failure.ts'
export { messageOf } from './message-of.ts'
export { type ErrorKind, errorKinds } from './registry.ts'
