import { Status } from 'nice-grpc-common'

/**
 * Every kind of error of a request, with its HTTP status and gRPC code.
 * New kinds are added here; a test checks docs/reference/errors.md against this table.
 */
export const errorKinds = {
  malformed: {
    status: 400,
    grpc: Status.INVALID_ARGUMENT,
    meaning: 'The request cannot be read as what it claims to be.',
  },
  unauthenticated: { status: 401, grpc: Status.UNAUTHENTICATED, meaning: 'No credentials, or wrong ones.' },
  payment_required: { status: 402, grpc: Status.PERMISSION_DENIED, meaning: 'The feature needs a higher tier.' },
  forbidden: { status: 403, grpc: Status.PERMISSION_DENIED, meaning: 'Known caller, but not allowed to do this.' },
  not_found: { status: 404, grpc: Status.NOT_FOUND, meaning: 'Nothing has that id.' },
  method_not_allowed: { status: 405, grpc: Status.UNIMPLEMENTED, meaning: 'The path exists, not with that method.' },
  request_timeout: {
    status: 408,
    grpc: Status.DEADLINE_EXCEEDED,
    meaning: 'The request did not arrive in time.',
  },
  conflict: { status: 409, grpc: Status.ABORTED, meaning: 'The state it is in does not allow it.' },
  precondition_failed: {
    status: 412,
    grpc: Status.FAILED_PRECONDITION,
    meaning: 'A signature or precondition does not hold.',
  },
  too_large: { status: 413, grpc: Status.RESOURCE_EXHAUSTED, meaning: 'More than the named limit allows.' },
  unsupported_media: {
    status: 415,
    grpc: Status.INVALID_ARGUMENT,
    meaning: 'Content of a type that is not taken here.',
  },
  range_not_satisfiable: {
    status: 416,
    grpc: Status.OUT_OF_RANGE,
    meaning: 'The byte range lies outside the content.',
  },
  misdirected: {
    status: 421,
    grpc: Status.INVALID_ARGUMENT,
    meaning: 'The Host is not one that this server answers for; EDGE_HOSTS names them.',
  },
  invalid: { status: 422, grpc: Status.INVALID_ARGUMENT, meaning: 'Readable, but a value is not allowed.' },
  rate_limited: {
    status: 429,
    grpc: Status.RESOURCE_EXHAUSTED,
    meaning: 'Too many requests: retry after Retry-After seconds.',
  },
  cancelled: {
    status: 499,
    grpc: Status.CANCELLED,
    meaning: 'The caller left before the answer.',
  },
  internal: { status: 500, grpc: Status.INTERNAL, meaning: 'A fault of ours; the request id finds it in the log.' },
  misconfigured: {
    status: 500,
    grpc: Status.FAILED_PRECONDITION,
    meaning: 'Settings that the route needs are missing; the detail names them.',
  },
  upstream_failed: { status: 502, grpc: Status.UNAVAILABLE, meaning: 'Another server failed or refused.' },
  unavailable: {
    status: 503,
    grpc: Status.UNAVAILABLE,
    meaning: 'Not configured, or overloaded; then with Retry-After.',
  },
  upstream_timeout: { status: 504, grpc: Status.DEADLINE_EXCEEDED, meaning: 'Another server took too long.' },
} as const satisfies Record<string, { status: number; grpc: Status; meaning: string }>

export type ErrorKind = keyof typeof errorKinds
