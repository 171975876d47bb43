export {
  cancelled,
  type Detail,
  type FailureOptions,
  failure,
  invalidField,
  isFailure,
  ServiceFailure,
  toCallFailure,
  toFailure,
} from './failure.ts'
export { messageOf } from './message-of.ts'
export { type ErrorKind, errorKinds } from './registry.ts'
