import { z } from 'zod'

/** A folder of this machine, or one that all who open it share. */
const directoryLocation = z.object({
  kind: z.literal('directory'),
  path: z.string().min(1),
})

/** A bucket of any S3-compatible store. The bucket must exist. */
const s3Location = z.object({
  kind: z.literal('s3'),
  /** Such as `https://s3.eu-central-1.amazonaws.com` or `http://minio:9000`; without the bucket. */
  endpoint: z.url({ protocol: /^https?$/ }),
  region: z.string().min(1).default('us-east-1'),
  bucket: z.string().min(1),
  /** What every key starts with in the bucket, so that installations can share one: `trellis/`, or nothing. */
  prefix: z.string().default(''),
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  /** Comes with temporary credentials. */
  sessionToken: z.string().min(1).optional(),
  /** `https://host/bucket/key`, as most stores of one's own want it; else `https://bucket.host/key`. */
  forcePathStyle: z.boolean().default(true),
  /** Has the store check and keep a CRC-32 of each file. Stores that refuse its headers still check a SHA-256 of each request. */
  checksums: z.boolean().default(true),
})

/** An object store of NATS; made when it is not there. */
const natsLocation = z.object({
  kind: z.literal('nats'),
  /** Such as `nats://nats:4222`. */
  servers: z.array(z.string().min(1)).min(1),
  bucket: z.string().regex(/^[\w-]+$/),
  token: z.string().min(1).optional(),
  user: z.string().min(1).optional(),
  password: z.string().min(1).optional(),
  /** Paths of PEM files; `{}` demands encryption with the system's authorities. */
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
  /** What requests to JetStream start with, where the bucket is in another account, from which those are imported. */
  apiPrefix: z.string().min(1).optional(),
  /** Servers that keep a copy, where the bucket is made. */
  replicas: z.int().min(1).max(5).default(1),
})

const locationSchema = z.discriminatedUnion('kind', [directoryLocation, s3Location, natsLocation])

/**
 * Where files are kept, as plain data: it goes to worker processes as JSON in their environment. It holds credentials,
 * so it must not be shown.
 */
export type FilesLocation = z.input<typeof locationSchema>
export type DirectoryLocation = z.output<typeof directoryLocation>
export type S3Location = z.output<typeof s3Location>
export type NatsLocation = z.output<typeof natsLocation>

/** A location with its defaults. Throws a TypeError that names what is wrong, without values. */
export const checkLocation = (location: unknown): DirectoryLocation | S3Location | NatsLocation => {
  const parsed = locationSchema.safeParse(location)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  throw new TypeError(`This is no place for files: ${wrong}`)
}

/** Reads a location from JSON, as a worker finds it in its environment. Throws a TypeError without the text: it holds secrets. */
export const readLocation = (text: string): FilesLocation => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new TypeError('This is no place for files: it is not JSON.')
  }
  return checkLocation(parsed)
}
