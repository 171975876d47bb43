import { z } from 'zod'

/** A folder of this machine, or on a file system that all its users share. */
const directoryLocation = z.object({
  kind: z.literal('directory'),
  path: z.string().min(1),
})

/** A bucket of any S3-compatible store. The bucket must exist. */
const s3Location = z.object({
  kind: z.literal('s3'),
  /** `https://s3.eu-central-1.amazonaws.com` or `http://minio:9000`, for example; without the bucket. */
  endpoint: z.url({ protocol: /^https?$/ }),
  region: z.string().min(1).default('us-east-1'),
  bucket: z.string().min(1),
  /** Prefix of every key in the bucket, so that installations can share it: `trellis/`, for example, or empty. */
  prefix: z.string().default(''),
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  /** For temporary credentials. */
  sessionToken: z.string().min(1).optional(),
  /** `https://host/bucket/key`, which most self-hosted stores require; otherwise `https://bucket.host/key`. */
  forcePathStyle: z.boolean().default(true),
  /** The store verifies and stores a CRC-32 of each file. Disable for stores that reject its headers; they still verify a SHA-256 of each request. */
  checksums: z.boolean().default(true),
})

/** A bucket on NATS JetStream; created when it does not exist. */
const natsLocation = z.object({
  kind: z.literal('nats'),
  /** `nats://nats:4222`, for example. */
  servers: z.array(z.string().min(1)).min(1),
  bucket: z.string().regex(/^[\w-]+$/),
  token: z.string().min(1).optional(),
  user: z.string().min(1).optional(),
  password: z.string().min(1).optional(),
  /** Paths of PEM files; `{}` requires TLS with the system's certificate authorities. */
  tls: z
    .object({
      caFile: z.string().min(1).optional(),
      certFile: z.string().min(1).optional(),
      keyFile: z.string().min(1).optional(),
    })
    .optional(),
  /** The first token of every subject and stream name, so that installations may share a server. */
  prefix: z
    .string()
    .regex(/^[\w-]+$/)
    .default('trellis'),
  /** Prefix of JetStream requests, for a bucket of another account whose API is imported. */
  apiPrefix: z.string().min(1).optional(),
  /** Replicas of a new bucket. */
  replicas: z.int().min(1).max(5).default(1),
})

const locationSchema = z.discriminatedUnion('kind', [directoryLocation, s3Location, natsLocation])

/**
 * Where files are stored, as plain data: worker processes get it as JSON in their environment. It holds credentials,
 * so it must not be logged or displayed.
 */
export type FilesLocation = z.input<typeof locationSchema>
export type DirectoryLocation = z.output<typeof directoryLocation>
export type S3Location = z.output<typeof s3Location>
export type NatsLocation = z.output<typeof natsLocation>

/** Validates a location and adds its defaults. Throws a TypeError that names the invalid fields, without values. */
export const checkLocation = (location: unknown): DirectoryLocation | S3Location | NatsLocation => {
  const parsed = locationSchema.safeParse(location)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  throw new TypeError(`Invalid location of files: ${wrong}`)
}

/** Reads a location from JSON in a worker's environment. Throws a TypeError that does not quote the text, because it holds secrets. */
export const readLocation = (text: string): FilesLocation => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new TypeError('Invalid location of files: it is not JSON.')
  }
  return checkLocation(parsed)
}
