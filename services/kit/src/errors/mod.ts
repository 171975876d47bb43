export {
  type Detail,
  type FailureOptions,
  failure,
  invalidField,
  isFailure,
  ServiceFailure,
  toFailure,
} from './failure.ts'
export { type ErrorKind, errorKinds } from './registry.ts'
