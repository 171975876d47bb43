/**
 * The bucket policy for the access key of audio workers. They read audio, and write the files of nodes and downloads, where a
 * repeated run replaces its own. They delete nothing, and cannot reach the files of the log service. Listing is allowed because a
 * store reports a missing file as missing only to those who may list.
 */
export const audioWorkerPolicy = ({
  bucket,
  accessKeyId,
  prefix = '',
}: {
  bucket: string
  accessKeyId: string
  /** Of all keys, as in S3_PREFIX; empty, or ending in a slash. */
  prefix?: string
}): object => {
  const statement = (actions: readonly string[], resources: readonly string[]) => ({
    Effect: 'Allow',
    Principal: { AWS: [accessKeyId] },
    Action: actions,
    Resource: resources.map((resource) => `arn:aws:s3:::${bucket}${resource}`),
  })
  const files = (folders: readonly string[]) => folders.map((folder) => `/${prefix}${folder}/*`)
  return {
    Version: '2012-10-17',
    Statement: [
      statement(['s3:GetObject'], files(['music'])),
      statement(['s3:PutObject', 's3:AbortMultipartUpload'], files(['music/nodes', 'music/delivery'])),
      statement(['s3:ListBucket'], ['']),
    ],
  }
}
