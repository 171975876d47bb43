import { isServiceError, serviceError } from '@trellis/kit/errors'
import { type ByteContent, byteFrames } from '@trellis/kit/rpc'
import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'

/** Throws the error that the same request gets after a deletion; returns if nothing was deleted. */
export type CheckDeletion = () => Promise<unknown>

/** The error for a missing file of a request whose rows existed: what the request is about was deleted meanwhile, or the file was lost. */
export const explainMissing = async (error: unknown, checkDeletion: CheckDeletion): Promise<unknown> => {
  if (!isServiceError(error, 'not_found')) return error
  await checkDeletion()
  return serviceError('not_found', 'The audio no longer exists.', { cause: error })
}

type Sending = {
  readonly open: () => Promise<ByteContent>
  readonly range?: string | null | undefined
  readonly checkDeletion: CheckDeletion
}

/** The frames of content that is read from files. */
export async function* sendFile({ open, range, checkDeletion }: Sending): AsyncGenerator<ByteFrame> {
  try {
    yield* byteFrames(await open(), range)
  } catch (error) {
    throw await explainMissing(error, checkDeletion)
  }
}
