import { checkLocation, type FilesLocation } from '../location.ts'
import { createS3Client } from './client.ts'
import { discard } from './exchange.ts'
import { toStoreError } from './s3-error.ts'

/** Replaces the policy of a bucket, which states what its accounts may do besides its owner. Idempotent. */
export const setBucketPolicy = async (
  location: Extract<FilesLocation, { kind: 's3' }>,
  policy: object,
): Promise<void> => {
  const checked = checkLocation(location)
  if (checked.kind !== 's3') throw new TypeError('Only a bucket of S3 has a policy.')
  const client = createS3Client(checked)
  try {
    discard(await client.send({ method: 'PUT', query: { policy: '' }, body: Buffer.from(JSON.stringify(policy)) }))
  } catch (error) {
    throw toStoreError(error)
  } finally {
    client.close()
  }
}
